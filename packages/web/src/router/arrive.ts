/** After a page change, moves keyboard and screen reader to where the eye starts: the top, or the part that the link names. */
export function arriveAt(url: URL, samePage: boolean): void {
  requestAnimationFrame(() => {
    const target = url.hash === '' ? null : document.getElementById(decodeURIComponent(url.hash.slice(1)));
    if (target !== null) return target.scrollIntoView();
    if (samePage) return;
    scrollTo({ top: 0, behavior: 'instant' });
    document.getElementById('main')?.focus({ preventScroll: true });
  });
}
