/** The port of a venue that swaps USDC into SOL on Solana. Deployments choose the adapter; the sandbox has one of its own. */

export interface SwapRequest {
  readonly amountMicros: bigint;
  /** Pays the USDC and signs. */
  readonly taker: string;
  readonly receiver: string;
}

export interface VenueQuote {
  /** The venue's name for it. */
  readonly request: string;
  /** Base64, for the taker to sign. */
  readonly transaction: string;
  readonly outLamports: bigint;
  /** Arrive at least. */
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
  /** By which it was on chain before; null when it was never sent, as far as is known. */
  readonly signature: string | null;
}

/** What our own node shows of a swap: `landed` may still be undone by a reorganisation. */
export type SwapLanding = 'final' | 'landed' | 'failed' | 'missing';

export type ReadLanding = (signature: string) => Promise<SwapLanding>;

export type SwapOutcome =
  | { readonly state: 'done'; readonly signature: string }
  /** Sent; whether it lands is not known yet. Executing it again sends the same. */
  | { readonly state: 'open'; readonly signature: string | null }
  /** It did nothing and never will. */
  | { readonly state: 'failed'; readonly signature: string | null; readonly reason: string };

export interface SwapVenue {
  quote(request: SwapRequest): Promise<VenueQuote>;
  /** The same swap any number of times swaps at most once. */
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
