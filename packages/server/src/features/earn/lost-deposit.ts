/**
 * Deposits that a restore lost and that are presented again. If lost books deployed the transfer, it stays that deposit: for another vault or
 * amount, its name is used on chain and its money has left the treasury. Units that lost books redeemed of a deposit come off its shares at
 * the mint. If nobody explains a redemption, the deposit is held.
 */
import { formatUsd, MarketError, unitsOfOneShare } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { namesOfDeploys } from '../payments/index.ts';
import { bearRest, bookLost, readLanded } from './book-lost-redeem.ts';
import type { DepositRow } from './deposit-repository.ts';
import type { EarnContext, VaultSetting, VenuePort } from './earn-context.ts';
import type { LandedRedeem } from './end-redeem.ts';
import { explainRedeem, type FoundRedeem, listFoundRedeems } from './found-redeem-repository.ts';
import { findIntent, type IntentRow, type UnbookedDeploy } from './intent-repository.ts';
import { findLost, type LostRedeem } from './lost-names.ts';
import { bookOf, type Owner, type VaultRow } from './vault-repository.ts';
import { orVenueUnavailable } from './vaults.ts';

interface Presented {
  readonly id: string;
  readonly amountMicros: bigint;
}

/** The deposit that lost books made of the transfer. */
export interface OtherDeploy {
  readonly reference: string;
  readonly amountMicros: bigint;
  /** Undefined: a vault that is not configured. */
  readonly key: string | undefined;
}

/** Undefined when lost books deployed exactly this deposit. Asks the chain. */
export async function findOtherDeploy(
  { vaults }: Pick<EarnContext, 'vaults'>,
  vault: VenuePort,
  { id, amountMicros }: Presented,
  deployed: UnbookedDeploy,
): Promise<OtherDeploy | undefined> {
  const intentId = namesOfDeploys(id).find((name) => vault.chain.intentKey(name) === deployed.intentKey);
  if (intentId === undefined) return undefined;
  const isOf = async ({ at }: VaultSetting) => {
    const call = { kind: 'deposit', intentId, at, assets: deployed.amountMicros, minUnits: 0n } as const;
    return (await vault.venues.readResult(call, deployed.reference)) !== undefined;
  };
  if (deployed.amountMicros === amountMicros && (await isOf(vault))) return undefined;
  for (const other of vaults.values()) if (other.network === vault.network && (await isOf(other))) return { ...deployed, key: other.key };
  return { ...deployed, key: undefined };
}

export function describeOther({ amountMicros, key, reference }: OtherDeploy): string {
  const into = key === undefined ? 'a vault that is not configured' : key;
  return `Before the marketplace was restored, this transfer became a deposit of ${formatUsd(amountMicros)} USDC into ${into} (${reference}).`;
}

/** Before the transfer is used up. */
export async function refuseOtherDeploy(
  context: Pick<EarnContext, 'vaults'>,
  vault: VenuePort,
  deposit: Presented,
  deployed: UnbookedDeploy,
): Promise<void> {
  const other = await orVenueUnavailable(findOtherDeploy(context, vault, deposit, deployed));
  if (other === undefined) return;
  const data = { deposit_id: deposit.id, key: other.key ?? null, amount_usd: formatUsd(other.amountMicros) };
  const next = other.key === undefined ? 'An operator can look into it.' : 'Register it with these values.';
  throw new MarketError('earn_deposit_differs', { message: `${describeOther(other)} ${next}`, data });
}

export interface RedeemOfDeposit {
  readonly found: FoundRedeem;
  readonly lost: LostRedeem;
  /** Undefined: booked already; only a rest is unexplained. */
  readonly landed: LandedRedeem | undefined;
}

function ownerOf({ ownerKind: kind, ownerId: id }: DepositRow): Owner {
  return { kind, id };
}

/** Found redemptions named after the deposit's owner, or after the wallet that paid it. Asks the chain. */
export async function readRedeemsOf(
  { database: { db } }: Pick<EarnContext, 'database'>,
  vault: VenuePort,
  deposit: DepositRow,
  foundRedeems: readonly FoundRedeem[],
): Promise<RedeemOfDeposit[]> {
  const redeems: RedeemOfDeposit[] = [];
  const owners: readonly Owner[] = [ownerOf(deposit), { kind: 'wallet', id: deposit.payer }];
  for (const found of foundRedeems) {
    const lost = await findLost(db, vault.chain, vault.key, found.intentKey, owners);
    if (lost === undefined) continue;
    const isBooked = (await findIntent(db, lost.intentId))?.state === 'confirmed';
    redeems.push({ found, lost, landed: isBooked ? undefined : await readLanded(vault, lost.intentId, found) });
  }
  return redeems;
}

/** Two burns round by at most one share each. */
const DUST_SHARES = 2n;

/** A redemption that may have taken units of this deposit. Undefined when redemptions under its own names took all of them. */
export async function findUnexplained(
  tx: Tx,
  vault: VaultRow,
  units: bigint,
  ofDeposit: readonly RedeemOfDeposit[],
): Promise<FoundRedeem | undefined> {
  const own = new Set(ofDeposit.map(({ found }) => found.reference));
  const open = await listFoundRedeems(tx, vault.key);
  const redeemed = open.filter(({ reference }) => own.has(reference)).reduce((sum, found) => sum + found.units, 0n);
  if (redeemed + DUST_SHARES * unitsOfOneShare(bookOf(vault)) >= units) return undefined;
  return open.find(({ reference }) => !own.has(reference));
}

/** After the mint: takes redeemed units off the new shares. A deploy of these books ignores redemptions found before it was requested. */
export async function bearRedeems(
  tx: Tx,
  context: Pick<EarnContext, 'clock' | 'events' | 'vaults'>,
  vault: VenuePort,
  { deposit, intent, wasFound }: { readonly deposit: DepositRow; readonly intent: IntentRow; readonly wasFound: boolean },
  redeems: readonly RedeemOfDeposit[],
): Promise<void> {
  if (redeems.length === 0) return;
  const owner = ownerOf(deposit);
  const open = new Map((await listFoundRedeems(tx, vault.key)).map((found) => [found.reference, found]));
  for (const { found, lost, landed } of redeems) {
    const units = open.get(found.reference)?.units;
    // Explained by another deposit meanwhile, or older than this deploy.
    if (units === undefined || (!wasFound && found.foundAt < intent.createdAt)) continue;
    const isBooked = landed === undefined || (await findIntent(tx, lost.intentId))?.state === 'confirmed';
    let left = isBooked ? units : await bookLost(tx, context, vault, { ...lost, owner }, landed);
    if (left === units) left = await bearRest(tx, vault, owner, lost.withdrawalId, units);
    await explainRedeem(tx, vault.key, found.reference, left, lost.withdrawalId);
  }
}
