/** The SQL of intents. Every change of state names the state it comes from. */
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { OutgoingIntentsTable } from '../../platform/db/schema.generated.ts';
import { openStates } from './states.ts';

type Intent = Selectable<OutgoingIntentsTable>;

export interface IntentChange {
  readonly state: Intent['state'];
  readonly reason?: string | null;
  readonly reference?: string;
  readonly parkedFor?: 'account';
  readonly destination?: string;
  readonly amount?: bigint;
}

/** Compare-and-set; false when the intent is no longer in one of `from`. */
export async function moveIntent(tx: Tx, id: string, from: readonly Intent['state'][], to: IntentChange): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('outgoingIntents')
    .set({ parkedFor: null, ...to, updatedAt: sql`market_now()` })
    .where('id', '=', id)
    .where('state', 'in', [...from])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function findIntentState(db: Db, id: string): Promise<Intent['state'] | undefined> {
  return (await db.selectFrom('outgoingIntents').select('state').where('id', '=', id).executeTakeFirst())?.state;
}

/** Open intents for the reconcilers, the longest untouched first. */
export async function listOpenIntents(db: Db, purposes: readonly Intent['purpose'][], limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('outgoingIntents')
    .select('id')
    .where('state', 'in', [...openStates])
    .where('purpose', 'in', [...purposes])
    .orderBy('updatedAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
