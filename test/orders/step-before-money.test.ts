/**
 * A step that distributes escrow writes its status and history first and posts last. The test locks the escrow account, so the step
 * stops at its posting; `pg_locks` shows the tables that it has written by then.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { moneyOfStep, type OrderCommand, orderLifecycle } from '@market/contract';
import type { Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock } from '../harness/orders.ts';
import { until } from '../money/money.ts';
import { give } from './entrances.ts';
import { openStage, type Person, requireEntrance, type Stage, type Standing } from './stage.ts';

interface Case {
  readonly command: OrderCommand;
  readonly from: Standing['status'];
  /** The person who sends the command, or the hours until the market does. */
  readonly by: Person | number;
  readonly to: Standing['status'];
}

const cases: readonly Case[] = [
  { command: 'approve', from: 'delivered', by: 'the buyer', to: 'completed' },
  { command: 'cancel', from: 'paid', by: 'the buyer', to: 'cancelled' },
  { command: 'refund', from: 'in_progress', by: 'the provider by key', to: 'cancelled' },
  { command: 'rule_release', from: 'disputed', by: 'an administrator', to: 'completed' },
  { command: 'rule_refund', from: 'disputed', by: 'an administrator', to: 'cancelled' },
  { command: 'rule_split', from: 'disputed', by: 'an administrator', to: 'completed' },
  { command: 'auto_release', from: 'delivered', by: 48, to: 'completed' },
  { command: 'expire', from: 'paid', by: 24 * 30, to: 'cancelled' },
];

describe('an order step is written before its money moves', () => {
  let market: TestMarket;
  let stage: Stage;
  const orders = new Map<OrderCommand, string>();
  before(async () => {
    market = await openMarket(withOwnChains);
    stage = await openStage(market);
    await stage.payAhead(cases.length);
    // All orders are made before the clock moves: payments made in advance would be too old afterwards.
    for (const { command, from } of cases) orders.set(command, await stage.bringTo({ kind: 'plain', status: from }));
  });
  after(() => market.close());

  test('every step that distributes escrow is tested', () => {
    const sharing = orderLifecycle.filter(({ money }) => money === 'release' || money === 'refund' || money === 'split');
    assert.deepEqual([...new Set(sharing.map(({ command }) => command))].sort(), cases.map(({ command }) => command).sort());
  });

  for (const { command, from, by, to } of cases) {
    test(`${command}: an order’s status and history are written before ${moneyOfStep(from, command)} is posted`, async () => {
      const id = orders.get(command) ?? '';
      const holder = await market.database.pool.connect();
      let reply: Promise<Reply> | undefined;
      let ended: Reply | undefined;
      try {
        await holder.query('begin');
        const held = await holder.query(`select 1 from ledger_accounts where kind = 'escrow' and owner = $1 for update`, [id]);
        assert.equal(held.rowCount, 1);
        if (typeof by === 'number') await advanceClock(market.url, by * 3600);
        else reply = give(market.url, requireEntrance(command), id, stage.headers[by]);
        reply?.then(
          (answer) => (ended = answer),
          () => undefined,
        );
        const written = await until(`${command} stops at its posting`, async () => {
          // Only locks tell: in a transaction pg_stat_activity keeps showing the connections of its first read.
          const { rows } = await holder.query<{ written: string[] }>(
            `select array_agg(distinct relation::regclass::text) as written from pg_locks
             where pg_backend_pid() = any (pg_blocking_pids(pid)) and mode = 'RowExclusiveLock' and relation is not null group by pid`,
          );
          // The step waits for the locked account, so an answer now is a refusal.
          if (ended !== undefined) throw new Error(`${command} was answered: ${ended.status} ${JSON.stringify(ended.body)}`);
          return rows[0]?.written;
        });
        for (const table of ['orders', 'order_steps', 'ledger_transfers']) assert.ok(written.includes(table), `${table} of ${written}`);
      } finally {
        await holder.query('rollback');
        holder.release();
      }
      const answered = await reply;
      if (answered !== undefined) assert.equal(answered.status, 200, JSON.stringify(answered.body));
      const status = await until(`${command} ends`, async () => {
        const { rows } = await market.database.pool.query<{ status: string }>('select status from orders where id = $1', [id]);
        return rows[0]?.status === from ? undefined : rows[0]?.status;
      });
      assert.equal(status, to);
    });
  }
});
