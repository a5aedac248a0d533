/**
 * Vaults as holders of the outflow gate: compares redemptions on chain with those of the books. A lost redemption is booked for its owner.
 * One without an owner in these books is kept until a deposit of the lost books explains it.
 */

import { formatUsd, openWithdrawalStatuses } from '@market/contract';
import type { SeenRedeem } from '../../platform/chains/yield-venues.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Holder } from '../outgoing/gate/index.ts';
import { bookLost, readRedeemReceipt } from './book-lost-redeem.ts';
import type { EarnContext, VenuePort } from './earn-context.ts';
import { findKnownRedeems, insertFoundRedeem, vaultHolderName } from './found-redeem-repository.ts';
import { listOpenRedeems } from './intent-repository.ts';
import { findLost } from './lost-names.ts';
import { listOwners } from './vault-repository.ts';
import { findVenuePort } from './vaults.ts';
import { findWithdrawal } from './withdrawal-repository.ts';

export type RedeemBooks = Pick<EarnContext, 'database' | 'clock' | 'events' | 'chains' | 'vaults'>;

export function vaultHolders(context: RedeemBooks): Holder[] {
  const vaults = [...context.vaults.keys()].flatMap((key) => findVenuePort(context, key) ?? []);
  return vaults.map((vault) => vaultHolder(context, vault));
}

export function vaultHolder(context: RedeemBooks, vault: VenuePort): Holder {
  const { chain, venues } = vault;
  return {
    name: vaultHolderName(vault.key),
    label: `the vault ${vault.label}`,
    chain,
    async compare(cursor) {
      const { db } = context.database;
      const page = await venues.listRedeemed(vault.at, cursor, (references) => findKnownRedeems(db, vault.key, references));
      const open = page.redeemed.length === 0 ? [] : (await listOpenRedeems(db, vault.key)).map((id) => chain.intentKey(id));
      const strangers = page.redeemed.filter(({ intentKey }) => !open.includes(intentKey));
      return {
        strangers: strangers.map((seen) => ({ reference: seen.reference, book: (tx) => bookRedeem(tx, context, vault, seen) })),
        cursor: page.cursor,
      };
    },
  };
}

async function bookRedeem(tx: Tx, context: RedeemBooks, vault: VenuePort, seen: SeenRedeem): Promise<string> {
  const { chain } = vault;
  const { reference, assets, units } = seen;
  const what = `${chain.network}: ${units} units of ${vault.label} gave ${formatUsd(assets)} USDC in ${reference}`;
  const lost = await findLost(tx, chain, vault.key, seen.intentKey, await listOwners(tx, vault.key));
  if (lost === undefined) {
    await insertFoundRedeem(tx, vault, seen);
    return `${what}, for nobody that these books know. Deposits that the lost books made are held until one of them explains it, or an operator decides.`;
  }
  const owner = lost.named;
  const receipt = await readRedeemReceipt(chain, reference, seen);
  const left = await bookLost(tx, context, vault, { ...lost, owner }, { reference, result: { assets, units }, receipt });
  const whose = `for the withdrawal ${lost.withdrawalId} of ${owner.kind} ${owner.id}`;
  if (left > 0n) await insertFoundRedeem(tx, vault, { ...seen, units: left });
  const withdrawal = await findWithdrawal(tx, lost.withdrawalId);
  if (left === units && withdrawal !== undefined && openWithdrawalStatuses.includes(withdrawal.status))
    return `${what}, ${whose}. Another call is under way for it: it is booked when that has ended.`;
  if (left === units) return `${what}, ${whose}, who has none of it in these books. An operator must look at it.`;
  const booked = `${what}, ${whose}. It is booked; what was paid for it is found when its payout is queued.`;
  return left === 0n ? booked : `${booked} ${left} of the units are lost to these books: the owner had no more.`;
}
