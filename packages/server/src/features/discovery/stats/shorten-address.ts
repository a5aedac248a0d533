/** Shortens an address, so that people recognise their own and cannot find another person's. */
export function shortenAddress(address: string): string {
  return address.length <= 11 ? address : `${address.slice(0, 4)}...${address.slice(-4)}`;
}
