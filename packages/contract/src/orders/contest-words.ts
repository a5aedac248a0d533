/** Sentences about the contest window of an order: one per side, for pages and tools. */
export function contestSentence(side: 'buyer' | 'seller' | 'admin', until: string): string {
  const held = `This order was paid with a bare transfer reference, so the payout waits until ${until}.`;
  if (side === 'buyer')
    return `${held} Its results are withheld from you until then. Sign with the wallet that paid to read them; sign any action on this order with it to release it at once.`;
  if (side === 'seller')
    return `${held} Until then the wallet that paid can claim its transfer for another request, which cancels this order.`;
  return `${held} Until then the wallet that paid can claim its transfer for another request.`;
}

/** Tells a buyer why the results stay withheld after the payer claimed the transfer for another request. */
export const takenBackHint =
  'The wallet that paid claimed its transfer for another request, so nobody paid for the results. They stay with the provider.';

/** Tells the buyer how to read withheld results at once. */
export function withheldHint(payer: string, until: string): string {
  return `The results are withheld until ${until}, because the payment can be contested. To read them at once, POST /api/orders/{id}/confirm-payment with a signature of ${payer}, the wallet that paid: the headers X-Market-Wallet, X-Market-Wallet-Sig and X-Market-Wallet-Sig-Ts over the text market:<wallet>:<milliseconds>.`;
}
