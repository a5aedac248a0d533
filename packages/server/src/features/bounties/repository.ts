/** The SQL of bounties and claims. Rows are camelCase; wire names appear in `present.ts` only. */
import {
  type AgentId,
  type BountyClaimId,
  type BountyId,
  type BountyStatus,
  bountyLimits,
  type NetworkName,
  openClaimStatuses,
} from '@market/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { type Db, defer, type Tx } from '../../platform/db/database.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';
import type { BountiesTable, BountyClaimsTable } from '../../platform/db/schema.generated.ts';
import { publicNameBeside } from '../accounts/identity/index.ts';
import { type AgentRow, publicAgents } from '../agents/index.ts';
import { type StakeColumns, stakeColumns } from './stakes-repository.ts';

/** A bounty with the names of both sides and data of its order. */
export interface BountyRow extends Omit<Selectable<BountiesTable>, 'search'> {
  readonly posterName: string | null;
  /** When the winner's claim was accepted. */
  readonly acceptedAt: Date | null;
  readonly winnerId: AgentId | null;
  readonly winnerName: string | null;
  readonly winnerSlug: string | null;
  readonly winnerAvatarUrl: string | null;
  /** True if the winner is a public agent; null without a winner. */
  readonly winnerListed: boolean | null;
  readonly winnerOwnerWallet: string | null;
  readonly winnerOwnerUserId: string | null;
  readonly paymentNetwork: NetworkName | null;
  readonly paymentReference: string | null;
  readonly payer: string | null;
  /** Number of claims. In a full bounty, only claims of agents that can be hired count. */
  readonly placesTaken: number;
  /** Amount that the winner's order paid out. */
  readonly earnedMicros: bigint | null;
  /** The database's time of this read. Compare deadlines with nothing else. */
  readonly now: Date;
}

export interface ClaimRow extends Selectable<BountyClaimsTable>, StakeColumns {
  readonly agentName: string;
  readonly agentSlug: string;
  readonly agentAvatarUrl: string | null;
  readonly agentActive: boolean;
  readonly agentModerationStatus: AgentRow['moderationStatus'];
  readonly agentOwnerBanned: boolean;
  readonly ownerWallet: string | null;
  readonly ownerUserId: string | null;
  readonly completedOrders: number;
  readonly ratingSum: number;
  readonly ratingCount: number;
  readonly scoreWeight: number;
  readonly scoreGood: number;
}

/** SQL condition on agents with the alias `a`. Same rule as `isHireable`. */
export const hireable = sql<boolean>`(a.active and a.moderation_status = 'ok' and not a.owner_banned)`;

/** A full bounty leaves out claims of agents that cannot be hired. If such an agent comes back, the bounty has more claims than the limit. */
const placesTaken = sql<number>`case when bounties.status = 'open' and bounties.claims_count >= ${bountyLimits.claimsPerBounty} then (
  select count(*)::int from bounty_claims c join agents a on a.id = c.agent_id
  where c.bounty_id = bounties.id and c.status not in ('withdrawn', 'lapsed') and ${hireable}) else bounties.claims_count end`;

export const posterName = sql<
  string | null
>`coalesce(${publicNameBeside(sql.ref('bounties.client_wallet'))}, wallet_profiles.display_name)`;

const bountyColumns = [
  'bounties.id',
  'bounties.userId',
  'bounties.clientWallet',
  'bounties.title',
  'bounties.brief',
  'bounties.category',
  'bounties.budgetMicros',
  'bounties.deadlineHours',
  'bounties.claimWindowHours',
  'bounties.openDays',
  'bounties.mode',
  'bounties.claimStakeMicros',
  'bounties.referenceUrls',
  'bounties.referenceImages',
  'bounties.status',
  'bounties.orderId',
  'bounties.acceptedClaimId',
  'bounties.claimsCount',
  'bounties.posterBanned',
  'bounties.takenDownAt',
  'bounties.expiresAt',
  'bounties.heldAt',
  'bounties.completedAt',
  'bounties.cancelledAt',
  'bounties.createdAt',
  'bounties.updatedAt',
] as const;

export function selectBounties(db: Db) {
  return db
    .selectFrom('bounties')
    .leftJoin('users', 'users.id', 'bounties.userId')
    .leftJoin('walletProfiles', 'walletProfiles.wallet', 'bounties.clientWallet')
    .leftJoin('bountyClaims as won', 'won.id', 'bounties.acceptedClaimId')
    .leftJoin('agents as winner', 'winner.id', 'won.agentId')
    .leftJoin('orders', 'orders.id', 'bounties.orderId')
    .leftJoin('settlements', 'settlements.orderId', 'bounties.orderId')
    .select(bountyColumns)
    .select([
      posterName.as('posterName'),
      'won.decidedAt as acceptedAt',
      'winner.id as winnerId',
      'winner.name as winnerName',
      'winner.slug as winnerSlug',
      'winner.avatarUrl as winnerAvatarUrl',
      publicAgents('winner').as('winnerListed'),
      'winner.ownerWallet as winnerOwnerWallet',
      'winner.ownerUserId as winnerOwnerUserId',
      'orders.paymentNetwork',
      'orders.paymentReference',
      'orders.payer',
      'settlements.agentMicros as earnedMicros',
      placesTaken.as('placesTaken'),
      sql<Date>`market_now()`.as('now'),
    ])
    .$castTo<BountyRow>();
}

