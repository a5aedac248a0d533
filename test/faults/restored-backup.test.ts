/** An old backup is restored after payouts were sent: nothing is paid twice, and books and chain agree again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PayoutRow } from '../../packages/server/src/features/payouts/index.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import { createPayer } from '../harness/payers.ts';
import { some } from '../harness/thoroughness.ts';
import { chainOf, NETWORKS, requireSound, USDC, until, untilCompared } from '../money/money.ts';
import { payForOrder, queueOutgoing, readPayout, untilState } from '../money/outgoing.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

/** An everyday run pays on one network. */
const PAYING_NETWORKS = some(NETWORKS, 1);

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true });
});
after(() => shared.close());

test('C22: after a restore, sent payouts are not paid again; market reconcile finds each and reopens outflow', async () => {
  const { money } = shared;
  const destinations = new Map<string, string>();
  const queue = async (network: (typeof NETWORKS)[number], subjectId: string) => {
    const destination = destinations.get(subjectId);
    const outgoing = { purpose: 'payout', network, subjectId, amountMicros: 2n * USDC, ...(destination && { destination }) } as const;
    const payout = await queueOutgoing(money, outgoing);
    destinations.set(subjectId, payout.destination);
    return payout;
  };

  const first = await shared.startServer();
  await untilCompared(shared);
  await first.kill('SIGTERM');
  const orders = [];
  for (const network of PAYING_NETWORKS) {
    const payer = await createPayer(shared, network);
    const [queued, later, new_] = [
      await payForOrder(money, payer, 2n * USDC),
      await payForOrder(money, payer, 2n * USDC),
      await payForOrder(money, payer, 2n * USDC),
    ];
    orders.push({ network, queued, later, new_ });
  }
  const before: PayoutRow[] = [];
  for (const { network, queued } of orders) before.push(await queue(network, queued));
  const backup = await shared.backUpBooks();

  const second = await shared.startServer();
  for (const { network, later } of orders) before.push(await queue(network, later));
  for (const { id } of before) await untilState(money, id, 'confirmed');
  await second.kill('SIGTERM');
  await backup.restore();
  await until('the restored books', async () => await readPayout(money, before[0]?.id ?? '').catch(() => undefined));

  const third = await shared.startServer();
  const again: PayoutRow[] = [];
  // Repeats what happened after the backup: the same orders are completed and paid out.
  for (const { network, later, new_ } of orders) again.push(await queue(network, later), await queue(network, new_));
  await until('outflow being closed', async () => {
    const rows = await Promise.all(PAYING_NETWORKS.map((_, index) => readPayout(money, before[index]?.id ?? '')));
    return rows.some(({ reason }) => /Run market reconcile/.test(reason ?? '')) ? true : undefined;
  });

  const reconcile = runMarketCommand(['reconcile'], shared.settings);
  const moving = setInterval(() => void shared.localChains.advance(30).catch(() => undefined), 500);
  const code = await reconcile.ended;
  clearInterval(moving);
  assert.equal(code, 0, reconcile.output());
  assert.match(reconcile.output(), /had paid pay_[0-9a-f]{40}\. The payout is now confirmed\./);
  assert.match(reconcile.output(), /Outflow is open\./);

  for (const payout of [...before, ...again]) {
    await untilState(money, payout.id, 'confirmed', 120);
    const chain = chainOf(shared, payout.network);
    assert.equal((await chain.readBalances(payout.destination)).usdcMicros, 2n * USDC, `${payout.network} ${payout.id}`);
  }
  const left = await money.database.db.selectFrom('unbookedOutflows').selectAll().where('intentId', 'is', null).execute();
  assert.deepEqual(left, []);
  await requireSound(money);
  await third.kill('SIGTERM');
});

test('C18: a process paused during a payout and resumed after another took over pays nothing twice', async () => {
  const { money } = shared;
  for (const network of PAYING_NETWORKS) {
    const payer = await createPayer(shared, network);
    const subjectId = await payForOrder(money, payer, 2n * USDC);
    const paused = await shared.startServer();
    const payout = await queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: 2n * USDC });
    await until('bytes being signed', async () => {
      const { state } = await readPayout(money, payout.id);
      return state === 'queued' ? undefined : true;
    });
    paused.child.kill('SIGSTOP');
    // Ends its leases, as half a minute would. It may also hold a row lock, until PostgreSQL ends that transaction.
    await shared.database.pool.query(
      `update jobs set lease_until = clock_timestamp()
       where id in (select id from jobs where lease_until is not null for update skip locked)`,
    );
    const other = await shared.startServer();
    await until('the other process at work', async () => {
      const { rows } = await shared.database.pool.query(`select 1 from jobs where lease_until > clock_timestamp() limit 1`);
      return rows.length > 0 || (await readPayout(money, payout.id)).state === 'confirmed' ? true : undefined;
    });
    paused.child.kill('SIGCONT');
    await untilState(money, payout.id, 'confirmed');
    const chain = chainOf(shared, network);
    assert.equal((await chain.readBalances(payout.destination)).usdcMicros, 2n * USDC);
    await Promise.all([paused.kill('SIGTERM'), other.kill('SIGTERM')]);
  }
  await requireSound(money);
});
