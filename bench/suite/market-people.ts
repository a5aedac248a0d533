/** Buyers, sellers and services for benchmarks. */
import type { Database } from '../../packages/server/src/platform/db/database.ts';
import { registerAgent } from '../../test/harness/agents.ts';
import { listService, openProvider, type Provider } from '../../test/harness/orders.ts';
import { seedServices } from '../../test/harness/seed-services.ts';
import type { Stage } from './stage.ts';

export interface Seller extends Provider {
  readonly serviceId: string;
}

export async function openSeller(url: string): Promise<Seller> {
  const provider = await openProvider(url);
  return { ...provider, serviceId: await listService(url, provider, { price_usd: '1.00' }) };
}

/** Registers an agent that buys, and returns its API key. */
export async function openBuyerKey(url: string): Promise<string> {
  return (await registerAgent(url)).key;
}

const seeded = new WeakMap<Database, Promise<void>>();

/** Fills the stage once; a shared stage keeps what the first benchmark put there. */
export async function fillServices({ database }: Stage, count: number): Promise<void> {
  const filling = seeded.get(database) ?? seedServices(database.pool, count);
  seeded.set(database, filling);
  await filling;
}

/** Ids of fixed-price services that can be ordered, from as many different sellers as possible. */
export async function pickServices({ database: { pool } }: Stage, count: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select distinct on (agent_id) id from services where listed and price_type = 'fixed' and requirement_fields is not null limit $1`,
    [count],
  );
  const ids = rows.map(({ id }) => id);
  await pool.query(`update services set requirement_fields = null where id = any($1)`, [ids]);
  return ids;
}

/** Inserts completed orders of all services by a few thousand wallets, as in a grown market. */
export async function fillOrders({ database: { pool } }: Stage, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0; set synchronous_commit = off');
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from services');
    await client.query(
      `insert into orders (id, service_id, provider_agent_id, client_wallet, service_title, category, price_type, turnaround_hours, max_revisions,
                           brief, status, price_micros, fee_micros, payment_method, payment_network, payer, payment_reference, paid_micros,
                           quoted_at, paid_at, delivered_at, completed_at, created_at)
       select 'ord_1700000000000_' || lpad(n::text, 9, '0'), s.id, s.agent_id, 'buyer' || n % 5000, s.title, s.category, s.price_type, 24, 2,
              $2, 'completed', s.price_micros, s.price_micros / 10, 'base', 'base-mainnet', 'buyer' || n % 5000, 'seed:' || n, s.price_micros,
              at, at, at, at, at
       from (select n, timestamptz '2026-01-01' + interval '1 second' * (n::bigint * 17 % 20000000) as at
             from generate_series(1, $1::int) n) orders
       join (select *, row_number() over () as place from services) s on s.place = 1 + n % $3::int`,
      [count, ORDER_BRIEF, rows[0]?.count],
    );
    await client.query('vacuum (analyze) orders');
  } finally {
    client.release(true);
  }
}

export const ORDER_BRIEF =
  'Proofread the attached page and explain every change that you make, in plain words and in the order of the text.';
