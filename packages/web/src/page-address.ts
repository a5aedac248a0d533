/** The URL of a page without the parameters that the page ignores. Finished pages are kept under it, and rendered from it. */
import { matchRoute } from './router/match-route.ts';

/** `url` is path and query. URLs of anything but a page are returned unchanged. */
export function pageAddress(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const path = url.slice(0, at);
  const route = matchRoute(path)?.route;
  if (route === undefined) return url;
  const given = new URLSearchParams(url.slice(at + 1));
  const read = new URLSearchParams();
  for (const name of route.reads ?? []) if (given.has(name)) read.set(name, given.get(name) ?? '');
  return read.size === 0 ? path : `${path}?${read}`;
}
