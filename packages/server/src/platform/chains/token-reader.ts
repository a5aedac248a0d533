/** The questions about tokens that a chain answers. Only Solana has them. Every call may throw `ChainUnavailable`. */

export interface TokenReader {
  /** Undefined when there is no mint of a token program at this address. */
  readMint(mint: string): Promise<MintFacts | undefined>;
  /** How a transaction relates to a mint. */
  readMention(reference: string, mint: string): Promise<MintMention>;
}

export interface MintFacts {
  readonly program: 'token' | 'token-2022';
  readonly decimals: number;
  /** In the smallest unit. */
  readonly supply: bigint;
  /** The key that may mint more; null when nobody may. */
  readonly mintAuthority: string | null;
  /** The key that may change name and picture, from the mint's own metadata or Metaplex's. */
  readonly metadataAuthority: string | null;
  /** From the same metadata; null for a mint without any. */
  readonly names: MintNames | null;
  /** As the launch program recorded it (pump.fun's bonding curve); null for tokens made elsewhere. */
  readonly creator: string | null;
}

export interface MintNames {
  /** Without padding; empty where the metadata leaves it out. */
  readonly name: string;
  readonly symbol: string;
}

export type MintMention =
  | { readonly state: 'missing' }
  | { readonly state: 'failed' }
  | {
      readonly state: 'landed';
      readonly mentionsMint: boolean;
      /** The mint's account came into being in this transaction. */
      readonly createdMint: boolean;
      readonly signers: readonly string[];
    };
