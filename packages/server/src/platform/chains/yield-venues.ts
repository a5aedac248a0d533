/**
 * Vaults in which the treasury's USDC can earn. Only EVM networks have them. Every call may throw `ChainUnavailable`; it never means that a
 * call was not sent. Money moves through our router contract, which carries out each intent at most once.
 */
import type { SignedTransfer, TransferOutcome } from './signed-transfer.ts';

export interface VenueAddress {
  /** The ERC-4626 contract; for Aave its wrapper. */
  readonly venue: string;
  readonly router: string;
  readonly adapter: 'erc4626' | 'aave_v3' | 'liquidity_pool';
  /** Aave's Pool. */
  readonly pool?: string;
}

/** The figures of one vault at one block. */
export interface VenueReading {
  readonly unitDecimals: number;
  /** USDC of the whole venue, in micro-USDC. */
  readonly totalAssets: bigint;
  /** Units in circulation. */
  readonly totalUnits: bigint;
  /** micro-USDC × 10^12 per whole unit, which is 10^`unitDecimals`. Rounded down. */
  readonly pricePerUnit: bigint;
  /** USDC that the venue can pay out now, to all holders together. */
  readonly freeAssets: bigint;
  /** Units that the treasury holds. */
  readonly heldUnits: bigint;
  /** Units that the treasury can redeem now; slightly less than all of them where the venue's cash is the limit. */
  readonly redeemableUnits: bigint;
  /** USDC that the treasury can deposit now; 0 when paused. */
  readonly depositableAssets: bigint;
  readonly paused: boolean;
  /** The rate that the venue states; null when only price samples show it. */
  readonly supplyAprPct: number | null;
  /** The yearly rate by the providers' 60% of the last 24 hours' fees; null when the venue states no fees. */
  readonly feeAprPct: number | null;
  readonly blockNumber: bigint;
}

/** A call of the treasury to a venue. The intent's id is its permanent name; the same call always does the same. */
export type VenueCall =
  | {
      readonly kind: 'deposit';
      readonly intentId: string;
      readonly at: VenueAddress;
      readonly assets: bigint;
      readonly minUnits: bigint;
    }
  | {
      readonly kind: 'redeem';
      readonly intentId: string;
      readonly at: VenueAddress;
      readonly units: bigint;
      readonly minAssets: bigint;
    }
  /** Lets the router redeem units of this venue for the treasury. */
  | { readonly kind: 'allow'; readonly intentId: string; readonly at: VenueAddress };

/** A deposit or redemption, and the router that carries it out. */
export interface RoutedIntent {
  readonly intentId: string;
  readonly router: string;
}

export interface HeldUnits {
  readonly heldUnits: bigint;
  /** By the id of the intent; intents that nobody carried out are missing. */
  readonly moved: ReadonlyMap<string, VenueResult>;
}

export interface YieldVenues {
  /** Why the venue cannot be used, for operators; undefined if it can. */
  check(at: VenueAddress): Promise<string | undefined>;
  read(at: VenueAddress): Promise<VenueReading>;
  /** Units that the treasury holds, and the results of these calls at the same block. */
  readHeld(at: VenueAddress, calls: readonly RoutedIntent[]): Promise<HeldUnits>;
  /** Units for these assets. Throws `TransferRefused('venue')` when the venue refuses. */
  previewDeposit(at: VenueAddress, assets: bigint): Promise<bigint>;
  /** USDC that the venue pays for these units, after its exit fee. Throws `TransferRefused('venue')` when it does not say. */
  previewRedeem(at: VenueAddress, units: bigint): Promise<bigint>;
  /** The value of these units in micro-USDC, before fees. */
  valueOf(at: VenueAddress, units: bigint): Promise<bigint>;
  /** Units the router may redeem for the treasury. */
  readAllowance(at: VenueAddress): Promise<bigint>;
  /** As `Chain.signTransfer`: sends nothing. Throws `TransferRefused('venue')` when the venue would refuse. */
  sign(call: VenueCall): Promise<SignedTransfer>;
  /** As `Chain.replaceTransfer`. */
  replace(call: VenueCall, stuck: SignedTransfer): Promise<SignedTransfer | undefined>;
  readOutcome(call: VenueCall, signed: SignedTransfer): Promise<TransferOutcome>;
  /** Amounts that a confirmed call moved, by the router's event and by its storage. Undefined if the two differ. */
  readResult(call: VenueCall, reference: string): Promise<VenueResult | undefined>;
  /**
   * Units that left this venue for the treasury after `cursor`, up to the newest block, except the references that `findKnown` returns. A
   * null cursor finds nothing and returns where to begin.
   */
  listRedeemed(
    at: VenueAddress,
    cursor: string | null,
    findKnown: (references: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<RedeemedPage>;
}

/** A redemption as the chain shows it. */
export interface SeenRedeem extends VenueResult {
  readonly reference: string;
  /** See `Chain.intentKey`. */
  readonly intentKey: string;
}

export interface RedeemedPage {
  readonly redeemed: readonly SeenRedeem[];
  readonly cursor: string;
}

export interface VenueResult {
  readonly assets: bigint;
  readonly units: bigint;
}
