/** The port of a venue that swaps USDC into SOL on Solana. Deployments choose the adapter; the sandbox has its own. */

export interface SwapRequest {
  readonly amountMicros: bigint;
  /** The wallet that pays the USDC and signs. */
  readonly taker: string;
  readonly receiver: string;
}

export interface VenueQuote {
  /** The venue's id of the quote. */
  readonly request: string;
  /** Base64, for the taker to sign. */
  readonly transaction: string;
  readonly outLamports: bigint;
  /** The receiver gets at least this. */
  readonly leastLamports: bigint;
  readonly slippageBps: number;
  readonly validSeconds: number;
}

export interface SignedSwap extends SwapRequest {
  readonly request: string;
  readonly outLamports: bigint;
  readonly leastLamports: bigint;
  /** Base64 with the taker's signature. */
  readonly transaction: string;
  /** The signature under which the swap was on chain before; null if it was never sent, as far as known. */
  readonly signature: string | null;
}

/** The state of a swap by our own node: a reorganisation may still revert `landed`. */
export type SwapLanding = 'final' | 'landed' | 'failed' | 'missing';

export type ReadLanding = (signature: string) => Promise<SwapLanding>;

export type SwapOutcome =
  | { readonly state: 'done'; readonly signature: string }
  /** The swap was sent; whether it lands is unknown yet. Executing it again sends the same bytes. */
  | { readonly state: 'open'; readonly signature: string | null }
  /** The swap had no effect and never will. */
  | { readonly state: 'failed'; readonly signature: string | null; readonly reason: string };

export interface SwapVenue {
  quote(request: SwapRequest): Promise<VenueQuote>;
  /** Repeating the same swap swaps at most once. */
  execute(swap: SignedSwap): Promise<SwapOutcome>;
}

export class VenueRefusal extends Error {
  readonly code: 'swap_venue_failed' | 'swap_slippage' | 'swap_too_small' | 'swap_price_moved';

  constructor(code: VenueRefusal['code'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'VenueRefusal';
    this.code = code;
  }
}

export const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const SOL_MINT = 'So11111111111111111111111111111111111111112';
