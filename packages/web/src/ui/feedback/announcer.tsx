import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';

const AnnouncerContext = createContext<(message: string) => void>(() => undefined);

/** Announces changes of state to screen readers, politely, but never clocks. */
export function useAnnounce(): (message: string) => void {
  return useContext(AnnouncerContext);
}

export function AnnouncerProvider({ children }: { readonly children: ReactNode }) {
  const [message, setMessage] = useState('');
  const announce = useCallback((next: string) => {
    // Screen readers repeat a text only if it changes in between.
    setMessage('');
    setTimeout(() => setMessage(next), 50);
  }, []);
  return (
    <AnnouncerContext value={announce}>
      {children}
      <div className="visually-hidden" role="status" aria-live="polite">
        {message}
      </div>
    </AnnouncerContext>
  );
}
