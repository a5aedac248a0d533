/**
 * A transfer whose USDC lost books brought into a venue is that deposit for ever. Presented for another vault or amount it could never be
 * deployed: its name is used up on chain, and its money is gone from the treasury.
 */
import { formatUsd, MarketError } from '@market/contract';
import { namesOfDeploys } from '../payments/index.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { findUnbookedDeploy } from './intent-repository.ts';
import { requireVenuePort } from './vaults.ts';

type Context = Pick<EarnContext, 'database' | 'chains' | 'vaults'>;

export interface PresentedDeposit {
  readonly id: string;
  readonly amountMicros: bigint;
}

/** What lost books made of the transfer. */
export interface OtherDeploy {
  readonly reference: string;
  readonly amountMicros: bigint;
  /** Undefined: no vault of these settings. */
  readonly key: string | undefined;
}

/** Undefined when lost books deployed nothing of it, or just this. Asks the chain. */
export async function findOtherDeploy(
  context: Context,
  vault: VaultSetting,
  { id, amountMicros }: PresentedDeposit,
): Promise<OtherDeploy | undefined> {
  const { chain, venues } = requireVenuePort(context, vault);
  const names = new Map(namesOfDeploys(id).map((name) => [chain.intentKey(name), name]));
  const found = await findUnbookedDeploy(context.database.db, [...names.keys()]);
  const intentId = names.get(found?.intentKey ?? '');
  if (found === undefined || intentId === undefined) return undefined;
  const isOf = async ({ at }: VaultSetting) =>
    (await venues.readResult({ kind: 'deposit', intentId, at, assets: found.amountMicros, minUnits: 0n }, found.reference)) !== undefined;
  if (found.amountMicros === amountMicros && (await isOf(vault))) return undefined;
  for (const other of context.vaults) if (other.network === vault.network && (await isOf(other))) return { ...found, key: other.key };
  return { ...found, key: undefined };
}

export function describeOther({ amountMicros, key, reference }: OtherDeploy): string {
  const into = key === undefined ? 'a vault that is not configured' : key;
  return `Before the marketplace was restored, this transfer became a deposit of ${formatUsd(amountMicros)} USDC into ${into} (${reference}).`;
}

/** Before anything is used up. */
export async function refuseOtherDeploy(context: Context, vault: VaultSetting, deposit: PresentedDeposit): Promise<void> {
  const other = await findOtherDeploy(context, vault, deposit);
  if (other === undefined) return;
  const data = { deposit_id: deposit.id, key: other.key ?? null, amount_usd: formatUsd(other.amountMicros) };
  const next = other.key === undefined ? 'An operator can look into it.' : 'Register it with these values.';
  throw new MarketError('earn_deposit_differs', { message: `${describeOther(other)} ${next}`, data });
}
