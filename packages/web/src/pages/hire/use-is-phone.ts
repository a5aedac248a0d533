import { useSyncExternalStore } from 'react';

const PHONE = '(max-width: 44.99rem)';

/** False on the server, which renders the side column. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(PHONE);
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => matchMedia(PHONE).matches,
    () => false,
  );
}
