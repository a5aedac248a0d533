/**
 * Books a redemption that a restore lost, for the owner it was made for. The chain counts, whatever was requested here meanwhile. The units
 * come from the withdrawal of that name, then from further shares of the owner, then from the owner's other withdrawals in the queue.
 */
import { openWithdrawalStatuses, principalOf, unitsFor, withoutUnheld } from '@market/contract';
import { type Chain, ChainUnavailable, type Receipt } from '../../platform/chains/chain.ts';
import type { VenueResult } from '../../platform/chains/yield-venues.ts';
import type { Tx } from '../../platform/db/database.ts';
import { smaller } from '../../platform/larger-and-smaller.ts';
import { findUnbookedDestination, payoutIdFor } from '../payouts/index.ts';
import { findLastPayer } from './deposit-repository.ts';
import type { EarnContext, VenuePort } from './earn-context.ts';
import { bookPart, type LandedRedeem, settleIfPaid } from './end-redeem.ts';
import { explainRedeem, type FoundRedeem, listFoundRedeems } from './found-redeem-repository.ts';
import { dropUnsignedIntent, findIntent, findOpenIntent, insertFoundIntent } from './intent-repository.ts';
import { findPartsOf, type LostRedeem } from './lost-names.ts';
import { bookOf, findPosition, insertEarnMovement, lockVault, type Owner, reducePosition, writeBook } from './vault-repository.ts';
import {
  addBurned,
  findWithdrawal,
  insertWithdrawal,
  lockQueueOf,
  moveWithdrawal,
  spreadOver,
  type WithdrawalRow,
} from './withdrawal-repository.ts';

type Context = Pick<EarnContext, 'clock' | 'events' | 'vaults'>;

export interface LostOf extends LostRedeem {
  /** Loses the units: the owner in the name, or the owner of the redeemed deposit. */
  readonly owner: Owner;
}

/** Reads the redemption of this name from the chain. */
export async function readLanded(
  { chain, venues, at, network }: VenuePort,
  intentId: string,
  { reference, units }: FoundRedeem,
): Promise<LandedRedeem> {
  const result = await venues.readResult({ kind: 'redeem', intentId, at, units, minAssets: 0n }, reference);
  if (result === undefined) throw new ChainUnavailable(network, `the result of ${reference} cannot be read`);
  return { reference, result, receipt: await readRedeemReceipt(chain, reference, result) };
}

/** Undefined when the units were worth nothing. */
export async function readRedeemReceipt(chain: Chain, reference: string, { assets }: VenueResult): Promise<Receipt | undefined> {
  if (assets === 0n) return undefined;
  const reading = await chain.readReceipt(reference, { notesKnown: true });
  if (reading.state !== 'landed') throw new ChainUnavailable(chain.network, `${reference} is listed but not shown`);
  return reading.receipt;
}

/**
 * Books lost redemptions of queued withdrawals. `market reconcile` left them out while another call was under way for the withdrawal. That call
 * has ended, and a new one would take the units of others. True: something was booked, so the queue changed. Asks the chain.
 */
export async function bookFoundParts(
  context: Context & Pick<EarnContext, 'database' | 'log'>,
  vault: VenuePort,
  queue: readonly WithdrawalRow[],
): Promise<boolean> {
  const { database, log } = context;
  const queued = queue.filter(({ status }) => status === 'queued');
  let hasBooked = false;
  for (const { found, withdrawal, intentId } of await findPartsOf(database.db, vault.chain, vault.key, queued)) {
    // Booked already; only a rest of its units is unexplained.
    if ((await findIntent(database.db, intentId))?.state === 'confirmed') continue;
    const { reference } = found;
    const { id: withdrawalId, ownerKind: kind, ownerId: id } = withdrawal;
    const landed = await readLanded(vault, intentId, found);
    const lost = { named: { kind, id }, owner: { kind, id }, withdrawalId, intentId };
    const isBooked = await database.transaction(async (tx) => {
      await lockVault(tx, vault.key);
      const isOpen = (await listFoundRedeems(tx, vault.key)).some((row) => row.reference === reference);
      if (!isOpen || (await findIntent(tx, intentId))?.state === 'confirmed') return false;
      const left = await bookLost(tx, context, vault, lost, landed);
      if (left === landed.result.units) return false;
      await explainRedeem(tx, vault.key, reference, left, withdrawalId);
      return true;
    });
    if (isBooked) log.warn({ withdrawal: withdrawalId, reference }, 'what lost books redeemed for a withdrawal is booked');
    hasBooked ||= isBooked;
  }
  return hasBooked;
}

/** Returns the units that the owner lacks in these books: they came with a deposit that these books do not know. */
export async function bookLost(tx: Tx, context: Context, vault: VenuePort, lost: LostOf, landed: LandedRedeem): Promise<bigint> {
  const { owner, withdrawalId, intentId } = lost;
  const { units, assets } = landed.result;
  const withdrawal = await findWithdrawal(tx, withdrawalId);
  if (withdrawal !== undefined && !(await isTakeable(tx, withdrawal, intentId))) return units;
  // Without a destination nobody can be credited yet.
  const destination = withdrawal?.destination ?? (await findDestination(tx, vault, lost));
  if (destination === undefined) return units;
  const missing = units - (withdrawal?.unitsLeft ?? 0n);
  let rest = missing > 0n ? missing : 0n;
  if (rest > 0n) {
    const burned = await burnUnits(tx, vault, owner, rest, withdrawalId, { isQueued: true });
    rest -= burned.units;
    // A withdrawal of the lost books may have joined another one in these books.
    const taken = await takeFromQueue(tx, context, vault, owner, rest, withdrawalId);
    rest -= taken;
    const unitsSpread = missing - burned.units;
    if (withdrawal !== undefined) {
      await addBurned(tx, withdrawalId, burned);
      await spreadOver(tx, withdrawalId, withdrawal.unitsLeft + missing, unitsSpread);
    } else if (burned.shares === 0n && taken === 0n) return units;
    else {
      const found = { ...burned, id: withdrawalId, vaultKey: vault.key, destination, slippageBps: 1 };
      await insertWithdrawal(tx, owner, found, { unitsSpread });
    }
    if (unitsSpread > 0n) await changeQueue(tx, vault, owner, withdrawalId, 'harvest', unitsSpread);
  }
  await moveWithdrawal(tx, withdrawalId, 'queued', 'redeeming');
  const { key: vaultKey, network, at } = vault;
  const intent = { id: intentId, kind: 'redeem', vaultKey, subjectId: withdrawalId, network, router: at.router, venue: at.venue } as const;
  await insertFoundIntent(tx, { ...intent, units }, { reference: landed.reference, assets, units });
  await bookPart(tx, context, vault.chain, intent, landed);
  return rest;
}

