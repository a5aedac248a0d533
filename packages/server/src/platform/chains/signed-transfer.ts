/** Signed bytes, and their possible outcomes. */

/** `seen`: in a block; `confirmed`: safe from everyday reorganisations; `final`: irreversible. */
export type Finality = 'seen' | 'confirmed' | 'final';

export interface SignedTransfer {
  /** Transaction reference the bytes will have when they land. */
  readonly reference: string;
  /** The bytes to broadcast, in base64. */
  readonly bytes: string;
  /** The limit of the bytes: Solana's last valid block height; on EVM the account nonce they use. */
  readonly validity: string;
  /** Rent that the treasury pays for the destination's token account, in lamports. */
  readonly rentLamports?: bigint;
}

export type TransferOutcome =
  /** Sent or not, the transfer may still land. */
  | { readonly state: 'open' }
  | { readonly state: 'landed'; readonly reference: string; readonly finality: Finality }
  /** These bytes have not landed and can never land: it is safe to sign again. */
  | { readonly state: 'expired' }
  /** The transfer landed and failed; the reason is for people. */
  | { readonly state: 'failed'; readonly reason: string };
