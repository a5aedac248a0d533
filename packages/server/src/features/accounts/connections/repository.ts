/** The SQL of connected programs. */
import type { AgentId, ConnectionId } from '@market/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { ConnectedProgramsTable, ConnectionsTable } from '../../../platform/db/schema.generated.ts';

export type ConnectionRow = Selectable<ConnectionsTable>;
export type NamedConnection = ConnectionRow & {
  readonly agentName: string | null;
  /** Active agents that stop with the connection, and agents that a restore paused. */
  readonly madeAgents: { readonly id: AgentId; readonly name: string }[];
};

/** Tokens expire by real time, not by market time. */
const stillGood = sql<boolean>`connections.expires_at > clock_timestamp()`;
/** Storing every use would cost a write per call. */
const NOTED_EVERY_SECONDS = 10;

export async function listConnections(db: Db, people: readonly string[]): Promise<NamedConnection[]> {
  return await withAgentNames(db)
    .where('connections.person', 'in', [...people])
    .orderBy('connections.createdAt', 'desc')
    .orderBy('connections.id', 'desc')
    .execute();
}

/** Connections of one person and one program, newest first. */
export async function listConnectionsOf(db: Db, person: string, clientId: string): Promise<NamedConnection[]> {
  return await withAgentNames(db)
    .where('connections.person', '=', person)
    .where('connections.clientId', '=', clientId)
    .orderBy('connections.createdAt', 'desc')
    .orderBy('connections.id', 'desc')
    .execute();
}

export async function countLive(db: Db, person: string): Promise<number> {
  const { count } = await db
    .selectFrom('connections')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('person', '=', person)
    .where('revokedAt', 'is', null)
    .where(stillGood)
    .executeTakeFirstOrThrow();
  return count;
}

export async function findConnection(db: Db, id: string, people: readonly string[]): Promise<NamedConnection | undefined> {
  return await withAgentNames(db)
    .where('connections.id', '=', id as ConnectionId)
    .where('connections.person', 'in', [...people])
    .executeTakeFirst();
}

function withAgentNames(db: Db) {
  return db
    .selectFrom('connections')
    .leftJoin('agents', 'agents.id', 'connections.agentId')
    .selectAll('connections')
    .select('agents.name as agentName')
    .select(
      sql<NamedConnection['madeAgents']>`(
        select coalesce(json_agg(json_build_object('id', made.id, 'name', made.name) order by made.name), '[]')
        from agents made where made.stops_with = connections.id and (
          made.active or exists (select 1 from paused_agents p where p.agent_id = made.id and p.active)))`.as('madeAgents'),
    )
    .where('connections.revokedAt', 'is', null)
    .where(stillGood);
}

/** Locks the connection until the transaction ends. Undefined when it expired, was revoked or does not exist. */
export async function lockConnection(tx: Tx, id: string, people: readonly string[]): Promise<ConnectionRow | undefined> {
  return await tx
    .selectFrom('connections')
    .selectAll()
    .where('id', '=', id as ConnectionId)
    .where('person', 'in', [...people])
    .where('revokedAt', 'is', null)
    .where(stillGood)
    .forUpdate()
    .executeTakeFirst();
}

export async function insertConnection(tx: Tx, connection: Insertable<ConnectionsTable>): Promise<void> {
  await tx.insertInto('connections').values(connection).execute();
}

export async function updateConnection(
  tx: Tx,
  id: ConnectionId,
  change: { readonly scopes?: string[]; readonly agentId?: AgentId | null },
): Promise<void> {
  await tx.updateTable('connections').set(change).where('id', '=', id).execute();
}

