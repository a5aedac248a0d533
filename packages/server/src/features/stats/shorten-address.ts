/** Shortens an address: enough to recognise your own, not enough to find another person's. */
export function shortenAddress(address: string): string {
  return address.length <= 11 ? address : `${address.slice(0, 4)}...${address.slice(-4)}`;
}
