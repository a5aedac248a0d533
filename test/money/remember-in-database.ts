/** For tests: signed bytes of a payment in a table that all processes share. */
import type pg from 'pg';
import type { PendingSettlements } from '../../packages/server/src/platform/facilitator/pending-settlements.ts';

export async function prepareMemory(pool: pg.Pool): Promise<void> {
  await pool.query('create table test_settlements (identity text primary key, reference text not null, bytes text not null)');
}

export function rememberInDatabase(pool: pg.Pool): PendingSettlements {
  return {
    async find(identity) {
      const { rows } = await pool.query('select reference, bytes from test_settlements where identity = $1', [identity]);
      return rows[0];
    },
    async keep(identity, { reference, bytes }) {
      const text = `insert into test_settlements values ($1, $2, $3)
        on conflict (identity) do update set reference = excluded.reference, bytes = excluded.bytes`;
      await pool.query(text, [identity, reference, bytes]);
    },
  };
}
