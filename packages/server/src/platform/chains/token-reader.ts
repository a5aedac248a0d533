/** Reads tokens. Only Solana has it. Every call may throw `ChainUnavailable`. */

export interface TokenReader {
  /** Undefined when there is no mint of a token program at this address. */
  readMint(mint: string): Promise<MintFacts | undefined>;
  /** How a transaction mentions a mint. */
  readMention(reference: string, mint: string): Promise<MintMention>;
}

export interface MintFacts {
  readonly program: 'token' | 'token-2022';
  readonly decimals: number;
  /** In the smallest unit. */
  readonly supply: bigint;
  /** The key that may mint more; null if nobody may. */
  readonly mintAuthority: string | null;
  /** The key that may change name and picture, by the mint's own metadata or Metaplex's. */
  readonly metadataAuthority: string | null;
  /** Name and symbol by the same metadata; null without metadata. */
  readonly names: MintNames | null;
  /** The creator that the launch program recorded (pump.fun's bonding curve); null for tokens made elsewhere. */
  readonly creator: string | null;
}

export interface MintNames {
  /** Padding removed; empty if the metadata has no name. */
  readonly name: string;
  readonly symbol: string;
}

export type MintMention =
  | { readonly state: 'missing' }
  | { readonly state: 'failed' }
  | {
      readonly state: 'landed';
      readonly mentionsMint: boolean;
      /** The transaction created the mint's account. */
      readonly createdMint: boolean;
      readonly signers: readonly string[];
    };