/** Undefined when it was revoked before. */
export async function markRevoked(tx: Tx, id: string): Promise<ConnectionRow | undefined> {
  return await tx
    .updateTable('connections')
    .set({ revokedAt: sql<Date>`market_now()` })
    .where('id', '=', id as ConnectionId)
    .where('revokedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Ends the tokens of all valid connections. The connections keep limits and agents until the program is connected again. Returns how many. */
export async function endAllTokens(tx: Tx): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('connections')
    .set({ tokensEndedAt: sql<Date>`market_now()` })
    .where('revokedAt', 'is', null)
    .where('tokensEndedAt', 'is', null)
    .where(stillGood)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * A connection without an agent acts as the first agent that it registers. False when the connection ended meanwhile. Locks its row, so that
 * a later end of the connection sees the agent.
 */
export async function adoptAgent(tx: Tx, id: string, agentId: AgentId): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update connections set agent_id = coalesce(agent_id, ${agentId})
    where id = ${id} and revoked_at is null and expires_at > clock_timestamp()`.execute(tx);
  return numAffectedRows === 1n;
}

/** One row per person and program, never deleted: limits, counts and registered agents refer to it. */
export async function requireProgram(tx: Tx, program: Insertable<ConnectedProgramsTable>): Promise<string> {
  await tx
    .insertInto('connectedPrograms')
    .values(program)
    .onConflict((conflict) => conflict.columns(['person', 'clientId']).doNothing())
    .execute();
  const { id } = await tx
    .selectFrom('connectedPrograms')
    .select('id')
    .where('person', '=', program.person)
    .where('clientId', '=', program.clientId)
    .executeTakeFirstOrThrow();
  return id;
}

/** Whether anybody ever connected this program. */
export async function wasConnected(db: Db, clientId: string): Promise<boolean> {
  return (await db.selectFrom('connectedPrograms').select('id').where('clientId', '=', clientId).limit(1).executeTakeFirst()) !== undefined;
}

/** Expired connections that no job has ended yet. */
export async function listExpired(db: Db, limit: number): Promise<ConnectionId[]> {
  const { rows } = await sql<{ id: ConnectionId }>`
    select id from connections where revoked_at is null and expires_at <= clock_timestamp() order by expires_at limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

export async function noteUse(db: Db, id: string): Promise<void> {
  await sql`
    update connections set last_used_at = market_now()
    where id = ${id} and (last_used_at is null or last_used_at < market_now() - make_interval(secs => ${NOTED_EVERY_SECONDS}))`.execute(db);
}

export interface LiveConnection extends ConnectionRow {
  readonly agent: {
    readonly id: AgentId;
    readonly name: string;
    readonly active: boolean;
    readonly owner_wallet: string | null;
    readonly owner_user_id: string | null;
    readonly owner_proven: boolean;
  } | null;
  readonly account: {
    readonly email: string | null;
    readonly google_email: string | null;
    readonly twitter_username: string | null;
    readonly display_name: string | null;
  } | null;
  readonly links: { readonly address: string; readonly proven_on: string[] | null }[];
  /** The last use was stored a moment ago and need not be stored again. */
  readonly isNoted: boolean;
}

/** A connection with valid tokens, and everything that a call in its name needs. */
export async function findLive(db: Db, id: string): Promise<LiveConnection | undefined> {
  const { rows } = await sql<LiveConnection>`
    select c.*,
           (select to_json(a) from (
              select id, name, active, owner_wallet, owner_user_id, owner_proven from agents where agents.id = c.agent_id) a) as agent,
           (select to_json(u) from (
              select email, google_email, twitter_username, display_name from users where users.id = substr(c.person, 6)) u) as account,
           (select coalesce(json_agg(json_build_object('address', address, 'proven_on', proven_on)), '[]')
            from user_wallets w where w.user_id = substr(c.person, 6)) as links,
           coalesce(c.last_used_at > market_now() - make_interval(secs => ${NOTED_EVERY_SECONDS}), false) as "isNoted"
    from connections c
    where c.id = ${id} and c.revoked_at is null and c.tokens_ended_at is null and c.expires_at > clock_timestamp()`.execute(db);
  return rows[0];
}

/** Deletes ended connections after some days; until then they help to investigate an incident. */
export async function forgetEnded(db: Db, keptDays: number): Promise<void> {
  await sql`delete from connections where revoked_at is not null and expires_at < clock_timestamp() - make_interval(days => ${keptDays})`.execute(
    db,
  );
}
