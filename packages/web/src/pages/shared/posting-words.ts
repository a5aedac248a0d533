/** Labels of postings and accounts, for the receipt. Others appear under their technical name. */
export const postingWords: Readonly<Record<'kinds' | 'accounts', Readonly<Record<string, string>>>> = {
  kinds: {
    payment_claimed: 'Payment counted for this order',
    escrow_released: 'Released',
    escrow_refunded: 'Refunded',
    escrow_split: 'Split by ruling',
    payout_reserved: 'Transfer prepared',
    payout_confirmed: 'Transfer arrived',
  },
  accounts: {
    unmatched: 'received',
    escrow: 'held',
    agent_payable: 'owed to the provider',
    platform_fee: 'fee',
    refund_payable: 'owed to the buyer',
    surplus_payable: 'paid too much',
    in_flight: 'on its way',
    treasury: 'market wallet',
  },
};
