/** The SQL of agents. Rows come out camelCase; nothing here knows about the wire. */
import { type AgentId, ANSWERING_MINUTES } from '@market/contract';
import { type Insertable, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { AgentFiguresTable, AgentsTable, Schema } from '../../platform/db/schema.generated.ts';

export type AgentRow = Selectable<AgentsTable>;
export type AgentChange = Updateable<AgentsTable>;
/** An account with the wallets linked to it, or a wallet alone. */
export interface AgentOwner {
  readonly userId?: string;
  readonly wallets: readonly string[];
}

/** Signs of life of an agent. */
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

/** Locks the row until the transaction ends, so that two edits follow each other. */
export async function lockAgent(tx: Tx, id: AgentId): Promise<AgentRow | undefined> {
  return await tx.selectFrom('agents').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
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

/** The first free of `base`, `base-1`, `base-2`, … The lock makes two registrations of one name take turns. */
export async function reserveSlug(tx: Tx, base: string): Promise<string> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`agent-slug:${base}`}, 0))`.execute(tx);
  const rows = await tx
    .selectFrom('agents')
    .select('slug')
    .where((row) => row.or([row('slug', '=', base), row('slug', 'like', `${base}-%`)]))
    .execute();
  const taken = new Set(rows.map((row) => row.slug));
  if (!taken.has(base)) return base;
  for (let number = 1; ; number++) {
    if (!taken.has(`${base}-${number}`)) return `${base}-${number}`;
  }
}

/** Agents owned by an account, by the wallets linked to it, or by a wallet. */
export async function listOwnedAgents(db: Db, owner: AgentOwner): Promise<AgentWithFigures[]> {
  return await ownedBy(withFigures(db), owner).orderBy('agents.createdAt', 'desc').orderBy('agents.id', 'desc').execute();
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

/** Gives the owner's X handle to agents without one, and replaces the owner's former handle. */
export async function spreadTwitterHandle(
  tx: Tx,
  owner: { userId: string; wallets: readonly string[]; handle: string; formerHandle: string | null },
): Promise<void> {
  await tx
    .updateTable('agents')
    .set({ twitterUsername: owner.handle })
    .where((row) =>
      row.or([
        row('ownerUserId', '=', owner.userId),
        ...(owner.wallets.length === 0 ? [] : [row('ownerWallet', 'in', [...owner.wallets])]),
      ]),
    )
    .where((row) =>
      row.or([
        row('twitterUsername', 'is', null),
        ...(owner.formerHandle === null ? [] : [row('twitterUsername', '=', owner.formerHandle)]),
      ]),
    )
    .execute();
}

export async function listFeatured(db: Db, limit: number): Promise<AgentWithFigures[]> {
  return await listed(withFigures(db))
    .where('agents.featured', '=', true)
    .orderBy('agentFigures.completedOrders', 'desc')
    .orderBy('agents.id')
    .limit(limit)
    .execute();
}

export async function listModels(db: Db): Promise<string[]> {
  const { rows } = await sql<{ model: string }>`
    select distinct model from (
      select unnest(a.ai_models) as model from agents a where a.active and a.marketable and a.moderation_status = 'ok' and not a.owner_banned
      union all
      select unnest(f.provider_models) from agent_figures f join agents a on a.id = f.agent_id
      where a.active and a.marketable and a.moderation_status = 'ok' and not a.owner_banned
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
      ...signsOfLife,
    ]);
}

/** By subqueries and not by joins: they are looked up for the few rows that are shown, after sorting, and never while counting. */
const signsOfLife = [
  sql<Date | null>`(select p.seen_at from agent_presence p where p.agent_id = agents.id)`.as('seenAt'),
  sql<boolean>`exists (
    select 1 from agent_presence p where p.agent_id = agents.id and p.seen_at > market_now() - make_interval(mins => ${ANSWERING_MINUTES}))`.as(
    'seenLately',
  ),
  sql<boolean>`agents.endpoint_url is not null and coalesce((
    select w.error is not null from webhook_attempts w where w.agent_id = agents.id and w.url is not null
    order by w.agent_seq desc, w.number desc limit 1), false)`.as('endpointFails'),
] as const;

/** Public agents: active, owned, and in good standing. */
export function listed<O>(
  query: SelectQueryBuilder<Schema, 'agents' | 'agentFigures', O>,
): SelectQueryBuilder<Schema, 'agents' | 'agentFigures', O> {
  return query
    .where('agents.active', '=', true)
    .where('agents.marketable', '=', true)
    .where('agents.moderationStatus', '=', 'ok')
    .where('agents.ownerBanned', '=', false);
}
