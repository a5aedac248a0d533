/** The SQL of statements: lines of the books, newest first, with the account's balance after each. */
import type { NetworkName } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';

export interface StatementLine {
  readonly transferId: bigint;
  readonly accountId: bigint;
  readonly postedAt: Date;
  readonly kind: string;
  readonly subjectId: string;
  readonly network: NetworkName;
  readonly account: string;
  readonly amountMicros: bigint;
  readonly balanceMicros: bigint;
}

interface StatementAccount {
  readonly kind: string;
  readonly owner: string;
}

interface StatementFilters {
  readonly subjectId?: string | undefined;
  readonly q?: string | undefined;
}

export interface StatementPage {
  readonly lines: readonly StatementLine[];
  readonly total: number;
  readonly nextCursor: string | null;
}

const keys: readonly SortKey<StatementLine>[] = [
  { column: sql`s.transfer_id`, type: 'int8', of: (line) => line.transferId },
  { column: sql`s.account_id`, type: 'int8', of: (line) => line.accountId },
];

export async function readStatement(
  db: Db,
  account: StatementAccount,
  page: StatementFilters & { readonly limit: number; readonly offset: number; readonly cursor?: string | undefined },
): Promise<StatementPage> {
  const beyond = page.cursor === undefined ? sql<boolean>`true` : beyondCursor('statement', keys, page.cursor);
  const { rows } = await sql<StatementLine>`
    select s.* from (
      select e.transfer_id, e.account_id, t.posted_at, t.kind, t.subject_id, a.network, a.kind as account, e.amount_micros,
             sum(e.amount_micros) over (partition by e.account_id order by e.transfer_id)::bigint as balance_micros
      from ledger_accounts a join ledger_entries e on e.account_id = a.id join ledger_transfers t on t.id = e.transfer_id
      where a.kind = ${account.kind} and a.owner = ${account.owner}) s
    where ${matching(page, { kind: sql`s.kind`, subject: sql`s.subject_id`, network: sql`s.network` })} and ${beyond}
    order by s.transfer_id desc, s.account_id desc
    limit ${page.limit + 1} offset ${page.cursor === undefined ? page.offset : 0}`.execute(db);
  const { rows: lines, nextCursor } = cutPage(rows, page.limit, 'statement', keys);
  return { lines, nextCursor, total: await countLines(db, account, page) };
}

/** Condition for both kinds of statements, which name their columns differently. */
function matching(
  { subjectId, q }: StatementFilters,
  { kind, subject, network }: Readonly<Record<'kind' | 'subject' | 'network', RawBuilder<unknown>>>,
): RawBuilder<boolean> {
  const about = subjectId === undefined ? sql`true` : sql`${subject} = ${subjectId}`;
  return sql<boolean>`${about} and ${holdsText(q, sql`${kind}, ${subject}, ${network}`)}`;
}

async function countLines(db: Db, account: StatementAccount, filters: StatementFilters): Promise<number> {
  const about = matching(filters, { kind: sql`t.kind`, subject: sql`t.subject_id`, network: sql`a.network` });
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ledger_accounts a join ledger_entries e on e.account_id = a.id join ledger_transfers t on t.id = e.transfer_id
    where a.kind = ${account.kind} and a.owner = ${account.owner} and ${about}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** A line of one subject, with its account. The balance covers this subject only, so it reveals nothing about others. */
export interface SubjectLine extends StatementLine {
  readonly owner: string;
  /** Purpose of the payout, on lines that reserve or send one. */
  readonly payoutPurpose: string | null;
}

/** Every entry about one subject, newest first. */
export async function readSubjectLines(db: Db, subjectId: string): Promise<readonly SubjectLine[]> {
  const { rows } = await sql<SubjectLine>`
    select e.transfer_id, e.account_id, t.posted_at, t.kind, t.subject_id, a.network, a.kind as account, a.owner, p.purpose as payout_purpose,
           e.amount_micros, sum(e.amount_micros) over (partition by e.account_id order by e.transfer_id)::bigint as balance_micros
    from ledger_transfers t join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id
      left join payouts p on a.kind = 'in_flight' and p.id = a.owner
    where t.subject_id = ${subjectId} order by e.transfer_id desc, e.account_id desc`.execute(db);
  return rows;
}

/** Balances of the accounts of one kind and owner, per network. */
export async function readBalances(db: Db, account: StatementAccount): Promise<readonly { network: NetworkName; micros: bigint }[]> {
  const { rows } = await sql<{ network: NetworkName; micros: bigint }>`
    select network, balance_micros as micros from ledger_accounts where kind = ${account.kind} and owner = ${account.owner} order by network`.execute(
    db,
  );
  return rows;
}

/** Held and owed, summed per network and kind of account. */
export async function readTotals(db: Db): Promise<readonly { network: NetworkName; account: string; micros: bigint }[]> {
  const { rows } = await sql<{ network: NetworkName; account: string; micros: bigint }>`
    select network, kind as account, sum(balance_micros)::bigint as micros from ledger_accounts where kind <> 'treasury' and network not like '%/%'
    group by network, kind having sum(balance_micros) <> 0
    union all
    select network, 'treasury', -sum(balance_micros)::bigint from ledger_accounts where kind <> 'treasury' and network not like '%/%'
    group by network having sum(balance_micros) <> 0
    order by network, account`.execute(db);
  return rows;
}
