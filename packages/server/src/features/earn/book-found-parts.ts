/**
 * Books what lost books redeemed for a withdrawal that had another call under way when `market reconcile` looked. That call has ended, so what
 * the chain shows is the part of the withdrawal: ordered anew, it would take the units of others.
 */
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import { bookLost } from './book-lost-redeem.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { explainRedeem, listFoundRedeems } from './found-redeem-repository.ts';
import { findIntent } from './intent-repository.ts';
import { findPartsOf } from './lost-names.ts';
import { readRedeemReceipt } from './vault-holder.ts';
import { lockVault } from './vault-repository.ts';
import type { VenuePort } from './vaults.ts';
import type { WithdrawalRow } from './withdrawal-repository.ts';

type Context = Pick<EarnContext, 'database' | 'clock' | 'events' | 'vaults' | 'log'>;

/** True when something was booked: the queue is another one now. Asks the chain. */
export async function bookFoundParts(
  context: Context,
  { chain, venues }: VenuePort,
  vault: VaultSetting,
  queue: readonly WithdrawalRow[],
): Promise<boolean> {
  const { database, log } = context;
  const queued = queue.filter(({ status }) => status === 'queued');
  let hasBooked = false;
  for (const { found, withdrawal, intentId } of await findPartsOf(database.db, chain, vault.key, queued)) {
    // Booked before, and only a rest of its units is left to explain.
    if ((await findIntent(database.db, intentId))?.state === 'confirmed') continue;
    const { reference } = found;
    const { id: withdrawalId, ownerKind: kind, ownerId: id } = withdrawal;
    const result = await venues.readResult({ kind: 'redeem', intentId, at: vault.at, units: found.units, minAssets: 0n }, reference);
    if (result === undefined) throw new ChainUnavailable(vault.network, `the result of ${reference} cannot be read`);
    const receipt = await readRedeemReceipt(chain, { reference, assets: result.assets });
    const lost = { named: { kind, id }, owner: { kind, id }, withdrawalId, intentId };
    const isBooked = await database.transaction(async (tx) => {
      await lockVault(tx, vault.key);
      const isOpen = (await listFoundRedeems(tx, vault.key)).some((row) => row.reference === reference);
      if (!isOpen || (await findIntent(tx, intentId))?.state === 'confirmed') return false;
      const left = await bookLost(tx, context, chain, vault, lost, { reference, result, receipt });
      if (left === result.units) return false;
      await explainRedeem(tx, vault.key, reference, left, withdrawalId);
      return true;
    });
    if (isBooked) log.warn({ withdrawal: withdrawalId, reference }, 'what lost books redeemed for a withdrawal is booked');
    hasBooked ||= isBooked;
  }
  return hasBooked;
}
