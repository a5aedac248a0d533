/** A process that dies while it executes a swap: the same request on another process swaps once. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { call, expectCall } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { tokenFor } from '../harness/people.ts';
import { createTaker, signSwap } from '../harness/swaps.ts';
import { chainOf, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { pointsToDieAt } from './crash-points.ts';

suite('a process that dies during a swap', () => {
  let shared: SharedMoney;
  before(async () => {
    shared = await openSharedMoney({ hosted: true });
  });
  after(() => shared.close());

  const signIn = async ({ url }: ServerProcess) => ({ key: await tokenFor(url, { email: 'swapper@example.com' }) });

  for (const point of pointsToDieAt(['swap.after_store', 'swap.after_execute'], ['swap.after_execute'])) {
    test(`a crash at ${point} of a swap is followed by one swap`, async () => {
      const dying = await shared.startServer({ CRASH_AT: point });
      const ended = new Promise<unknown>((resolve) => dying.child.once('exit', (_code, signal) => resolve(signal)));
      const taker = await createTaker(shared, 20_000_000n);
      const body = { amount_usd: '15.00', taker: taker.address };
      const quoted = await until('a quote', async () => {
        const reply = await call(dying.url, 'POST /api/swap/order', { ...(await signIn(dying)), body });
        return reply.status === 200 ? reply.body['data'] : undefined;
      });
      const signed = { request_id: quoted.requestId, signed_transaction: await signSwap(quoted.transaction, taker) };
      await call(dying.url, 'POST /api/swap/execute', { ...(await signIn(dying)), body: signed }).catch(() => undefined);
      assert.equal(await ended, 'SIGKILL');

      const healthy = await shared.startServer();
      for (let n = 0; n < 2; n++) {
        const done = await expectCall(healthy.url, 200, 'POST /api/swap/execute', { ...(await signIn(healthy)), body: signed });
        assert.equal(done['status'], 'Success', JSON.stringify(done));
      }
      const { usdcMicros, native } = await chainOf(shared, 'solana-mainnet').readBalances(taker.address);
      assert.deepEqual([usdcMicros, native], [5_000_000n, BigInt(quoted.outAmount)]);
      await healthy.kill('SIGTERM');
    });
  }
});
