/**
 * The units that a vault holds in its venue, compared with the redemptions of the books. What lost books redeemed is given to its owner: the
 * names of withdrawals and their parts follow from vault, owner and number, so the books can say whose the name on chain is.
 */

import { formatUsd, principalOf } from '@market/contract';
import type { Chain, Receipt } from '../../platform/chains/chain.ts';
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import type { SeenRedeem } from '../../platform/chains/yield-venues.ts';
import type { Tx } from '../../platform/db/database.ts';
import { smaller } from '../../platform/larger-and-smaller.ts';
import type { Holder } from '../outflow/index.ts';
import { findUnbookedDestination, payoutIdFor } from '../payouts/index.ts';
import { findLastPayer } from './deposit-repository.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { takeRedeemed } from './end-redeem.ts';
import { intentIdOf } from './intent-id.ts';
import {
  findIntent,
  findKnownRedeems,
  type IntentRow,
  insertIntent,
  insertIntentAttempt,
  latestIntentAttempt,
  listOpenRedeems,
  moveIntent,
} from './intent-repository.ts';
import { findPosition, insertEarnMovement, listOwners, lockVault, type Owner, reducePosition, writeBook } from './vault-repository.ts';
import { bookOf, findVenuePort } from './vaults.ts';
import { withdrawalIdOf } from './withdrawal-id.ts';
import { countWithdrawalsOf, findWithdrawal, insertWithdrawal, moveWithdrawal } from './withdrawal-repository.ts';

export type RedeemBooks = Pick<EarnContext, 'database' | 'clock' | 'events' | 'chains' | 'vaults'>;

/** The lost books may have made so many withdrawals of one owner, in so many parts. */
const MOST_LOST = 10;

/** Undefined where the network of the vault has no node. */
export function vaultHolder(context: RedeemBooks, vault: VaultSetting): Holder | undefined {
  const port = findVenuePort(context, vault);
  if (port === undefined) return undefined;
  const { chain, venues } = port;
  return {
    name: `earn/${vault.key}`,
    label: `the vault ${vault.label}`,
    chain,
    async compare(cursor) {
      const { db } = context.database;
      const page = await venues.listRedeemed(vault.at, cursor, (references) => findKnownRedeems(db, references));
      const open = page.redeemed.length === 0 ? [] : (await listOpenRedeems(db, vault.key)).map((id) => chain.intentKey(id));
      const strangers = page.redeemed.filter(({ intentKey }) => !open.includes(intentKey));
      return {
        strangers: strangers.map((seen) => ({ reference: seen.reference, book: (tx) => bookRedeem(tx, context, chain, vault, seen) })),
        cursor: page.cursor,
      };
    },
  };
}

async function bookRedeem(tx: Tx, context: RedeemBooks, chain: Chain, vault: VaultSetting, seen: SeenRedeem): Promise<string> {
  const what = `${chain.network}: ${seen.units} units of ${vault.label} gave ${formatUsd(seen.assets)} USDC in ${seen.reference}`;
  const lost = await findLost(tx, chain, vault, seen);
  if (lost === undefined) return `${what}, for nobody that these books know. The vault pays nobody until an operator has spread the loss.`;
  const receipt = await readReceipt(chain, seen);
  const intent = (await findIntent(tx, lost.intentId)) ?? (await remakeIntent(tx, chain, vault, seen, lost));
  if (intent === undefined)
    return `${what}, for ${lost.owner.kind} ${lost.owner.id}, who no longer has so much. An operator must look at it.`;
  await insertIntentAttempt(tx, intent.id, ((await latestIntentAttempt(tx, intent.id))?.number ?? 0) + 1, {
    reference: seen.reference,
    ...NO_BYTES,
  });
  const attempt = await latestIntentAttempt(tx, intent.id);
  if (attempt === undefined) throw new Error(`${intent.id} has no attempt`);
  await moveIntent(tx, intent.id, ['queued'], { state: 'unknown' });
  const result = { assets: seen.assets, units: seen.units };
  await takeRedeemed(tx, context, chain, { ...intent, state: 'unknown' }, attempt, { reference: seen.reference, result, receipt });
  return `${what}, for the withdrawal ${lost.withdrawalId} of ${lost.owner.kind} ${lost.owner.id}. It is booked; what was paid for it is found when its payout is queued.`;
}

