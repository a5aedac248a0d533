/** The address of a page without what the page does not read: its name in the memory of finished pages, and what it is made from. */
import { matchRoute } from './router/match-route.ts';

/** `url` is path and query. The address of anything but a page stays as it is. */
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
