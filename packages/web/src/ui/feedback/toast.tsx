/** Short news at the bottom for six seconds, longer while hovered or focused. Never the only place for news about money. */
import './toast.css';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { useAnnounce } from './announcer.tsx';

const SHOWN_MS = 6_000;

interface Toast {
  readonly id: number;
  readonly message: string;
}

const ToastContext = createContext<(message: string) => void>(() => undefined);

/** Use: `const toast = useToast(); toast('Accepted. 162.00 USDC released.')`. */
export function useToast(): (message: string) => void {
  return useContext(ToastContext);
}

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const announce = useAnnounce();
  const [toast, setToast] = useState<Toast>();
  const [held, setHeld] = useState(false);
  const count = useRef(0);
  const show = useCallback(
    (message: string) => {
      count.current += 1;
      setToast({ id: count.current, message });
      announce(message);
    },
    [announce],
  );
  useEffect(() => {
    if (toast === undefined || held) return;
    const timer = setTimeout(() => setToast(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast, held]);
  return (
    <ToastContext value={show}>
      {children}
      {toast === undefined ? null : (
        // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only keeps it there longer
        <div
          className="toast"
          key={toast.id}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          <span aria-hidden="true">{toast.message}</span>
          <button type="button" onClick={() => setToast(undefined)} aria-label="Close this message">
            Close
          </button>
        </div>
      )}
    </ToastContext>
  );
}
