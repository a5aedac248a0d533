/** Moves market time to the deadlines of an order, and reads when steps happened. */
import assert from 'node:assert/strict';
import { until } from '../money/money.ts';
import type { SharedMoney } from '../money/shared-money.ts';

export const HOUR = 3600;
export const DAY = 24 * HOUR;

export async function passTime({ localChains, money }: SharedMoney, seconds: number): Promise<void> {
  // Chains move first, so that a payment made next does not look older than its order.
  await localChains.advance(seconds);
  await money.clock.advance(seconds);
}

type ClockColumn = 'due_at' | 'delivery_deadline' | 'review_deadline' | 'revision_deadline' | 'workspace_ends_at';

export async function readDeadline({ database }: SharedMoney, orderId: string, column: ClockColumn): Promise<Date> {
  const { rows } = await database.pool.query<{ at: Date | null }>(`select ${column} as at from orders where id = $1`, [orderId]);
  const at = rows[0]?.at;
  assert.ok(at, `${orderId} has a ${column}`);
  return at;
}

/** Moves market time to between one and two times so many seconds before the deadline. */
export async function goBefore(shared: SharedMoney, orderId: string, column: ClockColumn, seconds: number): Promise<Date> {
  const deadline = await readDeadline(shared, orderId, column);
  await passTime(shared, Math.floor((deadline.getTime() - (await marketNow(shared)).getTime()) / 1000) - seconds);
  return deadline;
}

export async function goPast(shared: SharedMoney, orderId: string, column: ClockColumn): Promise<Date> {
  return await goBefore(shared, orderId, column, -1);
}

export async function marketNow({ database }: SharedMoney): Promise<Date> {
  const { rows } = await database.pool.query<{ now: Date }>('select market_now() as now');
  assert.ok(rows[0]);
  return rows[0].now;
}

export async function readStatus({ database }: SharedMoney, orderId: string): Promise<string> {
  const { rows } = await database.pool.query<{ status: string }>('select status from orders where id = $1', [orderId]);
  return rows[0]?.status ?? 'missing';
}

export async function untilStatus(shared: SharedMoney, orderId: string, status: string, seconds?: number): Promise<void> {
  await until(
    `${orderId} becoming ${status}`,
    async () => ((await readStatus(shared, orderId)) === status ? true : undefined),
    seconds,
  ).catch(async (error: Error) => {
    throw new Error(`${error.message}; it is ${await readStatus(shared, orderId)}`);
  });
}

/** When the order took that step; it must have taken it once. */
export async function momentOf({ database }: SharedMoney, orderId: string, command: string): Promise<Date> {
  const text = 'select at from order_steps where order_id = $1 and command = $2';
  const { rows } = await database.pool.query<{ at: Date }>(text, [orderId, command]);
  assert.equal(rows.length, 1, `${orderId} took the step ${command} ${rows.length} times`);
  assert.ok(rows[0]);
  return rows[0].at;
}

/** Requires a step at its second: never before, and at most so much after. */
export function requireOnTime(happened: Date, deadline: Date, withinMs = 2_000): void {
  const late = happened.getTime() - deadline.getTime();
  assert.ok(late >= 0 && late <= withinMs, `happened ${late} ms after its time`);
}
