/** Enough of an address to recognise one's own, not enough to find somebody else's. */
export function shortenAddress(address: string): string {
  return address.length <= 11 ? address : `${address.slice(0, 4)}...${address.slice(-4)}`;
}
