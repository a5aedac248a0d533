/** The read token of an order in `#token=…`; undefined for other fragments. A token that acts (`buyer_…`) must not be in a URL. */
export function readTokenHash(hash: string): string | undefined {
  const token = new URLSearchParams(hash.replace(/^#/, '')).get('token');
  return token !== null && /^order_[\w-]{10,200}$/.test(token) ? token : undefined;
}
