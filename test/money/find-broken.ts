/** The invariants that the audit finds broken now, or after running `spoilt`, which is then rolled back. */
import { invariants } from '../../packages/server/src/features/audit/invariants-repository.ts';
import type { Database } from '../../packages/server/src/platform/db/database.ts';
import { writableViews } from '../harness/writable-views.ts';

export async function findBroken({ pool }: Database, spoilt: readonly string[] = []): Promise<{ broken: string[]; changed: number }> {
  const client = await pool.connect();
  try {
    // The audit must read one moment; spoiling must not conflict with other transactions.
    await client.query(spoilt.length === 0 ? 'begin isolation level repeatable read' : 'begin');
    if (spoilt.length > 0) await client.query(writableViews);
    let changed = 0;
    for (const statement of spoilt) changed = (await client.query(statement)).rowCount ?? 0;
    const broken: string[] = [];
    for (const { id, sql } of invariants) if (((await client.query(sql)).rowCount ?? 0) > 0) broken.push(id);
    return { broken, changed };
  } finally {
    await client.query('rollback');
    client.release();
  }
}