const NO_BYTES = { bytes: Buffer.from('found on chain').toString('base64'), validity: '0' };

async function readReceipt(chain: Chain, { reference, assets }: SeenRedeem): Promise<Receipt | undefined> {
  if (assets === 0n) return undefined;
  const reading = await chain.readReceipt(reference, { notesKnown: true });
  if (reading.state !== 'landed') throw new ChainUnavailable(chain.network, `${reference} is listed but not shown`);
  return reading.receipt;
}

interface Lost {
  readonly owner: Owner;
  readonly withdrawalId: string;
  readonly intentId: string;
  readonly part: number;
}

async function findLost(tx: Tx, chain: Chain, { key }: VaultSetting, { intentKey }: SeenRedeem): Promise<Lost | undefined> {
  for (const owner of await listOwners(tx, key)) {
    const made = await countWithdrawalsOf(tx, key, owner);
    for (let number = 0; number < made + MOST_LOST; number += 1) {
      const withdrawalId = withdrawalIdOf(key, owner, number);
      for (let part = 0; part < MOST_LOST; part += 1) {
        const intentId = intentIdOf('redeem', withdrawalId, part);
        if (chain.intentKey(intentId) === intentKey) return { owner, withdrawalId, intentId, part };
      }
    }
  }
  return undefined;
}

/** The withdrawal as far as the chain shows it: the units of this part, taken off the owner's shares at the book's rate. */
async function remakeIntent(
  tx: Tx,
  chain: Chain,
  vault: VaultSetting,
  seen: SeenRedeem,
  { owner, withdrawalId, intentId, part }: Lost,
): Promise<IntentRow | undefined> {
  const { key, network, at } = vault;
  const waiting = await findWithdrawal(tx, withdrawalId);
  if (waiting === undefined) {
    const destination =
      (await findUnbookedDestination(
        tx,
        chain.intentKey(payoutIdFor({ purpose: 'earn_withdrawal', subjectId: `${withdrawalId}_p${part + 1}` })),
      )) ?? (owner.kind === 'wallet' ? owner.id : await findLastPayer(tx, owner, network));
    if (destination === undefined || !(await burnUnits(tx, vault, owner, withdrawalId, seen.units, destination))) return undefined;
    await moveWithdrawal(tx, withdrawalId, 'queued', 'redeeming');
  } else if (waiting.status === 'queued') await moveWithdrawal(tx, withdrawalId, 'queued', 'redeeming');
  await insertIntent(tx, {
    ...{ id: intentId, kind: 'redeem', vaultKey: key, subjectId: withdrawalId, network, router: at.router, venue: at.venue },
    units: seen.units,
  });
  return await findIntent(tx, intentId);
}

async function burnUnits(tx: Tx, { key }: VaultSetting, owner: Owner, id: string, units: bigint, destination: string): Promise<boolean> {
  const row = await lockVault(tx, key);
  const position = await findPosition(tx, key, owner);
  const { totalShares, totalUnits, queuedUnits } = bookOf(row);
  if (position === undefined || totalUnits < units) return false;
  const wanted = (units * totalShares + totalUnits - 1n) / totalUnits;
  const shares = smaller(wanted, position.shares);
  // One share of rounding; more means that it was not this owner's to burn.
  if (shares === 0n || wanted - shares > 1n) return false;
  const principalMicros = principalOf(position.principalMicros, shares, position.shares);
  await writeBook(tx, key, { totalShares: totalShares - shares, totalUnits: totalUnits - units, queuedUnits: queuedUnits + units });
  await reducePosition(tx, key, owner, { shares, principalMicros });
  await insertWithdrawal(tx, owner, { id, vaultKey: key, shares, units, principalMicros, destination, slippageBps: 0 });
  await insertEarnMovement(tx, {
    ...{ vaultKey: key, owner, kind: 'withdraw', shares: -shares, units: -units, queuedUnits: units },
    principalMicros: -principalMicros,
    subjectId: id,
  });
  return true;
}
