/**
 * Books a redemption of lost books for the owner it was made for. What the chain shows counts, whatever was ordered here meanwhile: it takes
 * the withdrawal of its name, then further shares of the owner, then what else the owner has in the queue.
 */
import { openWithdrawalStatuses, principalOf, unitsFor, withoutUnheld } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import { smaller } from '../../platform/larger-and-smaller.ts';
import { findUnbookedDestination, payoutIdFor } from '../payouts/index.ts';
import { findLastPayer } from './deposit-repository.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { bookPart, type LandedRedeem, settleIfPaid } from './end-redeem.ts';
import { dropUnsignedIntent, findIntent, findOpenIntent, insertFoundIntent } from './intent-repository.ts';
import type { LostRedeem } from './lost-names.ts';
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
  /** Who bears it: the owner of that name, or the owner of the deposit that it redeemed. */
  readonly owner: Owner;
}

/** Returns the units that the owner does not have in these books: they came with a deposit that these books do not know. */
export async function bookLost(
  tx: Tx,
  context: Context,
  chain: Chain,
  vault: VaultSetting,
  lost: LostOf,
  landed: LandedRedeem,
): Promise<bigint> {
  const { owner, withdrawalId, intentId } = lost;
  const { units, assets } = landed.result;
  const ordered = await findWithdrawal(tx, withdrawalId);
  if (ordered !== undefined && !(await isTakeable(tx, ordered, intentId))) return units;
  // Nobody's yet when it is not known where it went.
  const destination = ordered?.destination ?? (await findDestination(tx, chain, vault, lost));
  if (destination === undefined) return units;
  const missing = units - (ordered?.unitsLeft ?? 0n);
  let rest = missing > 0n ? missing : 0n;
  if (rest > 0n) {
    const burned = await burnUnits(tx, vault, owner, rest, withdrawalId, { isQueued: true });
    rest -= burned.units;
    // What lost books made a withdrawal of its own has joined another one in these.
    const taken = await takeFromQueue(tx, context, vault, owner, rest, withdrawalId);
    rest -= taken;
    const unitsSpread = missing - burned.units;
    if (ordered !== undefined) {
      await addBurned(tx, withdrawalId, burned);
      await spreadOver(tx, withdrawalId, ordered.unitsLeft + missing, unitsSpread);
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
  await bookPart(tx, context, chain, intent, landed);
  return rest;
}

/** What a deposit of lost books brings is first what they redeemed of it. Returns the units that are still to explain. */
export async function bearRest(tx: Tx, vault: VaultSetting, owner: Owner, withdrawalId: string, units: bigint): Promise<bigint> {
  return units - (await burnUnits(tx, vault, owner, units, withdrawalId, { isQueued: false })).units;
}

async function isTakeable(tx: Tx, { id, status }: WithdrawalRow, intentId: string): Promise<boolean> {
  if (!openWithdrawalStatuses.includes(status)) return false;
  return (await findIntent(tx, intentId))?.state === 'queued' || (await stopRedeeming(tx, id));
}

/** False when something signed is under way for it, whose own look-up decides. */
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

/** Burns what the owner holds, up to so many units. One share of rounding is the pool's. */
async function burnUnits(
  tx: Tx,
  { key }: VaultSetting,
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

/** Where the chain shows that it was paid, else the wallet that the owner is known by. */
async function findDestination(tx: Tx, chain: Chain, { network }: VaultSetting, { named, owner, withdrawalId }: LostOf) {
  const payout = payoutIdFor({ purpose: 'earn_withdrawal', subjectId: `${withdrawalId}_p1` });
  const shown = await findUnbookedDestination(tx, chain.intentKey(payout));
  return shown ?? (named.kind === 'wallet' ? named.id : await findLastPayer(tx, owner, network));
}

/** What the owner has in the queue beside this withdrawal was redeemed already. Returns the units that were taken. */
async function takeFromQueue(
  tx: Tx,
  context: Context,
  vault: VaultSetting,
  owner: Owner,
  wanted: bigint,
  besideId: string,
): Promise<bigint> {
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

async function changeQueue(tx: Tx, { key }: VaultSetting, owner: Owner, subjectId: string, kind: 'loss' | 'harvest', units: bigint) {
  const vault = await lockVault(tx, key);
  const book = bookOf(vault);
  await writeBook(tx, vault, { ...book, queuedUnits: book.queuedUnits + units });
  await insertEarnMovement(tx, { vaultKey: key, owner, kind, queuedUnits: units, subjectId });
}
