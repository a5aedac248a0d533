/** The SQL of agents. Rows are camelCase; wire names appear in `present.ts` only. */
import { type AgentId, ANSWERING_MINUTES, reputationRules } from '@market/contract';
import { type Insertable, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import type { AgentFiguresTable, AgentsTable, Schema } from '../../platform/db/schema.generated.ts';
import { revenueMicros } from '../reputation/index.ts';
import { publicAgents } from './public-agents-repository.ts';

export type AgentRow = Selectable<AgentsTable>;
export type AgentChange = Updateable<AgentsTable>;
/** An account with the wallets linked to it, or a wallet alone. */
export interface AgentOwner {
  readonly userId?: string;
  readonly wallets: readonly string[];
}

/** When an agent was seen last, and whether its endpoint answers. */
interface AgentSigns {
  readonly seenAt: Date | null;
  readonly seenLately: boolean;
  readonly endpointFails: boolean;
}

export type AgentWithFigures = AgentRow & Omit<Selectable<AgentFiguresTable>, 'agentId'> & AgentSigns;

export async function insertAgent(tx: Tx, agent: Insertable<AgentsTable>): Promise<AgentRow> {
  const row = await tx.insertInto('agents').values(agent).returningAll().executeTakeFirstOrThrow();
  await tx.insertInto('agentFigures').values({ agentId: row.id }).execute();
  return row;
}

export async function updateAgent(tx: Tx, id: AgentId, change: AgentChange): Promise<void> {
  await tx.updateTable('agents').set(change).where('id', '=', id).execute();
}

/** Locks the row until the transaction ends, so that edits are serialised. Undefined for a closed agent. */
export async function lockAgent(tx: Tx, id: AgentId): Promise<AgentRow | undefined> {
  return await tx.selectFrom('agents').selectAll().where('id', '=', id).where('closedAt', 'is', null).forUpdate().executeTakeFirst();
}

/** Locks all agents with a waiting payout change. */
export async function lockPendingAgents(tx: Tx): Promise<readonly AgentRow[]> {
  return await tx.selectFrom('agents').selectAll().where('pendingPayoutAt', 'is not', null).orderBy('id').forUpdate().execute();
}

export async function findAgent(db: Db, idOrSlug: string): Promise<AgentWithFigures | undefined> {
  return await withFigures(db)
    .where((row) => row.or([row('agents.slug', '=', idOrSlug), row('agents.id', '=', idOrSlug as AgentId)]))
    .orderBy(sql`agents.slug = ${idOrSlug}`, 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function findActiveBySkeleton(db: Db, skeleton: string): Promise<AgentRow | undefined> {
  return await db.selectFrom('agents').selectAll().where('nameSkeleton', '=', skeleton).where('active', '=', true).executeTakeFirst();
}

/** True for a name or slug (`slug:…`) of a closed agent. Nobody may reuse it, because orders, reviews and links refer to the closed agent. */
export async function isRetired(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`select 1 from retired_names where hash = sha256(convert_to(${name}, 'utf8'))`.execute(db);
  return rows.length > 0;
}

/** The first free slug of `stem`, `stem-1`, `stem-2`, … The lock serialises registrations of one name. */
export async function reserveSlug(tx: Tx, stem: string): Promise<string> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`agent-slug:${stem}`}, 0))`.execute(tx);
  const rows = await tx
    .selectFrom('agents')
    .select('slug')
    .where((row) => row.or([row('slug', '=', stem), row('slug', 'like', `${stem}-%`)]))
    .execute();
  const taken = new Set(rows.map((row) => row.slug));
  for (let number = 0; ; number++) {
    const slug = number === 0 ? stem : `${stem}-${number}`;
    if (!taken.has(slug) && !(await isRetired(tx, `slug:${slug}`))) return slug;
  }
}

/** Agents owned by an account, by the wallets linked to it, or by a wallet. */
export async function listOwnedAgents(db: Db, owner: AgentOwner): Promise<AgentWithFigures[]> {
  return await ownedBy(withFigures(db), owner).orderBy('agents.createdAt', 'desc').orderBy('agents.id', 'desc').execute();
}

/** The newest agents of a public profile. Agents with a hidden owner wallet are left out, because an agent's record names that wallet. */
export async function listShownAgents(db: Db, owner: AgentOwner, limit: number): Promise<AgentWithFigures[]> {
  return await listed(ownedBy(withFigures(db), owner))
    .where((row) =>
      row.or([
        row('agents.ownerWallet', 'is', null),
        ...(owner.wallets.length === 0 ? [] : [row('agents.ownerWallet', 'in', [...owner.wallets])]),
      ]),
    )
    .orderBy('agents.createdAt', 'desc')
    .orderBy('agents.id', 'desc')
    .limit(limit)
    .execute();
}

export function ownedBy<O>(
  query: SelectQueryBuilder<Schema, 'agents' | 'agentFigures', O>,
  owner: AgentOwner,
): SelectQueryBuilder<Schema, 'agents' | 'agentFigures', O> {
  return query.where((row) =>
    row.or([
      ...(owner.userId === undefined ? [] : [row('agents.ownerUserId', '=', owner.userId)]),
      ...(owner.wallets.length === 0 ? [] : [row('agents.ownerWallet', 'in', [...owner.wallets])]),
    ]),
  );
}

export async function countAgentsOfWallets(db: Db, wallets: readonly string[]): Promise<number> {
  if (wallets.length === 0) return 0;
  const row = await db
    .selectFrom('agents')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('ownerWallet', 'in', [...wallets])
    .executeTakeFirstOrThrow();
  return row.count;
}

/**
 * Writes the owner's X handle to agents that have none or the former one, and shows it if the owner chose so. An agent with a hidden owner
 * wallet never shows it, because its record names that wallet.
 */
export async function spreadTwitterHandle(
  tx: Tx,
  owner: { userId: string; wallets: readonly string[]; handle: string; formerHandle: string | null; shown: boolean },
): Promise<void> {
  const isShown = sql<boolean>`${owner.shown}::boolean and (agents.owner_wallet is null
    or exists (select 1 from user_wallets w where w.user_id = ${owner.userId} and w.address = agents.owner_wallet and w.shown))`;
  await tx
    .updateTable('agents')
    .set({ twitterUsername: owner.handle, twitterShown: isShown })
    .where((row) =>
      row.or([
        row('ownerUserId', '=', owner.userId),
        ...(owner.wallets.length === 0 ? [] : [row('ownerWallet', 'in', [...owner.wallets])]),
      ]),
    )
    .where((row) =>
      row.or([
        row('twitterUsername', 'is', null),
        row('twitterUsername', '=', owner.handle),
        ...(owner.formerHandle === null ? [] : [row('twitterUsername', '=', owner.formerHandle)]),
      ]),
    )
    .where(sql<boolean>`(twitter_username, twitter_shown) is distinct from (${owner.handle}, ${isShown})`)
    .execute();
}

/**
 * Removes the account's X handle from agents of these former linked wallets; agents that the account itself owns keep it hidden. Without
 * `wallets`, applies to all agents with the handle.
 */
export async function dropTwitterHandle(tx: Tx, userId: string, wallets?: readonly string[]): Promise<void> {
  const parted = wallets === undefined ? sql`true` : sql`a.owner_wallet = any(${[...wallets]})`;
  await sql`update agents a set twitter_username = case when a.owner_user_id = u.id then a.twitter_username end, twitter_shown = false
    from users u where u.id = ${userId} and a.twitter_username = u.twitter_username and ${parted}`.execute(tx);
}

export interface Leading {
  readonly id: AgentId;
  readonly weeklyOrders: number;
  readonly weeklyMicros: bigint;
  readonly weekStart: Date;
}

/**
 * Agents of the current week, which begins on Monday, 00:00 UTC. Revenue is the price, or the part that a ruling left of it. The rank is the
 * weight of the orders, at most three per buyer; counts and revenue are shown only.
 */
export async function listLeading(db: Db, limit: number, q: string | undefined): Promise<Leading[]> {
  const { rows } = await sql<Leading>`
    with this as (select date_trunc('week', market_now() at time zone 'utc') at time zone 'utc' as week_start),
    of_buyers as (
      select o.provider_agent_id as agent_id, count(*) as orders, sum(${sql.raw(revenueMicros)}) as micros,
             least(sum(order_weight(o.price_micros)), ${1000 * reputationRules.ordersPerBuyer}) as weight
      from orders o join counted_orders c on c.order_id = o.id left join settlements s on s.order_id = o.id
      where coalesce(o.completed_at, o.cancelled_at) >= (select week_start from this) and o.status = 'completed' and not o.related_party
        and (o.overdue_since is null or o.delivered_at is not null)
      group by o.provider_agent_id, c.buyer),
    week as (
      select agent_id, sum(orders)::int as orders, sum(micros)::bigint as micros, sum(weight)::int as weight from of_buyers group by agent_id)
    select agents.id, coalesce(week.orders, 0) as weekly_orders, coalesce(week.micros, 0) as weekly_micros, this.week_start
    from this, agents join agent_figures f on f.agent_id = agents.id left join week on week.agent_id = agents.id
    where ${publicAgents()}
      and ${holdsText(q, sql`agents.id, agents.slug, agents.name, agents.description, agents.token_name, agents.token_symbol, agents.token_mint`)}
    order by coalesce(week.weight, 0) desc, coalesce(f.score, 0) desc, f.completed_weight desc, agents.id desc limit ${limit}`.execute(db);
  return rows;
}

export async function findAgentsById(db: Db, ids: readonly string[]): Promise<AgentWithFigures[]> {
  if (ids.length === 0) return [];
  return await withFigures(db)
    .where('agents.id', 'in', ids as AgentId[])
    .execute();
}

export async function listModels(db: Db): Promise<string[]> {
  const { rows } = await sql<{ model: string }>`
    select distinct model from (
      select unnest(a.ai_models) as model from agents a where ${publicAgents('a')}
      union all
      select unnest(f.provider_models) from agent_figures f join agents a on a.id = f.agent_id
      where ${publicAgents('a')}
    ) m order by model`.execute(db);
  return rows.map((row) => row.model);
}

export function withFigures(db: Db) {
  return db
    .selectFrom('agents')
    .innerJoin('agentFigures', 'agentFigures.agentId', 'agents.id')
    .selectAll('agents')
    .select([
      'agentFigures.totalOrders',
      'agentFigures.completedOrders',
      'agentFigures.overdueOrders',
      'agentFigures.lateOrders',
      'agentFigures.revenueMicros',
      'agentFigures.ratingSum',
      'agentFigures.ratingCount',
      'agentFigures.servicesCount',
      'agentFigures.serviceCategories',
      'agentFigures.providerModels',
      'agentFigures.minPriceMicros',
      'agentFigures.settledOrders',
      'agentFigures.completedWeight',
      'agentFigures.ratedWeight',
      'agentFigures.ratingPoints',
      'agentFigures.ratingRank',
      'agentFigures.countedAnewAt',
      'agentFigures.scoreBefore',
      'agentFigures.keptOrders',
      'agentFigures.timedOrders',
      'agentFigures.onTimeOrders',
      'agentFigures.disputesLost',
      'agentFigures.buyers',
      'agentFigures.repeatBuyers',
      'agentFigures.firstResponseSeconds',
      'agentFigures.scoreWeight',
      'agentFigures.scoreGood',
      'agentFigures.score',
      ...signsOfLife,
    ]);
}

/** Subqueries instead of joins, so that they run only for the few rows shown, after sorting, and never while counting. */
export const signsOfLife = [
  sql<Date | null>`(select p.seen_at from agent_presence p where p.agent_id = agents.id)`.as('seenAt'),
  sql<boolean>`exists (
    select 1 from agent_presence p where p.agent_id = agents.id and p.seen_at > market_now() - make_interval(mins => ${ANSWERING_MINUTES}))`.as(
    'seenLately',
  ),
  sql<boolean>`agents.endpoint_url is not null and coalesce((
    select w.error is not null from webhook_attempts w where w.agent_id = agents.id and w.url is not null
    order by w.agent_seq desc, w.number desc limit 1), false)`.as('endpointFails'),
] as const;

/** Restricts a query to public agents. */
export function listed<O>(
  query: SelectQueryBuilder<Schema, 'agents' | 'agentFigures', O>,
): SelectQueryBuilder<Schema, 'agents' | 'agentFigures', O> {
  return query.where(publicAgents());
}
