/** The SQL of bounties and claims after a restore. */
import { type BountyId, openClaimStatuses } from '@market/contract';
import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';

/** Moves the end of every open bounty to `notBefore` or later. Returns the ids of the prolonged ones. */
export async function extendRestoredBounties(tx: Tx, notBefore: Date): Promise<readonly BountyId[]> {
  const rows = await tx
    .updateTable('bounties')
    .set({ expiresAt: notBefore, updatedAt: sql<Date>`market_now()` })
    .where('status', '=', 'open')
    .where('expiresAt', '<', notBefore)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Does the same for undecided claims. Returns the bounty of each. */
export async function extendRestoredClaims(tx: Tx, notBefore: Date): Promise<readonly BountyId[]> {
  const rows = await tx
    .updateTable('bountyClaims')
    .set({ lapsesAt: notBefore })
    .where('status', 'in', openClaimStatuses)
    .where('lapsesAt', '<', notBefore)
    .returning('bountyId')
    .execute();
  return rows.map(({ bountyId }) => bountyId);
}
