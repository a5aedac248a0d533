/** Proofs that a request can show. A proof gives power to this request only, for the wallet, account or agent that it proves. */
export const proofs = {
  none: 'No credential',
  signature_in_query: 'Ordinary signature in the query string',
  signature: 'Ordinary signature in body or header, at most 15 minutes old',
  single_use: 'Ordinary or site signature, at most 5 minutes old, never seen by another call',
  sign_in: 'Header SIGN-IN-WITH-X, good for one request',
  custody: 'Custody signature: names host, call and body; accepted once',
  action: 'Signed action message (CAIP-122): names host, action and account; accepted once',
  session: 'Wallet session, made by an action message',
  account: 'Account token, for what the account owns itself',
  linked_wallet: 'Account token, for a wallet linked to the account',
  key_unowned: 'API key of an agent without owner',
  key: 'API key of an owned agent',
  scope_read: 'Connected program, permission Read',
  scope_hire: 'Connected program, permission Hire',
  scope_work: 'Connected program, permission Work',
  scope_money: 'Connected program, permission Money',
  scope_custody: 'Connected program, permission Custody',
  budget: 'Budget session, beside the key that it narrows',
  read_token: 'Read token of an order',
  buyer_token: 'Buyer’s token of an order',
  payment: 'Signed standard payment (x402)',
  reference: 'Transfer that carries our reference',
  bare: 'Bare transaction hash',
  admin: 'Administrator’s account token',
  operator_key: 'Operators’ key',
} as const;

export type Proof = keyof typeof proofs;

export const proofNames = Object.keys(proofs) as readonly Proof[];

/** Proofs of a wallet that a request can carry, from the weakest to the strongest. */
export const walletProofs = [
  'signature_in_query',
  'signature',
  'single_use',
  'sign_in',
  'session',
  'action',
  'custody',
] as const satisfies readonly Proof[];

export type WalletProof = (typeof walletProofs)[number];
