/** The SQL of moderation verdicts, with agents and services in one shape. */
import type { AgentId } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';

export type ModeratedKind = 'agent' | 'service';
export type Verdict = 'ok' | 'review' | 'spam';

export interface ModeratedRow {
  readonly kind: ModeratedKind;
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly agentId: AgentId;
  readonly agentSlug: string;
  readonly ownerWallet: string | null;
  readonly ownerUserId: string | null;
  readonly ownerBanned: boolean;
  readonly status: Verdict;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Both selects have the same columns. Times are cut to milliseconds, because a cursor holds no more. */
const selects: Record<ModeratedKind, RawBuilder<ModeratedRow>> = {
  agent: sql<ModeratedRow>`
    select 'agent' as kind, a.id, a.name as title, a.description as text, a.id as agent_id, a.slug as agent_slug, a.owner_wallet, a.owner_user_id,
           a.owner_banned, a.moderation_status as status, a.moderation_reason as reason,
           date_trunc('milliseconds', a.created_at) as created_at, a.updated_at
    from agents a`,
  service: sql<ModeratedRow>`
    select 'service' as kind, s.id, s.title, s.description as text, a.id as agent_id, a.slug as agent_slug, a.owner_wallet, a.owner_user_id,
           a.owner_banned, s.moderation_status as status, s.moderation_reason as reason, s.created_at, s.updated_at
    from services s join agents a on a.id = s.agent_id`,
};

const flagged: Record<ModeratedKind, RawBuilder<unknown>> = {
  agent: sql`where a.moderation_status <> 'ok'`,
  service: sql`where s.moderation_status <> 'ok'`,
};

const newestFirst: readonly SortKey<ModeratedRow>[] = [
  { column: sql`m.created_at`, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`m.id`, type: 'text', of: (row) => row.id },
];

export interface QueueFilters {
  readonly kind?: ModeratedKind | undefined;
  readonly status?: Exclude<Verdict, 'ok'> | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

const shownTexts = sql`m.id, m.title, m.text, m.agent_id, m.agent_slug, m.owner_wallet, m.owner_user_id, m.reason`;

export async function listFlagged(db: Db, filters: QueueFilters) {
  const kinds: readonly ModeratedKind[] = filters.kind === undefined ? ['agent', 'service'] : [filters.kind];
  const all = sql.join(
    kinds.map((kind) => sql`${selects[kind]} ${flagged[kind]}`),
    sql` union all `,
  );
  const withStatus = filters.status === undefined ? sql<boolean>`true` : sql<boolean>`m.status = ${filters.status}`;
  const wanted = sql<boolean>`${withStatus} and ${holdsText(filters.q, shownTexts)}`;
  const beyond = filters.cursor === undefined ? sql<boolean>`true` : beyondCursor('flagged', newestFirst, filters.cursor);
  const [{ rows }, counted] = await Promise.all([
    sql<ModeratedRow>`
      select m.* from (${all}) m where ${wanted} and ${beyond} order by m.created_at desc, m.id desc
      limit ${filters.limit + 1} offset ${filters.cursor === undefined ? filters.offset : 0}`.execute(db),
    sql<{ count: number }>`select count(*)::int as count from (${all}) m where ${wanted}`.execute(db),
  ]);
  return {
    ...cutPage(rows, filters.limit, 'flagged', newestFirst),
    total: counted.rows[0]?.count ?? 0,
  };
}

/** Locks the record until the transaction ends, so an edit by its owner waits. */
export async function lockModerated(tx: Tx, kind: ModeratedKind, id: string): Promise<ModeratedRow | undefined> {
  await sql`select id from ${tables[kind]} where id = ${id} for update`.execute(tx);
  const { rows } = await sql<ModeratedRow>`select m.* from (${selects[kind]}) m where m.id = ${id}`.execute(tx);
  return rows[0];
}

export async function writeVerdict(tx: Tx, { kind, id }: ModeratedRow, status: Verdict, reason: string | null): Promise<void> {
  await sql`update ${tables[kind]} set moderation_status = ${status}, moderation_reason = ${reason} where id = ${id}`.execute(tx);
}

const tables: Record<ModeratedKind, RawBuilder<unknown>> = { agent: sql`agents`, service: sql`services` };
