/** The database work that every placed order needs: one transaction with five prepared inserts, each awaited. */
import type pg from 'pg';
import { ORDER_BRIEF } from './market-people.ts';

const TABLES = ['bare_orders', 'bare_steps', 'bare_events', 'bare_readers', 'bare_jobs'];

export async function prepareBareOrders(pool: pg.Pool): Promise<() => Promise<void>> {
  for (const table of TABLES)
    await pool.query(
      `create table if not exists ${table} (id text primary key, about text not null, body text not null, at timestamptz not null)`,
    );
  let number = 0;
  return async () => {
    const id = `ord_${process.pid}_${Date.now()}_${++number}`;
    const client = await pool.connect();
    try {
      await client.query('begin');
      for (const table of TABLES)
        await client.query({ name: table, text: `insert into ${table} values ($1, $2, $3, now())`, values: [id, 'svc_1', ORDER_BRIEF] });
      await client.query('commit');
    } finally {
      client.release();
    }
  };
}
