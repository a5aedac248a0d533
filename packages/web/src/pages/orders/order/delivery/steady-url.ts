import { useState } from 'react';

/**
 * URLs of files contain a new grant in every answer. A picture or film on the screen keeps its first URL, and switches to the newest when
 * that one has expired.
 */
export function useSteadyUrl(newest: string): { readonly url: string; readonly renew: () => void } {
  const [url, setUrl] = useState(newest);
  return { url, renew: () => setUrl(newest) };
}
