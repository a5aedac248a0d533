// Which test files may pass at a second try.

/** A rare failure in these is a lost payment or an open door, not a slow neighbour. */
const NO_SECOND_TRY = [
  /^test\/(?:agent-wallets|attacks|authority|bounties|closing|earn|faults|fees|launches|money|orders|outflow|outgoing|payments|spending|swap|tokens|upgrade|wallets|x402)\//,
  /^packages\/server\/src\/(?:access|features)\//,
];

/** `file` is relative to the project. A file that a hanging neighbour cut off did not fail: it may always run again. */
export function maySucceedLater(file: string): boolean {
  return !NO_SECOND_TRY.some((kind) => kind.test(file));
}
