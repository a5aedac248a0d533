/** The SQL of payouts. Every change of state names the state it comes from. */
import type { NetworkName } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import { compileOnce } from '../../platform/db/compile-once.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';
import type { PayoutsTable } from '../../platform/db/schema.generated.ts';

export type PayoutRow = Omit<Selectable<PayoutsTable>, 'network'> & { readonly network: NetworkName };
export type PayoutState = PayoutRow['state'];

type NewPayout = Pick<PayoutRow, 'id' | 'purpose' | 'subjectId' | 'network' | 'destination' | 'amountMicros'>;

export const payoutPurposes = ['payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal'] as const;

/** The condition of the unique index. */
const isUnique = sql<boolean>`state <> 'void' and purpose in (${sql.join(payoutPurposes.map((purpose) => sql.lit(purpose)))})`;

/** Undefined when this purpose and subject have a payout already. */
export async function insertPayout(tx: Tx, payout: NewPayout): Promise<PayoutRow | undefined> {
  const { amountMicros: amount, ...intent } = payout;
  const row = await tx
    .insertInto('outgoingIntents')
    .values({ ...intent, amount })
    .onConflict((conflict) => conflict.columns(['purpose', 'subjectId']).where(isUnique).doNothing())
    .returning(['id', 'purpose', 'subjectId', 'network', 'destination', 'amount as amountMicros'])
    .returning(['state', 'reason', 'reference', 'createdAt', 'updatedAt', 'parkedFor'])
    .executeTakeFirst();
  return row as PayoutRow | undefined;
}

const INSERT_FIRST_PAYOUT =
  'insert into outgoing_intents (id, purpose, subject_id, network, destination, amount) values ($1, $2, $3, $4, $5, $6)';

/** Fails the transaction when this purpose and subject have a payout already. */
export async function insertFirstPayout(tx: Tx, payout: NewPayout): Promise<void> {
  const { id, purpose, subjectId, network, destination, amountMicros } = payout;
  await tx.executeQuery(deferred(INSERT_FIRST_PAYOUT, [id, purpose, subjectId, network, destination, amountMicros]));
}

export async function findPayout(db: Db, id: string): Promise<PayoutRow | undefined> {
  return (await db.selectFrom('payouts').selectAll().where('id', '=', id).executeTakeFirst()) as PayoutRow | undefined;
}

export async function findPayoutFor(db: Db, purpose: PayoutRow['purpose'], subjectId: string): Promise<PayoutRow | undefined> {
  const row = await db
    .selectFrom('payouts')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('subjectId', '=', subjectId)
    .where('state', '!=', 'void')
    .executeTakeFirst();
  return row as PayoutRow | undefined;
}

/** A payout with the reference of the bytes a node accepted, although they are not confirmed yet. */
export type ShownPayout = PayoutRow & { readonly sentReference: string | null };

/** All payouts for these subjects that are not void. */
export async function listPayoutsOf(db: Db, subjectIds: readonly string[]): Promise<ShownPayout[]> {
  return subjectIds.length === 0 ? [] : (await db.executeQuery(selectPayoutsOf(db, subjectIds))).rows;
}

export const selectPayoutsOf = compileOnce((db, subjectIds: readonly string[]) =>
  db
    .selectFrom('payouts')
    .selectAll()
    .select(
      sql<string | null>`(select a.reference from outgoing_attempts a
        where a.intent_id = payouts.id and a.state in ('sent', 'unknown', 'confirmed') order by a.number desc limit 1)`.as('sentReference'),
    )
    .where('subjectId', '=', sql<string>`any(${subjectIds})`)
    .where('state', '!=', 'void')
    .orderBy('createdAt')
    .$castTo<ShownPayout>(),
);

const newestFirst: readonly SortKey<PayoutRow>[] = [
  { column: sql`created_at`, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`id`, type: 'text', of: (row) => row.id },
];

export async function listPayouts(
  db: Db,
  state: PayoutState | 'open' | undefined,
  page: { readonly q?: string | undefined; readonly limit: number; readonly offset: number; readonly cursor?: string | undefined },
): Promise<{ rows: PayoutRow[]; total: number; nextCursor: string | null }> {
  const states: readonly PayoutState[] | undefined =
    state === undefined ? undefined : state === 'open' ? ['queued', 'signed', 'sent', 'unknown'] : [state];
  let matching = db
    .selectFrom('payouts')
    .selectAll()
    .where(holdsText(page.q, sql`id, subject_id, network, destination, reason, reference`));
  if (states !== undefined) matching = matching.where('state', 'in', [...states]);
  let query = page.cursor === undefined ? matching.offset(page.offset) : matching.where(beyondCursor('payouts', newestFirst, page.cursor));
  for (const key of newestFirst) query = query.orderBy(key.column, 'desc');
  const rows = (await query.limit(page.limit + 1).execute()) as PayoutRow[];
  const count = await matching.clearSelect().select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow();
  return {
    ...cutPage(rows, page.limit, 'payouts', newestFirst),
    total: count.count,
  };
}

export async function writeDestination(tx: Tx, id: string, destination: string): Promise<void> {
  await tx.updateTable('payouts').set({ destination }).where('id', '=', id).execute();
}
