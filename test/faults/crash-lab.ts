/** Work that is cut short by kill -9 at a crash point, and the proof that nothing was lost or done twice. */
import assert from 'node:assert/strict';
import type { NetworkName } from '@market/contract';
import type { PayoutRow } from '../../packages/server/src/features/payouts/index.ts';
import { call } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { createPayer, type Payer } from '../harness/payers.ts';
import { tokenFor } from '../harness/people.ts';
import { chainOf, requireSound, USDC, until } from '../money/money.ts';
import { payForOrder, queueOutgoing, requirePaidOnce, untilState } from '../money/outgoing.ts';
import type { SharedMoney } from '../money/shared-money.ts';

/** A paid order that is owed to its provider, and an unclaimed transfer that is to be refunded. */
export interface Work {
  readonly network: NetworkName;
  readonly payer: Payer;
  readonly orderId: string;
  readonly unmentioned: string;
  payout?: PayoutRow;
}

const FUNDED = 10n * USDC;
const ORDER = 2n * USDC;
const UNMENTIONED = 3n * USDC;

export async function prepareWork(shared: SharedMoney, network: NetworkName): Promise<Work> {
  const payer = await createPayer(shared, network, FUNDED);
  const unmentioned = await payer.pay(chainOf(shared, network).treasury, UNMENTIONED, 'sent');
  return { network, payer, unmentioned, orderId: await payForOrder(shared.money, payer, ORDER) };
}

/** Queues the payout; the refund is requested over HTTP, so that the server itself queues it. */
export async function queueWork({ money }: SharedMoney, work: Work): Promise<void> {
  const { network, orderId: subjectId } = work;
  work.payout = await queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: ORDER });
}

/** Runs a server that dies at `point` during `work`. Repeats the request for the refund until accepted; calls `stir` until the death. */
export async function runUntilDeath(
  shared: SharedMoney,
  point: string,
  work: Work,
  stir?: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  const server = await shared.startServer({ CRASH_AT: point }).catch((error: Error) => {
    // A signal has no exit code; any other reason why it did not start fails the test.
    assert.match(error.message, /ended with null before it was ready/, point);
    return undefined;
  });
  if (server !== undefined) {
    let isTakenOn = false;
    await until(`death at ${point}`, async () => {
      if (hasEnded(server)) return true;
      const [taken] = await Promise.all([isTakenOn || askForRefund(server, work), stir?.(server)]);
      isTakenOn = taken;
      return hasEnded(server) ? true : undefined;
    });
    assert.equal(server.child.signalCode, 'SIGKILL', `${point}: ${server.log()}`);
  }
  await forgetLeases(shared);
}

export function hasEnded({ child }: ServerProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Ends the leases of a dead process now instead of after half a minute. */
export async function forgetLeases({ database }: SharedMoney): Promise<void> {
  await database.pool.query('update jobs set lease_until = clock_timestamp() where lease_until is not null');
}

/** True once the server has accepted the refund. A server that dies meanwhile gives no answer. */
async function askForRefund(server: ServerProcess, { network, unmentioned }: Work): Promise<boolean> {
  try {
    const key = await tokenFor(server.url, { email: 'treasurer@example.com', admin: true });
    const { status, body } = await call(server.url, 'POST /api/admin/receipts/refund', { key, body: { network, reference: unmentioned } });
    assert.ok(status < 500 || status === 503, `${JSON.stringify(body)}\n${server.log()}`);
    return status === 200 || body['code'] === 'payment_already_used';
  } catch (error) {
    if (error instanceof TypeError || (error instanceof SyntaxError && hasEnded(server))) return false;
    throw error;
  }
}

/** Lets a healthy server finish everything, then requires that each intent was paid exactly once and the books are sound. */
export async function finishAndProve(shared: SharedMoney, works: readonly Work[]): Promise<void> {
  const { money } = shared;
  const server = await shared.startServer();
  for (const work of works) {
    await until(`the refund on ${work.network} being taken on`, async () => ((await askForRefund(server, work)) ? true : undefined));
  }
  for (const { network, payer, unmentioned, payout } of works) {
    assert.ok(payout);
    await untilState(money, payout.id, 'confirmed');
    await requirePaidOnce(money, payout);
    const subjectId = `${chainOf(shared, network).caip2}/${unmentioned}`;
    await until('the refund', async () => {
      const refunds = await money.database.db.selectFrom('payouts').selectAll().where('subjectId', '=', subjectId).execute();
      assert.equal(refunds.length, 1);
      return refunds[0]?.state === 'confirmed' ? true : undefined;
    });
    assert.equal((await chainOf(shared, network).readBalances(payer.address)).usdcMicros, FUNDED - ORDER, 'the refund arrived once');
  }
  await requireSound(money);
  await server.kill('SIGTERM');
}
