import { type RefObject, useEffect } from 'react';

/** Closes an element over the page on Escape, which returns the focus to its button, and on a press elsewhere. */
export function useDismiss(box: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return;
    const ending = new AbortController();
    const { signal } = ending;
    document.addEventListener(
      'keydown',
      ({ key }) => {
        if (key !== 'Escape') return;
        close();
        box.current?.querySelector<HTMLElement>('[aria-expanded]')?.focus();
      },
      { signal },
    );
    document.addEventListener(
      'pointerdown',
      ({ target }) => {
        if (target instanceof Node && box.current?.contains(target) !== true) close();
      },
      { signal },
    );
    return () => ending.abort();
  }, [box, open, close]);
}
