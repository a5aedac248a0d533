/** Vaults as the API shows them: live, or as last seen when a venue cannot be read. */
import {
  earnLimits,
  earnProducts,
  isFresh,
  networkFacts,
  notDepositableReasons,
  type OperationAnswer,
  type Operations,
  toWireTime,
} from '@market/contract';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { findNotDepositableReason } from './judge-deposit.ts';
import { listLatestSamples, type SampleRow } from './sample-repository.ts';
import { readRate } from './sample-venues.ts';
import { sharePriceOf, valueOfUnits } from './share-price.ts';
import { bookOf, listVaults, type VaultRow } from './vault-repository.ts';
import { readVenue } from './vaults.ts';
import { countWaiting } from './withdrawal-repository.ts';

type Markets = OperationAnswer<Operations['earn']['markets']>['data'];
export type PoolMarket = Markets['markets'][number];
export type Product = Markets['products'][number];
type LendingMarket = Exclude<Product['markets'][number], PoolMarket>;

/** A venue as read now, or as its last sample. */
export interface SeenVenue {
  readonly isStale: boolean;
  readonly readAt: Date | null;
  readonly pricePerUnit: bigint;
  readonly unitDecimals: number;
  readonly totalAssets: bigint;
  readonly totalUnits: bigint;
  readonly freeAssets: bigint;
  readonly depositableAssets: bigint;
  readonly paused: boolean;
  readonly aprPct: number | null;
}

export interface SeenVault {
  readonly setting: VaultSetting;
  readonly vault: VaultRow;
  /** Undefined when the venue was never read. */
  readonly venue: SeenVenue | undefined;
  readonly waiting: number;
}

/** All vaults, each venue read at most once. A venue that cannot be read has its last sample. */
export async function seeVaults(context: EarnContext): Promise<readonly SeenVault[]> {
  const { db } = context.database;
  const [rows, waiting] = [await listVaults(db), await countWaiting(db)];
  let samples: Promise<ReadonlyMap<string, SampleRow>> | undefined;
  const lastSample = async (key: string) => {
    samples ??= listLatestSamples(db);
    return (await samples).get(key);
  };
  return await Promise.all(
    [...context.vaults.values()].flatMap((setting) => {
      const vault = rows.find(({ key }) => key === setting.key);
      if (vault === undefined) return [];
      return [
        see(context, setting, () => lastSample(setting.key)).then((venue) => ({
          setting,
          vault,
          venue,
          waiting: waiting.get(setting.key) ?? 0,
        })),
      ];
    }),
  );
}

async function see(
  context: EarnContext,
  setting: VaultSetting,
  lastSample: () => Promise<SampleRow | undefined>,
): Promise<SeenVenue | undefined> {
  try {
    const reading = await readVenue(context, setting);
    return { ...reading, isStale: false, aprPct: await readRate(context, setting, reading) };
  } catch (error) {
    context.log.warn({ err: error, vault: setting.key }, 'a venue cannot be read; its last sample is shown');
    const sample = await lastSample();
    return sample && { ...sample, isStale: true, readAt: sample.at, depositableAssets: 0n };
  }
}

function presentCommon(context: EarnContext, seen: SeenVault) {
  const { setting, vault, venue } = seen;
  const book = bookOf(vault);
  const reason = findNotDepositableReason(vault, venue);
  const value = (units: bigint) => String(venue === undefined ? 0n : valueOfUnits(units, venue));
  return {
    venue: setting.venue,
    market: setting.market,
    key: setting.key,
    label: setting.label,
    strategy: setting.strategy,
    network: setting.network,
    payment_chain: networkFacts[setting.network].chain,
    treasury_wallet: context.chains.get(setting.network)?.treasury ?? '',
    total_usdc_micro: String(venue?.totalAssets ?? 0n),
    available_usdc_micro: String(venue?.freeAssets ?? 0n),
    paused: venue?.paused ?? true,
    depositable: reason === null,
    not_depositable_reason: reason === null ? null : notDepositableReasons[reason],
    min_deposit_usd: isFresh(book) ? earnLimits.firstDepositUsd : earnLimits.leastDepositUsd,
    share_price: formatNano(venue === undefined ? 10n ** 9n : sharePriceOf(book, venue)),
    pool_value_micro: value(vault.totalUnits),
    unvested_micro: value(vault.unvestedUnits),
    queue: { waiting: seen.waiting, owed_micro: value(vault.queuedUnits) },
    stale: venue?.isStale ?? true,
    read_at: venue?.readAt == null ? null : toWireTime(venue.readAt),
  };
}

function presentLending(context: EarnContext, seen: SeenVault): LendingMarket {
  return { ...presentCommon(context, seen), apr_pct: seen.venue?.aprPct ?? null };
}

export function presentPool(context: EarnContext, seen: SeenVault): PoolMarket {
  const common = presentCommon(context, seen);
  return {
    ...common,
    escrowed_usdc_micro: '0',
    reserved_usdc_micro: '0',
    queue_total_owed_micro: common.queue.owed_micro,
    lp_supply: String(seen.venue?.totalUnits ?? 0n),
    stressed: seen.waiting > 0,
    fee_apr_pct: seen.venue?.aprPct ?? null,
  };
}

/** Lower risk first. */
export function presentProducts(context: EarnContext, seen: readonly SeenVault[]): Product[] {
  return (['lending', 'liquidity_provision'] as const).flatMap((strategy) => {
    const own = seen.filter(({ setting }) => setting.strategy === strategy);
    if (own.length === 0) return [];
    const { label, risk, aprLabel, riskText } = earnProducts[strategy];
    const rates = own.flatMap(({ venue }) => venue?.aprPct ?? []);
    return [
      {
        ...{ id: strategy, kind: strategy, label, risk, risk_text: riskText, apr_label: aprLabel },
        headline_apr_pct: rates.length === 0 ? null : Math.max(...rates),
        total_tvl_micro: String(own.reduce((sum, { venue }) => sum + (venue?.totalAssets ?? 0n), 0n)),
        markets: own.map((one) => (strategy === 'lending' ? presentLending(context, one) : presentPool(context, one))),
      },
    ];
  });
}

const NANO_DECIMALS = 9;

export function formatNano(nano: bigint): string {
  const digits = nano.toString().padStart(NANO_DECIMALS + 1, '0');
  return `${digits.slice(0, -NANO_DECIMALS)}.${digits.slice(-NANO_DECIMALS)}`;
}