/** Takes the redeemed units off a deposit that was minted late. Returns the units that are still unexplained. */
export async function bearRest(tx: Tx, vault: VenuePort, owner: Owner, withdrawalId: string, units: bigint): Promise<bigint> {
  return units - (await burnUnits(tx, vault, owner, units, withdrawalId, { isQueued: false })).units;
}

async function isTakeable(tx: Tx, { id, status }: WithdrawalRow, intentId: string): Promise<boolean> {
  if (!openWithdrawalStatuses.includes(status)) return false;
  return (await findIntent(tx, intentId))?.state === 'queued' || (await stopRedeeming(tx, id));
}

/** False while a signed call is under way for the withdrawal: its outcome decides. */
async function stopRedeeming(tx: Tx, withdrawalId: string): Promise<boolean> {
  const open = await findOpenIntent(tx, { subjectId: withdrawalId });
  if (open === undefined) return true;
  if (!(await dropUnsignedIntent(tx, open.id))) return false;
  return await moveWithdrawal(tx, withdrawalId, 'redeeming', 'queued');
}

interface Burned {
  readonly shares: bigint;
  readonly units: bigint;
  readonly principalMicros: bigint;
}

const NOTHING: Burned = { shares: 0n, units: 0n, principalMicros: 0n };

/** Burns the owner's shares, up to `wanted` units. One share of rounding stays with the pool. */
async function burnUnits(
  tx: Tx,
  { key }: VenuePort,
  owner: Owner,
  wanted: bigint,
  subjectId: string,
  { isQueued }: { readonly isQueued: boolean },
): Promise<Burned> {
  const vault = await lockVault(tx, key);
  const book = bookOf(vault);
  const position = await findPosition(tx, key, owner);
  const { totalShares, totalUnits, queuedUnits } = book;
  if (position === undefined || position.shares === 0n || totalUnits === 0n) return NOTHING;
  const exact = (wanted * totalShares + totalUnits - 1n) / totalUnits;
  const held = smaller(exact, position.shares);
  // The last share leaves with the last unit.
  const shares = held === totalShares && wanted < totalUnits ? held - 1n : held;
  const units = exact - held > 1n ? unitsFor(book, shares) : smaller(wanted, totalUnits);
  if (shares === 0n || units === 0n) return NOTHING;
  const principalMicros = principalOf(position.principalMicros, shares, position.shares);
  const queued = isQueued ? units : 0n;
  const left = { ...book, totalShares: totalShares - shares, totalUnits: totalUnits - units, queuedUnits: queuedUnits + queued };
  await writeBook(tx, vault, withoutUnheld(left));
  await reducePosition(tx, key, owner, { shares, principalMicros });
  await insertEarnMovement(tx, {
    ...{ vaultKey: key, owner, kind: 'withdraw', shares: -shares, units: -units, queuedUnits: queued },
    principalMicros: -principalMicros,
    subjectId,
  });
  return { shares, units, principalMicros };
}

/** The destination of its payout on chain; else the owner's wallet, or the wallet that paid the owner's last deposit. */
async function findDestination(tx: Tx, { chain, network }: VenuePort, { named, owner, withdrawalId }: LostOf) {
  const payout = payoutIdFor({ purpose: 'earn_withdrawal', subjectId: `${withdrawalId}_p1` });
  const shown = await findUnbookedDestination(tx, chain.intentKey(payout));
  return shown ?? (named.kind === 'wallet' ? named.id : await findLastPayer(tx, owner, network));
}

/** Takes units off the owner's other withdrawals in the queue: they were redeemed already. Returns how many. */
async function takeFromQueue(tx: Tx, context: Context, vault: VenuePort, owner: Owner, wanted: bigint, besideId: string): Promise<bigint> {
  let taken = 0n;
  for (const { id, unitsLeft } of await lockQueueOf(tx, vault.key, owner)) {
    const units = smaller(unitsLeft, wanted - taken);
    if (id === besideId || units === 0n || !(await stopRedeeming(tx, id))) continue;
    await spreadOver(tx, id, unitsLeft - units, -units);
    await changeQueue(tx, vault, owner, id, 'loss', -units);
    if (unitsLeft === units) await settleIfPaid(tx, context, id);
    taken += units;
  }
  return taken;
}

async function changeQueue(tx: Tx, { key }: VenuePort, owner: Owner, subjectId: string, kind: 'loss' | 'harvest', units: bigint) {
  const vault = await lockVault(tx, key);
  const book = bookOf(vault);
  await writeBook(tx, vault, { ...book, queuedUnits: book.queuedUnits + units });
  await insertEarnMovement(tx, { vaultKey: key, owner, kind, queuedUnits: units, subjectId });
}
