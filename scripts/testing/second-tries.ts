// Decides which test files may pass at a second try.

/** Files without a second try: their rare failures mean a lost payment or a security hole, not a busy machine. */
const NO_SECOND_TRY = [
  /^test\/(?:accounts|agent-wallets|attacks|authority|bounties|earn|faults|money|orders|outgoing|payments|spending|tokens|upgrade|x402)\//,
  /^packages\/server\/src\/(?:access|features)\//,
];

/** `file` is relative to the project. Files that were cut off by a hanging one did not fail, and may always run again. */
export function maySucceedLater(file: string): boolean {
  return !NO_SECOND_TRY.some((kind) => kind.test(file));
}
