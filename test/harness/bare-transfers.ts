/** Hires paid by a transfer with its public reference alone, and their later states. */
import assert from 'node:assert/strict';
import type { NetworkName } from '@market/contract';
import { until } from '../money/money.ts';
import { call, type Reply } from './http.ts';
import { transferProof } from './machine-buyers.ts';
import { type Buyer, readOrder } from './orders.ts';
import { asHeaders, signed } from './people.ts';

export async function hireBare(url: string, serviceId: string, network: NetworkName, reference: string, brief: string): Promise<Reply> {
  return await call(url, `POST /api/x402/pay?service_id=${serviceId}`, { headers: transferProof(network, reference), body: { brief } });
}

/** The same with a signature of the paying wallet. */
export async function hireSigned(url: string, serviceId: string, buyer: Buyer, reference: string, brief: string): Promise<Reply> {
  const headers = { ...transferProof(buyer.payer.chain.network, reference), ...asHeaders(await signed(buyer)) };
  return await call(url, `POST /api/x402/pay?service_id=${serviceId}`, { headers, body: { brief } });
}

export function idOf(reply: Reply): string {
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'].order_id;
}

/** `2026-11-15 14:05:00` as a time. */
export function readTime(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}

export async function untilPaidOut(url: string, orderId: string, buyer: Buyer): Promise<string> {
  return await until(`the payout of ${orderId}`, async () => {
    const { money } = await readOrder(url, orderId, buyer);
    return money.payout?.tx_hash ?? undefined;
  });
}

interface Queryable {
  readonly database: { readonly pool: { query(sql: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }> } };
}

export async function payoutsFor({ database }: Queryable, orderId: string): Promise<number> {
  const { rows } = await database.pool.query(`select id from payouts where subject_id = $1 and state <> 'void'`, [orderId]);
  return rows.length;
}

/** The present and earlier holders of a transfer. */
export async function holdersOf({ database }: Queryable, reference: string): Promise<readonly unknown[]> {
  const { rows } = await database.pool.query(
    `select from_subject_id as id, number from payment_claim_moves where reference = $1
     union all select subject_id, 1000 from payment_claims where reference = $1 order by number`,
    [reference],
  );
  return rows.map(({ id }) => id);
}
