/** The SQL of sending: deliveries, leases, outcomes. */
import { CompiledQuery, sql } from 'kysely';
import type pg from 'pg';
import { arrayLiteral } from '../../platform/db/array-literal.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { AttemptEntry } from './send-attempt.ts';

/**
 * The channel of senders. Its payload is `<agent>` for new deliveries, `!<agent>` for deliveries to send again, `~<agent>` for a changed
 * address or secret.
 */
export const WEBHOOKS_CHANNEL = 'market_webhooks';

/** The columns of a delivery besides its event. */
export interface NewDelivery {
  readonly id: string;
  readonly order_id: string | null;
  readonly body: string;
  readonly is_test: boolean;
}

/** Parts of the statement that appends events. Only for agents with an endpoint. */
export const INSERT_DELIVERIES = `
    fresh as (
      insert into webhook_deliveries (id, agent_id, agent_seq, event_id, event, order_id, body, is_test)
      select d.id, e.agent_id, e.agent_seq, e.id, e.type, d.order_id, d.body, d.is_test
      from appended e
      cross join lateral jsonb_to_record(e.webhook) as d (id uuid, order_id text, body text, is_test boolean)
      join agents a on a.id = e.agent_id and a.endpoint_url is not null
      where e.webhook is not null
      returning agent_id, agent_seq),
    senders as (select distinct agent_id from fresh),
    to_send as (insert into webhook_queue (agent_id, agent_seq) select agent_id, agent_seq from fresh),
    lanes as (insert into webhook_lanes (agent_id) select agent_id from senders on conflict do nothing)`;

/** The sending process hears of it at commit. */
export const NOTIFY_SENDERS = `select '${WEBHOOKS_CHANNEL}', agent_id from senders`;

export interface ClaimedLane {
  readonly agentId: string;
  /** Fencing token: changes with every claim. */
  readonly leaseNumber: number;
}

/** Leases the agents among these that are free. */
export async function claimLanes(db: Db, agentIds: readonly string[], leaseSeconds: number): Promise<ClaimedLane[]> {
  const { rows } = await sql<ClaimedLane>`
    update webhook_lanes set lease_number = lease_number + 1, lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where agent_id in (
      select agent_id from webhook_lanes
      where agent_id = any(${[...agentIds]}) and (lease_until is null or lease_until < clock_timestamp())
      for update skip locked)
    returning agent_id, lease_number`.execute(db);
  return rows;
}

export interface QueueLook {
  /** Agents with due deliveries and no lease. */
  readonly neglected: readonly string[];
  /** Until the next retry is due. */
  readonly nextMs: number | null;
  readonly isEmpty: boolean;
}

/** Finds waiting agents by skipping from agent to agent, however many deliveries each has. */
export async function lookAtQueue(db: Db, limit: number): Promise<QueueLook> {
  const { rows } = await sql<QueueLook>`
    with recursive waiting as (
      (select agent_id from webhook_queue where next_at is null order by agent_id limit 1)
      union all
      select (select q.agent_id from webhook_queue q where q.next_at is null and q.agent_id > w.agent_id order by q.agent_id limit 1)
      from waiting w where w.agent_id is not null),
    due as (
      select agent_id from waiting where agent_id is not null
      union
      select agent_id from webhook_queue where next_at <= market_now())
    select array(
        select agent_id from due join webhook_lanes l using (agent_id)
        where l.lease_until is null or l.lease_until < clock_timestamp() limit ${limit}) as neglected,
      (select extract(epoch from min(next_at) - market_now()) * 1000 from webhook_queue where next_at > market_now())::float8 as "nextMs",
      not exists (select 1 from webhook_queue) as "isEmpty"`.execute(db);
  return rows[0] ?? { neglected: [], nextMs: null, isEmpty: true };
}

/** Returns the agents that are still held. */
export async function renewLanes(db: Db, lanes: readonly ClaimedLane[], leaseSeconds: number): Promise<string[]> {
  const { rows } = await sql<{ agentId: string }>`
    update webhook_lanes l set lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    from unnest(${lanes.map(({ agentId }) => agentId)}::text[], ${lanes.map(({ leaseNumber }) => leaseNumber)}::int[]) as held (agent_id, lease_number)
    where l.agent_id = held.agent_id and l.lease_number = held.lease_number
    returning l.agent_id`.execute(db);
  return rows.map(({ agentId }) => agentId);
}

