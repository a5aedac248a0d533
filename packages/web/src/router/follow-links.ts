/** Turns clicks on links within the site into navigation. All other behaviour of links stays the browser's. */
import { matchRoute } from './match-route.ts';

export function followLinks(navigate: (to: string) => void): () => void {
  const onClick = (event: MouseEvent) => {
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = plain && !event.defaultPrevented && event.target instanceof Element ? event.target.closest('a') : null;
    const to = link === null ? undefined : addressWithinSite(link);
    if (to === undefined) return;
    event.preventDefault();
    navigate(to);
  };
  document.addEventListener('click', onClick);
  return () => document.removeEventListener('click', onClick);
}

function addressWithinSite(link: HTMLAnchorElement): string | undefined {
  const url = new URL(link.href, location.href);
  const leaves = url.origin !== location.origin || link.target !== '' || link.hasAttribute('download');
  const jumps = url.pathname === location.pathname && url.search === location.search && url.hash !== '';
  const route = leaves || jumps ? undefined : matchRoute(url.pathname)?.route;
  return route === undefined || route.reload === true ? undefined : `${url.pathname}${url.search}${url.hash}`;
}
