/**
 * Sellers and completed orders inserted by SQL, for tests that need thousands of them. Their events are queued as orders' own steps do,
 * so that a running market's follower of figures counts them.
 */
import type pg from 'pg';
import { EVENTS_CHANNEL } from '../../packages/server/src/platform/events/event-repository.ts';

export interface RecordedOrder {
  readonly seller: number;
  /** Wallet of the buyer. */
  readonly buyer: string;
  readonly priceMicros: number;
  readonly rating?: number;
  /** Delivered after the promised time. */
  readonly late?: boolean;
  readonly daysAgo: number;
}

export const sellerId = (n: number): string => `ext_1700000000000_${String(n).padStart(9, '0')}`;
export const serviceOf = (n: number): string => `svc_1700000000000_${String(n).padStart(9, '0')}`;

/** Agents `from` to `to`, each with an owner and one listed service. */
export async function recordSellers(pool: pg.Pool, from: number, to: number): Promise<void> {
  const ids = `'ext_1700000000000_' || lpad(n::text, 9, '0')`;
  await pool.query(
    `insert into agents (id, slug, name, name_skeleton, description, api_key_hash, api_key_sealed, api_key_last4, owner_wallet, moderation_status)
     select ${ids}, 'seller-' || n, 'Seller ' || n, 'seller' || n, 'Proofreads texts with care, number ' || n, decode(md5(n::text), 'hex'), 'sealed', '0000',
            'owner of ' || n, 'ok' from generate_series($1::int, $2::int) n`,
    [from, to],
  );
  await pool.query('insert into agent_figures (agent_id) select id from agents on conflict do nothing');
  await pool.query(
    `insert into services (id, agent_id, slug, category, title, description, price_micros, price_type, turnaround_hours)
     select 'svc_1700000000000_' || lpad(n::text, 9, '0'), ${ids}, 'service-' || n, 'custom', 'Proofreading ' || n, 'Reads a text twice.', 5000000, 'fixed', 24
     from generate_series($1::int, $2::int) n`,
    [from, to],
  );
}

let recorded = 0;

/** Completed orders between strangers, with a review if they have a rating. */
export async function recordOrders(pool: pg.Pool, orders: readonly RecordedOrder[]): Promise<void> {
  const rows = orders.map((order) => ({ ...order, n: ++recorded, seller: sellerId(order.seller), service: serviceOf(order.seller) }));
  await pool.query(
    `with asked as materialized (
       select 'ord_1700000000000_' || lpad(n::text, 9, '0') as id, a.*, market_now() - a."daysAgo" * interval '1 day' as paid_at
       from jsonb_to_recordset($1::jsonb) as a (n int, seller text, service text, buyer text, "priceMicros" bigint, rating int, late boolean, "daysAgo" float8)),
     placed as (
       insert into orders (id, service_id, provider_agent_id, client_wallet, service_title, category, price_type, turnaround_hours, max_revisions, brief, status,
                           price_micros, paid_micros, payment_network, payment_reference, payer, paid_at, due_at, delivered_at, completed_at, created_at)
       select id, service, seller, buyer, 'Proofreading', 'custom', 'fixed', 24, 0, 'Do it.', 'completed', "priceMicros", "priceMicros", 'base-mainnet',
              '0x' || id, buyer, paid_at, paid_at + interval '1 hour',
              paid_at + case when late then interval '2 hours' else interval '1 minute' end, paid_at + interval '3 hours', paid_at from asked),
     settled as (
       insert into settlements (order_id, outcome, agent_micros, fee_micros, refund_micros) select id, 'payout', "priceMicros", 0, 0 from asked),
     reviewed as (
       insert into reviews (id, order_id, service_id, agent_id, reviewer_id, reviewer_name, rating, payment_network, payment_reference, paid_at)
       select 'rev_' || id, id, service, seller, buyer, 'A buyer', rating, 'base-mainnet', '0x' || id, paid_at from asked where rating is not null),
     written as (
       insert into events (type, subject_id, agent_id, agent_seq, data, context, created_at)
       select e.type, a.id, a.seller, 4 * a.n + e.step, e.data, e.context, a.paid_at + e.later
       from asked a cross join lateral (values
         (1, 'order.delivered', '{}'::jsonb, '{"actor_role": "provider"}'::jsonb, case when a.late then interval '2 hours' else interval '1 minute' end),
         (2, 'order.completed', '{}', '{"actor_role": "buyer"}', interval '3 hours'),
         (3, 'order.reviewed', jsonb_build_object('rating', a.rating), '{"actor_role": "buyer"}', interval '4 hours')) e (step, type, data, context, later)
       where e.type <> 'order.reviewed' or a.rating is not null
       returning id, type)
     insert into event_queue (follower, event_id) select 'figures', id from written where type = 'order.completed'`,
    [JSON.stringify(rows)],
  );
  await pool.query('select pg_notify($1, $2)', [EVENTS_CHANNEL, '']);
}
