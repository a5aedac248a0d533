/** The contest window of an order in plain words: one sentence per side, for pages and tools alike. */
export function contestSentence(side: 'buyer' | 'seller' | 'admin', until: string): string {
  const held = `This order was paid with a bare transfer reference, so the payout waits until ${until}.`;
  if (side === 'buyer') return `${held} Sign any action on this order with the wallet that paid to release it at once.`;
  if (side === 'seller')
    return `${held} Until then the wallet that paid can claim its transfer for another request, which cancels this order.`;
  return `${held} Until then the wallet that paid can claim its transfer for another request.`;
}
