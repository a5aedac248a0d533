/** The SQL of the demo: its one row. */
import type { Db } from '../../../platform/db/database.ts';

export interface DemoRow {
  readonly sealedSeed: string;
  readonly completedAt: Date | null;
}

export async function findDemo(db: Db): Promise<DemoRow | undefined> {
  return await db.selectFrom('demoContent').select(['sealedSeed', 'completedAt']).executeTakeFirst();
}

export async function insertDemo(db: Db, sealedSeed: string): Promise<void> {
  await db.insertInto('demoContent').values({ sealedSeed }).execute();
}

export async function markComplete(db: Db, now: Date): Promise<void> {
  await db.updateTable('demoContent').set({ completedAt: now }).execute();
}
