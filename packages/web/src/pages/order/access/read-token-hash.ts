/** The read token of an order in `#token=…`; undefined for anything else. A token that acts (`buyer_…`) belongs in no address. */
export function readTokenHash(hash: string): string | undefined {
  const token = new URLSearchParams(hash.replace(/^#/, '')).get('token');
  return token !== null && /^order_[\w-]{10,200}$/.test(token) ? token : undefined;
}
