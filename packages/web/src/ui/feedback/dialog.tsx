/** A modal question. The browser's own dialog keeps the focus inside and returns it. */
import './dialog.css';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** `sheet` opens from the bottom on phones. */
  readonly kind?: 'dialog' | 'sheet';
}

export function Dialog({ open, onClose, title, children, kind = 'dialog' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const opener = useRef<Element>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null || dialog.open === open) return;
    if (open) {
      opener.current = document.activeElement;
      dialog.showModal();
    } else dialog.close();
  }, [open]);
  // The browser returns the focus when a dialog closes, but not when an open one is unmounted.
  useLayoutEffect(
    () => () => {
      if (element.current?.open === true) queueMicrotask(() => giveFocusBack(opener.current));
    },
    [],
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself; this is for a click on the ground behind it
    <dialog
      ref={element}
      className={kind}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      {open ? (
        <div className="inner">
          <header>
            <h2 id={id}>{title}</h2>
            <button className="icon" type="button" onClick={onClose} aria-label="Close">
              <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
                <path d="M1 1l12 12M13 1L1 13" stroke="currentColor" strokeWidth="1.75" />
              </svg>
            </button>
          </header>
          {children}
        </div>
      ) : null}
    </dialog>
  );
}

/** The focus returns to the element that opened the dialog; if the action removed it, to the page. */
function giveFocusBack(opener: Element | null): void {
  const target = opener?.isConnected === true ? opener : document.querySelector('main');
  if (target instanceof HTMLElement) target.focus();
}
