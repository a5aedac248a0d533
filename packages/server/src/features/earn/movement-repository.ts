/** The SQL of lists that owners and operators see: deposits and withdrawals together. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import type { Owner } from './vault-repository.ts';

export interface MovementName {
  readonly id: string;
  readonly kind: 'deposit' | 'withdraw';
  readonly createdAt: Date;
}

const newestFirst: readonly SortKey<MovementName>[] = [
  { column: sql`created_at`, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`id`, type: 'text', of: (row) => row.id },
];

interface Searched {
  readonly q?: string | undefined;
  /** Labels of vaults by key. The search matches them. */
  readonly labels: Readonly<Record<string, string>>;
}

type Matching = Readonly<Record<MovementName['kind'], RawBuilder<unknown>>>;

const agentName = sql`(select a.name from agents a where owner_kind = 'agent' and a.id = owner_id)`;
const labelOf = (labels: Searched['labels']) => sql`${JSON.stringify(labels)}::jsonb ->> vault_key`;
const partsOf = sql`(select string_agg(concat_ws(' ', i.reference, p.paid_reference), ' ') from earn_parts p join earn_intents i on i.id = p.intent_id
  where p.withdrawal_id = earn_withdrawals.id)`;

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

/** Reads each owner's newest rows by index and merges only as many as the page needs. */
export async function listMovements(
  db: Db,
  owners: readonly Owner[],
  vaultKey: string | undefined,
  { q, labels, ...page }: Page & Searched,
): Promise<{ rows: MovementName[]; total: number; nextCursor: string | null }> {
  const kinds = owners.map(({ kind }) => kind);
  const ids = owners.map(({ id }) => id);
  const isOf = sql`(owner_kind, owner_id) in (select kind, id from unnest(${kinds}::text[], ${ids}::text[]) as o (kind, id))`;
  const inVault = vaultKey === undefined ? sql`true` : sql`vault_key = ${vaultKey}`;
  // The answer shows an account as "you", so its id is not searched.
  const shown = sql`id, vault_key, ${labelOf(labels)}, case when owner_kind <> 'user' then owner_id end, ${agentName}, reason`;
  const mine = sql`${isOf} and ${inVault}`;
  const matching: Matching = {
    deposit: sql`${mine} and ${holdsText(q, sql`${shown}, reference, deploy_reference, refund_reference`)}`,
    withdraw: sql`${mine} and ${holdsText(q, sql`${shown}, destination, ${partsOf}`)}`,
  };
  return await listBoth(db, matching, page);
}

export async function listActivity(db: Db, direction: 'all' | 'deposit' | 'withdraw', { q, ...page }: Page & Pick<Searched, 'q'>) {
  const shown = sql`id, vault_key, owner_id, ${agentName}`;
  const matching: Matching = {
    deposit: holdsText(q, sql`${shown}, coalesce(deploy_reference, reference)`),
    withdraw: holdsText(q, sql`${shown}, destination, ${partsOf}`),
  };
  return await listBoth(db, matching, page, direction);
}

async function listBoth(db: Db, matching: Matching, page: Page, direction: 'all' | 'deposit' | 'withdraw' = 'all') {
  const beyond = page.cursor === undefined ? sql<boolean>`true` : beyondCursor('earn', newestFirst, page.cursor);
  const offset = page.cursor === undefined ? page.offset : 0;
  const most = page.limit + 1 + offset;
  const of = (table: RawBuilder<unknown>, kind: MovementName['kind']) => sql`
    (select id, ${kind}::text as kind, created_at from ${table}
     where ${direction === 'all' || direction === kind} and ${matching[kind]} and ${beyond} order by created_at desc, id desc limit ${most})`;
  const { rows } = await sql<MovementName>`
    select id, kind, created_at from (${of(sql`earn_deposits`, 'deposit')} union all ${of(sql`earn_withdrawals`, 'withdraw')}) both_kinds
    order by created_at desc, id desc limit ${page.limit + 1} offset ${offset}`.execute(db);
  const count = await sql<{ total: number }>`
    select ((select count(*) from earn_deposits where ${direction !== 'withdraw'} and ${matching.deposit})
      + (select count(*) from earn_withdrawals where ${direction !== 'deposit'} and ${matching.withdraw}))::int as total`.execute(db);
  return { ...cutPage(rows, page.limit, 'earn', newestFirst), total: count.rows[0]?.total ?? 0 };
}

export interface DepositLinks {
  readonly id: string;
  readonly deployReference: string | null;
  readonly refundState: string | null;
  readonly refundReference: string | null;
}

/** Transactions of deposits, including sent ones that are not confirmed. */
export async function readDepositLinks(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, DepositLinks>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<DepositLinks>`
    select d.id,
      coalesce(d.deploy_reference, (select a.reference from earn_intents i join outgoing_attempts a on a.intent_id = i.id
        where i.subject_id = d.id and a.state in ('sent', 'unknown', 'confirmed') order by i.created_at desc, a.number desc limit 1)) as deploy_reference,
      p.state as refund_state,
      coalesce(d.refund_reference, p.reference, (select a.reference from outgoing_attempts a
        where a.intent_id = p.id and a.state in ('sent', 'unknown', 'confirmed') order by a.number desc limit 1)) as refund_reference
    from earn_deposits d left join payouts p on p.purpose = 'earn_refund' and p.subject_id = d.id and p.state <> 'void'
    where d.id = any(${sql.val([...ids])}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface OwnerName {
  readonly id: string;
  readonly name: string | null;
  readonly avatarUrl: string | null;
}

export async function readAgentNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, OwnerName>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<OwnerName>`select id, name, avatar_url from agents where id = any(${sql.val([...ids])}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface EarnTotals {
  readonly depositsMicros: bigint;
  readonly paidMicros: bigint;
  readonly owedMicros: bigint;
}

export async function readTotals(db: Db): Promise<EarnTotals> {
  const { rows } = await sql<EarnTotals>`
    select coalesce((select sum(amount_micros) from earn_deposits where status = 'deployed'), 0)::bigint as deposits_micros,
      coalesce((select sum(paid_micros) from earn_withdrawals), 0)::bigint as paid_micros,
      coalesce((select sum(received_micros - paid_micros) from earn_withdrawals), 0)::bigint as owed_micros`.execute(db);
  return rows[0] ?? { depositsMicros: 0n, paidMicros: 0n, owedMicros: 0n };
}

/** Micro-USDC of deposits that are not in the venue yet, per vault. */
export async function readOpenDeposits(db: Db): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await sql<{ key: string; micros: bigint }>`
    select vault_key as key, sum(amount_micros)::bigint as micros from earn_deposits
    where status in ('received', 'deploying', 'held') group by vault_key`.execute(db);
  return new Map(rows.map(({ key, micros }) => [key, micros]));
}