export async function findBounty(db: Db, id: string): Promise<BountyRow | undefined> {
  return await selectBounties(db)
    .where('bounties.id', '=', id as BountyId)
    .executeTakeFirst();
}

/** Locks the bounty until the transaction ends, then reads it. Claims change only under this lock. */
export async function lockBounty(tx: Tx, id: string): Promise<BountyRow | undefined> {
  await defer(
    tx,
    tx
      .selectFrom('bounties')
      .select('id')
      .where('id', '=', id as BountyId)
      .forUpdate(),
  );
  return await findBounty(tx, id);
}

export async function insertBounty(tx: Tx, bounty: Insertable<BountiesTable>): Promise<void> {
  await defer(tx, tx.insertInto('bounties').values(bounty));
}

/** Compare-and-set: throws when the bounty is no longer in `from`. Its lock makes that impossible. */
export async function moveBounty(
  tx: Tx,
  id: BountyId,
  { from, to, at }: { readonly from: BountyStatus; readonly to: BountyStatus; readonly at: Date },
  change: Omit<Updateable<BountiesTable>, 'status'> = {},
): Promise<void> {
  const query = tx
    .updateTable('bounties')
    .set({ ...change, status: to, updatedAt: at })
    .where('id', '=', id)
    .where('status', '=', from);
  const { sql: update, parameters } = query.compile();
  await tx.executeQuery(deferred(`with moved as (${update} returning 1) select 1 / count(*) as moved from moved`, parameters));
}

function selectClaims(db: Db) {
  return db
    .selectFrom('bountyClaims')
    .innerJoin('agents', 'agents.id', 'bountyClaims.agentId')
    .innerJoin('agentFigures', 'agentFigures.agentId', 'bountyClaims.agentId')
    .leftJoin('bountyStakes', 'bountyStakes.id', 'bountyClaims.stakeId')
    .selectAll('bountyClaims')
    .select([
      'agents.name as agentName',
      'agents.slug as agentSlug',
      'agents.avatarUrl as agentAvatarUrl',
      'agents.active as agentActive',
      'agents.moderationStatus as agentModerationStatus',
      'agents.ownerBanned as agentOwnerBanned',
      'agents.ownerWallet',
      'agents.ownerUserId',
      'agentFigures.completedOrders',
      'agentFigures.ratingSum',
      'agentFigures.ratingCount',
      'agentFigures.scoreWeight',
      'agentFigures.scoreGood',
    ])
    .select(stakeColumns)
    .$castTo<ClaimRow>();
}

export async function findClaim(db: Db, bountyId: string, id: string): Promise<ClaimRow | undefined> {
  return await selectClaims(db)
    .where('bountyClaims.bountyId', '=', bountyId as BountyId)
    .where('bountyClaims.id', '=', id as BountyClaimId)
    .executeTakeFirst();
}

export async function findClaimOf(db: Db, bountyId: BountyId, agentId: AgentId): Promise<ClaimRow | undefined> {
  return await selectClaims(db)
    .where('bountyClaims.bountyId', '=', bountyId)
    .where('bountyClaims.agentId', '=', agentId)
    .executeTakeFirst();
}

/** Claims of these bounties, oldest first. */
export async function listClaims(db: Db, bountyIds: readonly BountyId[]): Promise<ClaimRow[]> {
  if (bountyIds.length === 0) return [];
  return await selectClaims(db)
    .where('bountyClaims.bountyId', 'in', [...bountyIds])
    .orderBy('bountyClaims.claimedAt')
    .orderBy('bountyClaims.id')
    .execute();
}

export interface ClaimOwner {
  readonly wallet: string | null;
  readonly userId: string | null;
}

