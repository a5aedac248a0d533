import { useState } from 'react';

/**
 * Addresses of files carry a new grant with every answer. A picture or film that is being looked at keeps the address it began
 * with, and takes the newest one when that has run out.
 */
export function useSteadyUrl(newest: string): { readonly url: string; readonly renew: () => void } {
  const [url, setUrl] = useState(newest);
  return { url, renew: () => setUrl(newest) };
}
