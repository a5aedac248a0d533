/** kill -9 while a payer contests or confirms a bare payment, and contests that race with the payout: exactly one wins. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { hireBare, hireSigned, holdersOf, idOf, payoutsFor, untilPaidOut } from '../harness/bare-transfers.ts';
import { call } from '../harness/http.ts';
import { type MachineStage, openMachineStage, transferProof } from '../harness/machine-buyers.ts';
import { registerWith, requireRegistered } from '../harness/machine-registrations.ts';
import {
  act,
  advanceClock,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  placeOrder,
  readOrder,
} from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY, times } from '../harness/thoroughness.ts';
import { chainOf, requireSound, USDC, until } from '../money/money.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { CONTEST_POINTS, EARN_POINT, PROVE_POINT, pointsToDieAt } from './crash-points.ts';

const WINDOW_SECONDS = 15 * 60;
const RACES = times(3, 6);

suite('a contested payment and a crashed process or a concurrent payout', () => {
  let stage: MachineStage;
  let thief: Provider;
  let bait: string;
  let service: string;
  before(async () => {
    stage = await openMachineStage({ JOBS: 'off' }, { ownChains: true, processes: times(1, 2) });
    thief = await openProvider(stage.urls[0]);
    bait = await listService(stage.urls[0], thief, { price_usd: '4.545454', title: 'Nothing at all' });
    service = await listService(stage.urls[0], stage.provider, { price_usd: '5.00', title: 'Honest work' });
  });
  after(() => stage.close());

  async function openTheft(): Promise<{ buyer: Buyer; reference: string; stolen: string }> {
    const buyer = await openBuyer(stage, 'base-mainnet');
    const reference = await buyer.payer.pay(chainOf(stage, 'base-mainnet').treasury, 5_500_000n);
    const stolen = idOf(await hireBare(stage.urls[0], bait, 'base-mainnet', reference, 'All of it for me.'));
    return { buyer, reference, stolen };
  }

  async function dieAt(point: string, work: (url: string) => Promise<unknown>): Promise<void> {
    const doomed = await stage.startServer({ CRASH_AT: point, JOBS: 'off' });
    await assert.rejects(work(doomed.url), TypeError, `${point}: there was an answer`);
    await until(`${point}: death`, async () => (hasEnded(doomed) ? true : undefined));
    assert.equal(doomed.child.signalCode, 'SIGKILL', doomed.log());
  }

  for (const point of pointsToDieAt(CONTEST_POINTS, ['contest.before_commit'])) {
    test(`M06: a process killed at ${point} of a contest has moved nothing, and the repeated request moves the payment`, async () => {
      const { buyer, reference, stolen } = await openTheft();
      const wanted = await placeOrder(stage.urls[0], service, buyer);
      const pay = (url: string) => act(url, wanted, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: 'base' });
      await dieAt(point, pay);
      assert.deepEqual(await holdersOf(stage, reference), [stolen]);
      assert.equal((await readOrder(stage.urls[0], stolen, buyer)).order.status, 'paid');
      assert.equal((await pay(stage.urls[1])).status, 200);
      assert.deepEqual(await holdersOf(stage, reference), [stolen, wanted]);
      assert.equal((await readOrder(stage.urls[0], stolen, buyer)).order.status, 'cancelled');
    });
  }

  test(`a process killed at ${PROVE_POINT} leaves the contest window open, and the repeated request ends it`, {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const { buyer, reference, stolen } = await openTheft();
    const prove = (url: string) => hireSigned(url, bait, buyer, reference, 'All of it for me.');
    await dieAt(PROVE_POINT, prove);
    assert.notEqual((await readOrder(stage.urls[0], stolen, buyer)).order.contestable_until, null);
    assert.equal(idOf(await prove(stage.urls[1])), stolen);
    assert.equal((await readOrder(stage.urls[0], stolen, buyer)).order.contestable_until, null);
  });

  test('M06: of a contest and a payout at the end of the window exactly one wins', async () => {
    const worker = await stage.startServer();
    const thefts: (Awaited<ReturnType<typeof openTheft>> & { readonly wanted: string })[] = [];
    for (let index = 0; index < RACES; index++) {
      const theft = await openTheft();
      thefts.push({ ...theft, wanted: await placeOrder(stage.urls[0], service, theft.buyer) });
    }
    const contest = async ({ wanted, buyer, reference }: (typeof thefts)[number], index: number) => {
      await new Promise((resolve) => setTimeout(resolve, index * 60));
      return await act(stage.urls[index % 2 === 0 ? 0 : 1], wanted, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: 'base' });
    };
    const [, ...replies] = await Promise.all([advanceClock(stage.urls[0], WINDOW_SECONDS + 1), ...thefts.map(contest)]);
    for (const [index, { buyer, stolen, wanted, reference }] of thefts.entries()) {
      const reply = replies[index];
      assert.ok(reply);
      if (reply.status === 200) {
        assert.deepEqual(await holdersOf(stage, reference), [stolen, wanted]);
        assert.equal(await payoutsFor(stage, stolen), 0);
        continue;
      }
      assert.deepEqual([reply.status, reply.body['code']], [409, 'payment_contest_over'], JSON.stringify(reply.body));
      assert.deepEqual(await holdersOf(stage, reference), [stolen]);
      await untilPaidOut(worker.url, stolen, buyer);
      assert.equal(await payoutsFor(stage, stolen), 1);
    }
    await worker.kill('SIGKILL');
    await forgetLeases(stage);
  });

  test('V12, M06: a contest and a delivery at one moment happen in turn, or the order is cancelled and the deliverer learns it', async () => {
    for (let index = 0; index < RACES; index++) {
      const { buyer, reference, stolen } = await openTheft();
      const wanted = await placeOrder(stage.urls[0], service, buyer);
      const [contested, delivered] = await Promise.all([
        act(stage.urls[0], wanted, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: 'base' }),
        deliver(stage.urls[1], stolen, thief),
      ]);
      assert.equal(contested.status, 200, JSON.stringify(contested.body));
      assert.ok([200, 400, 409].includes(delivered.status), JSON.stringify(delivered.body));
      const { order, money } = await readOrder(stage.urls[1], stolen, buyer);
      assert.deepEqual([order.status, money.held_usd], ['cancelled', '0.00']);
      assert.deepEqual(await holdersOf(stage, reference), [stolen, wanted]);
    }
  });

  test('V14, M06: of a proof and a contest at one moment exactly one wins, and the first presenter ends either way', async () => {
    for (let index = 0; index < RACES; index++) {
      const buyer = await openBuyer(stage, 'base-mainnet');
      const reference = await buyer.payer.pay(chainOf(stage, 'base-mainnet').treasury, 5_500_000n);
      const first = await hireBare(stage.urls[0], bait, 'base-mainnet', reference, 'All of it for me.');
      const wanted = await placeOrder(stage.urls[0], service, buyer);
      const [kept, moved] = await Promise.all([
        hireSigned(stage.urls[0], bait, buyer, reference, 'All of it for me.'),
        act(stage.urls[1], wanted, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: 'base' }),
      ]);
      const isMoved = moved.status === 200;
      assert.ok(isMoved || kept.status === 200, JSON.stringify([kept.body, moved.body]));
      assert.deepEqual(await holdersOf(stage, reference), isMoved ? [idOf(first), wanted] : [idOf(first)]);
      const { status } = (await readOrder(stage.urls[0], idOf(first), buyer)).order;
      assert.equal(status === 'cancelled', isMoved);
      const read = await call(stage.urls[1], `GET /api/orders/${idOf(first)}`, { key: first.body['data'].read_token });
      assert.deepEqual([read.status, read.body['code']], [401, 'invalid_order_token']);
    }
    await requireSound(stage.money);
  });

  test(`a process killed at ${EARN_POINT} has not earned the registration fee; the next process earns it once`, {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const payer = await openBuyer(stage, 'base-mainnet');
    const paid = await payer.payer.pay(chainOf(stage, 'base-mainnet').treasury, 2n * USDC);
    const agent = await requireRegistered(registerWith(stage.urls[0], transferProof('base-mainnet', paid), agentBody()));
    await advanceClock(stage.urls[0], WINDOW_SECONDS + 1);
    // The job is due, so the process may die before it is ready.
    const doomed = await stage.startServer({ CRASH_AT: EARN_POINT }).catch((error: Error) => {
      assert.match(error.message, /^the server ended with null before it was ready/);
    });
    if (doomed !== undefined) await until(`${EARN_POINT}: death`, async () => (hasEnded(doomed) ? true : undefined));
    await forgetLeases(stage);
    await stage.startServer();
    await until('the fee', async () => {
      const { rows } = await stage.database.pool.query(
        `select count(*)::int as earned from ledger_transfers where kind = 'registration_earned' and subject_id = $1`,
        [agent['agent_id']],
      );
      return rows[0].earned === 1 ? true : undefined;
    });
    await requireSound(stage.money);
  });
});
