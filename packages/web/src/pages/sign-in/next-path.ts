/** The path to open after sign-in: always on this site, never on another one. */
export function safeNext(next: string | null, origin: string): string {
  if (next === null || !next.startsWith('/')) return '/';
  const url = URL.parse(next, origin);
  if (url === null || url.origin !== origin || url.pathname === '/sign-in') return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