export async function releaseLanes(db: Db, lanes: readonly ClaimedLane[]): Promise<void> {
  await sql`
    update webhook_lanes l set lease_until = null
    from unnest(${lanes.map(({ agentId }) => agentId)}::text[], ${lanes.map(({ leaseNumber }) => leaseNumber)}::int[]) as held (agent_id, lease_number)
    where l.agent_id = held.agent_id and l.lease_number = held.lease_number`.execute(db);
}

export interface QueuedDelivery {
  readonly id: string;
  readonly agentId: string;
  readonly seq: number;
  readonly event: string;
  readonly orderId: string | null;
  readonly body: string;
  readonly isTest: boolean;
  readonly redeliveries: number;
  readonly attempts: number;
  readonly tries: number;
  /** Until the next attempt is due, 0 or less meaning now; null for a first attempt, which waits for its turn. */
  readonly dueInMs: number | null;
  /** Market time of its event. */
  readonly createdAtMs: number;
}

type WaitingRow = [
  id: string,
  agentId: string,
  seq: number,
  event: string,
  orderId: string | null,
  body: string,
  isTest: boolean,
  ms: number,
];

/**
 * Loads deliveries that wait for their first attempt, after the last one known, in order. The hot statements go to the pool by name, so
 * that PostgreSQL plans them once. This one returns few columns, without their names, because it returns most of the rows.
 */
export async function loadWaiting(
  pool: pg.Pool,
  lanes: readonly { readonly agentId: string; readonly lastSeq: number }[],
  perLane: number,
): Promise<QueuedDelivery[]> {
  const { rows } = await pool.query<WaitingRow>({
    name: 'webhooks-waiting',
    rowMode: 'array',
    text: `
      select d.id, d.agent_id, d.agent_seq::float8, d.event, d.order_id, d.body, d.is_test, date_part('epoch', d.created_at) * 1000
      from unnest($1::text[], $2::bigint[]) as l (agent_id, last_seq)
      cross join lateral (
        select w.agent_id, w.agent_seq from webhook_queue w where w.agent_id = l.agent_id and w.next_at is null and w.agent_seq > l.last_seq
        order by w.agent_seq limit $3) q
      join webhook_deliveries d on d.agent_id = q.agent_id and d.agent_seq = q.agent_seq`,
    values: [lanes.map(({ agentId }) => agentId), lanes.map(({ lastSeq }) => lastSeq), perLane],
  });
  const untried = { redeliveries: 0, attempts: 0, tries: 0, dueInMs: null };
  return rows.map(([id, agentId, seq, event, orderId, body, isTest, createdAtMs]) => ({
    id,
    agentId,
    seq,
    event,
    orderId,
    body,
    isTest,
    createdAtMs,
    ...untried,
  }));
}

/** Loads the retries within the horizon, except those known already. */
export async function loadRetries(
  pool: pg.Pool,
  lanes: readonly { readonly agentId: string; readonly knownSeqs: readonly number[] }[],
  perLane: number,
  horizonSeconds: number,
): Promise<QueuedDelivery[]> {
  const { rows } = await pool.query<QueuedDelivery>({
    name: 'webhooks-retries',
    // The clock is read once, not per row.
    text: `
      with n as materialized (select market_now() as now)
      select d.id, d.agent_id as "agentId", d.agent_seq::float8 as seq, d.event, d.order_id as "orderId", d.body, d.is_test as "isTest",
             date_part('epoch', d.created_at) * 1000 as "createdAtMs", d.redeliveries, q.attempts, q.tries,
             date_part('epoch', q.next_at - n.now) * 1000 as "dueInMs"
      from n cross join unnest($1::text[]) as l (agent_id)
      cross join lateral (
        select * from webhook_queue w where w.agent_id = l.agent_id and w.next_at < n.now + make_interval(secs => $4)
        and w.agent_id || ' ' || w.agent_seq <> all($2::text[])
        order by w.next_at limit $3) q
      join webhook_deliveries d on d.agent_id = q.agent_id and d.agent_seq = q.agent_seq`,
    values: [
      lanes.map(({ agentId }) => agentId),
      lanes.flatMap(({ agentId, knownSeqs }) => knownSeqs.map((seq) => `${agentId} ${seq}`)),
      perLane,
      horizonSeconds,
    ],
  });
  return rows;
}

export interface TargetRow {
  readonly agentId: string;
  readonly name: string;
  readonly endpointUrl: string | null;
  readonly secretSealed: string | null;
  readonly previousSecretSealed: string | null;
  readonly previousSecretUntil: Date | null;
  readonly extendedRetries: boolean;
  readonly ownerWallet: string | null;
  readonly ownerUserId: string | null;
}

