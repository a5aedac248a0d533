/** Signed bytes, and what became of them. */

/** `seen` in a block, `confirmed` against everyday reorganisations, `final` for good. */
export type Finality = 'seen' | 'confirmed' | 'final';

export interface SignedTransfer {
  /** Transaction reference the bytes will have when they land. */
  readonly reference: string;
  /** Base64 of what is broadcast. */
  readonly bytes: string;
  /** When the bytes can no longer land: Solana's last valid block height; on EVM the account nonce they use. */
  readonly validity: string;
  /** Rent that the treasury pays for the destination's token account, in lamports. */
  readonly rentLamports?: bigint;
}

export type TransferOutcome =
  /** Sent or not, it may still land. */
  | { readonly state: 'open' }
  | { readonly state: 'landed'; readonly reference: string; readonly finality: Finality }
  /** These bytes can never land any more and have not: it is safe to sign anew. */
  | { readonly state: 'expired' }
  /** It landed and failed; the reason is for people. */
  | { readonly state: 'failed'; readonly reason: string };