/** Counts the undecided claims of all agents of an owner, and serialises new ones until the transaction ends. */
export async function lockOpenClaims(tx: Tx, { wallet, userId }: ClaimOwner): Promise<number> {
  // Always lock the account before the wallet, so that two claims cannot deadlock.
  for (const identity of [userId, wallet]) {
    if (identity !== null)
      await tx.executeQuery(deferred('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`bounty-claims-of:${identity}`]));
  }
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from bounty_claims c join agents a on a.id = c.agent_id
    where c.status in ('pending', 'invited') and c.lapses_at > market_now() and (a.owner_user_id = ${userId} or (a.owner_proven and a.owner_wallet = ${wallet}))`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

/** Stores a claim. A withdrawn or lapsed claim of the same agent becomes pending again and keeps its id. */
export async function saveClaim(
  tx: Tx,
  claim: Pick<Selectable<BountyClaimsTable>, 'id' | 'bountyId' | 'agentId' | 'message' | 'claimedAt' | 'lapsesAt' | 'stakeId'>,
): Promise<void> {
  await defer(
    tx,
    tx
      .insertInto('bountyClaims')
      .values(claim)
      .onConflict((conflict) =>
        conflict.constraint('bounty_claims_once').doUpdateSet({
          status: 'pending',
          message: claim.message,
          stakeId: claim.stakeId,
          claimedAt: claim.claimedAt,
          lapsesAt: claim.lapsesAt,
          heldAt: null,
          invitedAt: null,
          decidedAt: null,
        }),
      ),
  );
  await countClaims(tx, claim.bountyId, 1, claim.claimedAt);
}

export async function withdrawClaim(tx: Tx, { id, bountyId }: Pick<ClaimRow, 'id' | 'bountyId'>, at: Date): Promise<void> {
  await defer(tx, tx.updateTable('bountyClaims').set({ status: 'withdrawn', decidedAt: at }).where('id', '=', id));
  await countClaims(tx, bountyId, -1, at);
}

/** Lapses undecided claims of one bounty. Requires the lock of the bounty. */
export async function lapseClaims(tx: Tx, bountyId: BountyId, ids: readonly BountyClaimId[], at: Date): Promise<void> {
  await defer(
    tx,
    tx
      .updateTable('bountyClaims')
      .set({ status: 'lapsed', decidedAt: at })
      .where('id', 'in', [...ids]),
  );
  await countClaims(tx, bountyId, -ids.length, at);
}

async function countClaims(tx: Tx, id: BountyId, by: number, at: Date): Promise<void> {
  const query = tx.updateTable('bounties').set({ claimsCount: sql`claims_count + ${by}`, updatedAt: at });
  await defer(tx, query.where('id', '=', id));
}

export async function inviteClaim(tx: Tx, { id }: Pick<ClaimRow, 'id'>, at: Date): Promise<void> {
  await defer(tx, tx.updateTable('bountyClaims').set({ status: 'invited', invitedAt: at }).where('id', '=', id));
}

/** Decides all undecided claims: the named one is accepted, the others are rejected. */
export async function closeClaims(tx: Tx, bountyId: BountyId, accepted: BountyClaimId | null, at: Date): Promise<void> {
  const status = sql<'accepted' | 'rejected'>`case when id = ${accepted} then 'accepted' else 'rejected' end`;
  await defer(
    tx,
    tx.updateTable('bountyClaims').set({ status, decidedAt: at }).where('bountyId', '=', bountyId).where('status', 'in', openClaimStatuses),
  );
}

/** Holds a claim longer, once. Requires the lock of the bounty. */
export async function holdClaim(tx: Tx, { id }: Pick<ClaimRow, 'id'>, lapsesAt: Date, at: Date): Promise<void> {
  await defer(tx, tx.updateTable('bountyClaims').set({ lapsesAt, heldAt: at }).where('id', '=', id));
}

/** Hides a bounty from strangers. Requires its lock. */
export async function hideBounty(tx: Tx, id: BountyId, at: Date): Promise<void> {
  await defer(tx, tx.updateTable('bounties').set({ takenDownAt: at, updatedAt: at }).where('id', '=', id));
}

/** Holds a bounty open longer, once. Requires its lock. */
export async function holdBounty(tx: Tx, id: BountyId, expiresAt: Date, at: Date): Promise<void> {
  await defer(tx, tx.updateTable('bounties').set({ expiresAt, heldAt: at, updatedAt: at }).where('id', '=', id));
}

/** Extends a bounty. Requires its lock. */
export async function extendBounty(tx: Tx, id: BountyId, openDays: number, expiresAt: Date, at: Date): Promise<void> {
  await defer(tx, tx.updateTable('bounties').set({ openDays, expiresAt, updatedAt: at }).where('id', '=', id));
}

/** Open bounties with claims whose window is over, which the timers missed. */
export async function listLapsing(db: Db, limit: number): Promise<BountyId[]> {
  const rows = await db
    .selectFrom('bountyClaims')
    .innerJoin('bounties', 'bounties.id', 'bountyClaims.bountyId')
    .select('bounties.id')
    .distinct()
    .where('bountyClaims.status', 'in', openClaimStatuses)
    .where('bountyClaims.lapsesAt', '<=', sql<Date>`market_now()`)
    .where('bounties.status', '=', 'open')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Open bounties past their end, which the timers missed. */
export async function listDue(db: Db, limit: number): Promise<BountyId[]> {
  const rows = await db
    .selectFrom('bounties')
    .select('id')
    .where('status', '=', 'open')
    .where('expiresAt', '<=', sql<Date>`market_now()`)
    .orderBy('expiresAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