export async function loadTargets(pool: pg.Pool, agentIds: readonly string[]): Promise<TargetRow[]> {
  const { rows } = await pool.query<TargetRow>({
    name: 'webhooks-targets',
    text: `
      select id as "agentId", name, endpoint_url as "endpointUrl", webhook_secret_sealed as "secretSealed",
             previous_webhook_secret_sealed as "previousSecretSealed", previous_webhook_secret_until as "previousSecretUntil",
             webhook_extended_retries as "extendedRetries", owner_wallet as "ownerWallet", owner_user_id as "ownerUserId"
      from agents where id = any($1)`,
    values: [agentIds],
  });
  return rows;
}

export interface Outcome {
  readonly agentId: string;
  readonly seq: number;
  readonly leaseNumber: number;
  /** Attempts before this one. */
  readonly before: number;
  readonly entry: AttemptEntry;
  /** Null: it is tried again at `nextAt`. */
  readonly endsAs: 'delivered' | 'failed' | 'dropped' | null;
  readonly nextAt: Date | null;
}

/**
 * At most one outcome per delivery. Skips deliveries that another process has taken over: the lease must still be ours, and the
 * attempt must be the next one.
 */
const WRITE_OUTCOMES = `
  with held as materialized (
    select o.*, to_timestamp(o.next_ms / 1000) as next_at, to_timestamp(o.at_ms / 1000) as at
    from unnest($1::text[], $2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::float8[], $7::float8[], $8::integer[], $9::integer[],
                $10::text[], $11::text[], $12::text[], $13::text[])
      as o (agent_id, agent_seq, lease_number, before, ends_as, next_ms, at_ms, duration_ms, status, error, url, signature, answer)
    join webhook_lanes l on l.agent_id = o.agent_id and l.lease_number = o.lease_number),
  ended as (
    delete from webhook_queue q using held o
    where o.next_at is null and q.agent_id = o.agent_id and q.agent_seq = o.agent_seq and q.attempts = o.before
    returning o.*),
  postponed as (
    update webhook_queue q set attempts = q.attempts + 1, tries = q.tries + 1, next_at = o.next_at from held o
    where o.next_at is not null and q.agent_id = o.agent_id and q.agent_seq = o.agent_seq and q.attempts = o.before
    returning o.*)
  insert into webhook_attempts (agent_id, agent_seq, number, at, duration_ms, status, error, url, signature, answer, ends_as)
  select o.agent_id, o.agent_seq, o.before + 1, o.at, o.duration_ms, o.status, o.error, o.url, o.signature, o.answer, o.ends_as
  from (select * from ended union all select * from postponed) o`;

/** Stores the outcomes of attempts. */
export async function writeOutcomes(pool: pg.Pool, outcomes: readonly Outcome[]): Promise<void> {
  await pool.query({ name: 'webhooks-outcomes', text: WRITE_OUTCOMES, values: asColumns(outcomes) });
}

/** As `writeOutcomes`, in a transaction; returns those that were written. */
export async function writeOutcomesIn(tx: Tx, outcomes: readonly Outcome[]): Promise<{ readonly agentId: string; readonly seq: number }[]> {
  const text = `${WRITE_OUTCOMES} returning agent_id, agent_seq::float8 as seq`;
  const { rows } = await tx.executeQuery<{ agentId: string; seq: number }>(CompiledQuery.raw(text, asColumns(outcomes)));
  return rows;
}

/** The columns in the order of the parameters. Rows of one agent stand together, because they are neighbours in every index. */
function asColumns(outcomes: readonly Outcome[]): string[] {
  const rows = [...Map.groupBy(outcomes, ({ agentId }) => agentId).values()].flat();
  const column = (read: (outcome: Outcome) => string | number | null): string => arrayLiteral(rows, read);
  return [
    column((row) => row.agentId),
    column((row) => row.seq),
    column((row) => row.leaseNumber),
    column((row) => row.before),
    column((row) => row.endsAs),
    column((row) => row.nextAt?.getTime() ?? null),
    column((row) => row.entry.atMs),
    column((row) => row.entry.durationMs),
    column((row) => row.entry.status),
    column((row) => row.entry.error),
    column((row) => row.entry.url),
    column((row) => row.entry.signature),
    column((row) => row.entry.answer),
  ];
}

export async function countOpenDeliveries(db: Db): Promise<number> {
  const { rows } = await sql<{ open: number }>`select count(*)::int as open from webhook_queue`.execute(db);
  return rows[0]?.open ?? 0;
}
