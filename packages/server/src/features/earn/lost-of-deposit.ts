/**
 * A deposit of lost books whose shares are minted only now. What they redeemed of it is taken off its shares at once; while they redeemed
 * something that neither it nor anybody explains, it is held.
 */
import { unitsOfOneShare } from '@market/contract';
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { bearRest, bookLost } from './book-lost-redeem.ts';
import type { DepositRow } from './deposit-repository.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import type { LandedRedeem } from './end-redeem.ts';
import { explainRedeem, type FoundRedeem, listFoundRedeems } from './found-redeem-repository.ts';
import { findIntent, type IntentRow } from './intent-repository.ts';
import { findLost, type LostRedeem } from './lost-names.ts';
import { readRedeemReceipt } from './vault-holder.ts';
import { bookOf, type Owner, type VaultRow } from './vault-repository.ts';
import { requireVenuePort } from './vaults.ts';

export interface RedeemOfDeposit {
  readonly found: FoundRedeem;
  readonly lost: LostRedeem;
  /** Undefined: it is booked, and only a rest is left to explain. */
  readonly landed: LandedRedeem | undefined;
}

type Context = Pick<EarnContext, 'clock' | 'events' | 'vaults' | 'chains'>;

function ownerOf({ ownerKind: kind, ownerId: id }: DepositRow): Owner {
  return { kind, id };
}

/** Redemptions that carry the name of the deposit's owner, or of the wallet that paid it. Asks the chain. */
export async function readRedeemsOf(db: Db, context: Context, vault: VaultSetting, deposit: DepositRow): Promise<RedeemOfDeposit[]> {
  const redeems: RedeemOfDeposit[] = [];
  const owners: readonly Owner[] = [ownerOf(deposit), { kind: 'wallet', id: deposit.payer }];
  for (const found of await listFoundRedeems(db, vault.key)) {
    const { chain, venues } = requireVenuePort(context, vault);
    const lost = await findLost(db, chain, vault.key, found.intentKey, owners);
    if (lost === undefined) continue;
    const { intentId } = lost;
    const { reference, units } = found;
    if ((await findIntent(db, intentId))?.state === 'confirmed') {
      redeems.push({ found, lost, landed: undefined });
      continue;
    }
    const result = await venues.readResult({ kind: 'redeem', intentId, at: vault.at, units, minAssets: 0n }, reference);
    if (result === undefined) throw new ChainUnavailable(vault.network, `the result of ${reference} cannot be read`);
    const receipt = await readRedeemReceipt(chain, { reference, assets: result.assets });
    redeems.push({ found, lost, landed: { reference, result, receipt } });
  }
  return redeems;
}

/** Rounding of two burns. */
const DUST_SHARES = 2n;

/** A redemption that may be of this deposit, and nobody knows. What is redeemed wholly under its own names cannot be anything else. */
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

/** After the mint. Redemptions that were found before the deploy was ordered here, and a deploy that was not found, have nothing to do with each other. */
export async function bearRedeems(
  tx: Tx,
  context: Context,
  vault: VaultSetting,
  { deposit, intent, wasFound }: { readonly deposit: DepositRow; readonly intent: IntentRow; readonly wasFound: boolean },
  redeems: readonly RedeemOfDeposit[],
): Promise<void> {
  if (redeems.length === 0) return;
  const { chain } = requireVenuePort(context, vault);
  const owner = ownerOf(deposit);
  const open = new Map((await listFoundRedeems(tx, vault.key)).map((found) => [found.reference, found]));
  for (const { found, lost, landed } of redeems) {
    const units = open.get(found.reference)?.units;
    // Another deposit explained it meanwhile.
    if (units === undefined || (!wasFound && found.foundAt < intent.createdAt)) continue;
    const isBooked = landed === undefined || (await findIntent(tx, lost.intentId))?.state === 'confirmed';
    let left = isBooked ? units : await bookLost(tx, context, chain, vault, { ...lost, owner }, landed);
    if (left === units) left = await bearRest(tx, vault, owner, lost.withdrawalId, units);
    await explainRedeem(tx, vault.key, found.reference, left, lost.withdrawalId);
  }
}
