/**
 * Story: people, wallets and agents deposit and withdraw at random while the venue earns, loses, runs dry and stops, and while one or
 * the other of two processes is killed. At the end the chain is read and compared with exact fractions.
 * `EARN_ACTIONS` sets how often each acts, `SEED` repeats a run.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EARN_POINTS } from '../faults/crash-points.ts';
import { call, type Reply } from '../harness/http.ts';
import { times } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { inTurns } from '../orders/many-orders.ts';
import { randomOf, seedOfRun } from '../ready/random.ts';
import { type Depositor, openDepositor, ownerKinds, readPositions, registerDeposit, sendDeposit, usdcOf } from './depositors.ts';
import { type DyingPair, openDyingPair } from './dying-pair.ts';
import { ReferenceVault } from './reference-vault.ts';
import { type RouterEvent, readHeldUnits, readRouterLog } from './router-log.ts';
import { withoutWaits } from './stage.ts';
import { type Weather, weatherOf } from './weather.ts';

const DEPOSITORS = times(12, 50);
const ACTIONS = Number(process.env['EARN_ACTIONS'] ?? 2);
/** On a busy machine some depositors do not reach their second action in this time. */
const STORM_SECONDS = process.env['EARN_ACTIONS'] === undefined ? times(15, 35) : Number.POSITIVE_INFINITY;
const AT_ONCE = 12;
const USDC = 1_000_000n;
const FUNDED = 2_000n * USDC;
const MARKS = [...EARN_POINTS.deposit, ...EARN_POINTS.withdraw, EARN_POINTS.settle, EARN_POINTS.refund];
const VAULT = 'usdc-traders';

interface Sent {
  readonly depositor: Depositor;
  readonly micros: bigint;
  readonly reference: string;
}

interface Burned {
  readonly depositor: Depositor;
  readonly id: string;
  readonly shares: bigint;
}

suite(`${DEPOSITORS} depositors, two processes that die`, () => {
  const seed = seedOfRun();
  const random = randomOf(seed);
  const sent: Sent[] = [];
  const burned: Burned[] = [];
  let shared: SharedMoney;
  let pair: DyingPair;
  let depositors: Depositor[];
  let weather: Weather;

  before(async () => {
    shared = await openSharedMoney({ ownChains: true });
    pair = await openDyingPair(shared, { marks: MARKS, random, settings: { PAYMENT_WAIT_SECONDS: '2', ...withoutWaits } });
    const places = [...Array(DEPOSITORS).keys()];
    depositors = await inTurns(places, AT_ONCE, (n) => openDepositor(shared, pair.url(), ownerKinds[n % 3] ?? 'user', FUNDED));
    weather = weatherOf(shared);
  });
  after(() => shared?.close());

  /** Repeats until an answer is final: a process may die during the request, or its key may be held by a dead one. */
  async function ask(what: (url: string) => Promise<Reply>): Promise<Reply> {
    for (let tries = 0; tries < 300; tries++) {
      const reply = await what(pair.url()).catch((error: unknown) => {
        if (error instanceof TypeError) return undefined;
        throw error;
      });
      const isFinal = reply !== undefined && reply.status !== 503 && reply.body['code'] !== 'idempotency_in_flight';
      if (isFinal) return reply;
      await sleep(100);
    }
    throw new Error('nobody answered');
  }

  async function depositSome(depositor: Depositor, micros: bigint): Promise<void> {
    const reference = await sendDeposit(depositor, micros);
    // While the vault is closed, a refusal uses nothing up.
    for (let tries = 0; tries < 100; tries++) {
      const reply = await ask((url) => registerDeposit(url, depositor, VAULT, micros, reference));
      if (reply.status === 200 || reply.body['code'] === 'earn_deploy_failed') {
        sent.push({ depositor, micros, reference });
        return;
      }
      assert.ok(['earn_deposits_closed', 'payment_not_final'].includes(reply.body['code']), JSON.stringify(reply.body));
      await sleep(200);
    }
    throw new Error('the vault stayed closed');
  }

  async function withdrawSome(depositor: Depositor, percent: bigint): Promise<void> {
    const credentials = await depositor.credentials();
    const read = await ask((url) => call(url, 'GET /api/earn/pool/positions', credentials));
    assert.equal(read.status, 200, JSON.stringify(read.body));
    const held = BigInt(read.body['data'][0]?.shares ?? 0);
    const shares = (held * percent) / 100n;
    if (shares === 0n) return;
    const isAll = percent === 100n;
    const what = isAll ? { all: true } : { shares: String(shares) };
    const send = async (): Promise<Reply> => {
      const headers = { ...credentials.headers, 'idempotency-key': randomUUID() };
      return await ask((url) => call(url, 'POST /api/earn/pool/withdraw', { ...credentials, headers, body: { key: VAULT, ...what } }));
    };
    // A depositor that leaves asks twice at once.
    const replies = await Promise.all(isAll ? [send(), send()] : [send()]);
    if (replies[0]?.body['code'] === 'earn_withdrawal_too_small') return;
    const taken = replies.filter(({ status }) => status === 200);
    assert.equal(taken.length, 1, JSON.stringify(replies.map(({ body }) => body)));
    for (const { status, body } of replies) if (status !== 200) assert.equal(body['code'], 'earn_no_position');
    const { withdrawal_id: id, shares_burned: gone } = taken[0]?.body['data'] ?? {};
    // An open withdrawal takes further shares in.
    const before = burned.filter((one) => one.id === id).reduce((sum, one) => sum + one.shares, 0n);
    assert.equal(gone, String(before + shares));
    burned.push({ depositor, id, shares });
  }

  /** Queues are checked every half minute of market time. */
  async function passTime(): Promise<void> {
    await call(pair.url(), 'POST /sandbox/clock', { body: { advance_seconds: 60 } }).catch(() => undefined);
  }

  /** A depositor's first action is mostly a deposit. */
  async function actOnce(depositor: Depositor, round: number, deadline: number): Promise<void> {
    if (performance.now() > deadline) return;
    const dice = random();
    if (dice < (round === 0 ? 0.9 : 0.35)) await depositSome(depositor, USDC + BigInt(Math.floor(random() * 300 * Number(USDC))));
    else await withdrawSome(depositor, dice > 0.8 ? 100n : 1n + BigInt(Math.floor(random() * 99)));
  }

  test('C24, C26, R12: deposits and withdrawals of many depositors end, through droughts and deaths of processes', async (t) => {
    t.diagnostic(`SEED=${seed}`);
    // One depositor stays, because small deposits need a pool that is not fresh.
    const [first, ...others] = depositors as [Depositor];
    await depositSome(first, 150n * USDC);
    await until('the first shares', async () => ((await readPositions(pair.url(), first)).length > 0 ? true : undefined));
    const began = performance.now();
    await pair.storm(async () => {
      let isOver = false;
      const climate = weather.change(random, () => isOver, passTime);
      try {
        for (let round = 0; round < ACTIONS; round++)
          await inTurns(shuffled(others, random), AT_ONCE, (depositor) => actOnce(depositor, round, began + STORM_SECONDS * 1000));
      } finally {
        isOver = true;
        await climate;
      }
    });
    t.diagnostic(`the storm took ${Math.round((performance.now() - began) / 1000)} s`);
    await until(
      'the end of every deposit and withdrawal',
      async () => {
        await passTime();
        const { rows } = await shared.database.pool.query(
          `select (select count(*) from earn_deposits where status not in ('deployed', 'refunded'))
                + (select count(*) from earn_withdrawals where status <> 'settled') as open`,
        );
        return Number(rows[0].open) === 0 ? true : undefined;
      },
      60,
    );
    const { rows } = await shared.database.pool.query(
      `select (select count(*) from earn_deposits where status = 'refunded') as refunds, (select count(*) from earn_parts) as parts`,
    );
    t.diagnostic(`${sent.length} deposits, ${rows[0].refunds} refunded; ${burned.length} withdrawals in ${rows[0].parts} parts`);
    t.diagnostic(`deaths: ${pair.deaths.join(', ')}`);
  });

  test('C25: everybody’s Earn shares, replayed from the chain with exact fractions, equal those of the books', async () => {
    const [{ payer }] = depositors as [Depositor];
    const { rows: vaults } = await shared.database.pool.query('select * from earn_vaults where key = $1', [VAULT]);
    const log = await readRouterLog(payer, weather.router);
    const chainLog = log.filter(({ venue }) => venue.toLowerCase() === String(vaults[0].venue_address).toLowerCase());
    const model = await replay(chainLog);
    assert.equal(model.totalShares, BigInt(vaults[0].total_shares));
    assert.equal(model.poolUnits, BigInt(vaults[0].total_units));
    assert.equal(model.queuedUnits, 0n);
    assert.equal(BigInt(vaults[0].queued_units), 0n);
    assert.equal(await readHeldUnits(payer, vaults[0].venue_address), model.poolUnits + weather.given.units, 'units on chain');
    const url = pair.url();
    for (const depositor of depositors) {
      const [position] = await readPositions(url, depositor);
      const owner = await ownerOf(depositor);
      assert.equal(BigInt(position?.['shares'] ?? 0), owner === undefined ? 0n : model.sharesOf(owner));
    }
  });

  test('C24, R12: every micro-USDC that a depositor sent is in the venue, came back, or was paid out, once', async () => {
    const [{ payer }] = depositors as [Depositor];
    const log = new Map((await readRouterLog(payer, weather.router)).map((event) => [event.reference as string, event]));
    const { rows: deposits } = await shared.database.pool.query('select * from earn_deposits');
    assert.equal(deposits.length, sent.length, 'one deposit per transfer');
    const { rows: parts } = await shared.database.pool.query(
      'select p.withdrawal_id, i.reference from earn_parts p join earn_intents i on i.id = p.intent_id',
    );
    for (const depositor of depositors) {
      const mine = sent.filter((one) => one.depositor === depositor);
      const back = mine.filter(({ reference }) => deposits.find((row) => row.reference === reference)?.status === 'refunded');
      const ids = new Set(burned.filter((one) => one.depositor === depositor).map(({ id }) => id));
      const paid = parts
        .filter(({ withdrawal_id: id }) => ids.has(id))
        .reduce((sum, { reference }) => sum + (log.get(reference)?.assets ?? 0n), 0n);
      const total = (list: readonly Sent[]) => list.reduce((sum, { micros }) => sum + micros, 0n);
      assert.equal(await usdcOf(depositor), depositor.funded - total(mine) + total(back) + paid, depositor.payer.address);
    }
  });

  test('the books are sound after the storm of depositors', async () => {
    await requireSound(shared.money);
  });

  /** The owner under its name in the books. */
  async function ownerOf(depositor: Depositor): Promise<string | undefined> {
    const { rows } = await shared.database.pool.query('select owner_kind, owner_id from earn_deposits where payer = $1 limit 1', [
      depositor.payer.address,
    ]);
    return rows[0] && `${rows[0].owner_kind} ${rows[0].owner_id}`;
  }

  /** Amounts come from the chain and the clients; only their sequence comes from the books. */
  async function replay(log: readonly RouterEvent[]): Promise<ReferenceVault> {
    const model = new ReferenceVault();
    const deployed = new Map(log.filter(({ kind }) => kind === 'Deposited').map((event) => [event.reference as string, event]));
    const { pool } = shared.database;
    const { rows: movements } = await pool.query(
      `select m.kind, m.subject_id, m.owner_kind || ' ' || m.owner_id as owner, m.shares, m.units, d.deploy_reference
       from earn_movements m left join earn_deposits d on d.id = m.subject_id
       where m.vault_key = $1 and m.kind in ('deposit', 'withdraw') order by m.id`,
      [VAULT],
    );
    const open = [...burned];
    for (const { kind, subject_id: id, owner, shares, units, deploy_reference: reference } of movements) {
      if (kind === 'deposit') {
        const event = deployed.get(reference);
        assert.ok(event, `${id} is on the chain`);
        deployed.delete(reference);
        assert.equal(model.deposit(owner, event.units), BigInt(shares), `shares of ${id}`);
      } else {
        const place = open.findIndex((one) => one.id === id && one.shares === -BigInt(shares));
        const [asked] = place < 0 ? [] : open.splice(place, 1);
        assert.ok(asked, `somebody asked for ${id}`);
        assert.equal(model.withdraw(id, owner, asked.shares), -BigInt(units), `units of ${id}`);
      }
    }
    assert.equal(deployed.size, 0, 'every deploy on the chain minted shares');
    assert.deepEqual(open, [], 'every withdrawal burned once');
    const { rows: parts } = await pool.query(
      'select p.withdrawal_id, i.reference from earn_parts p join earn_intents i on i.id = p.intent_id',
    );
    const withdrawalOf = new Map(parts.map((part) => [part.reference, part.withdrawal_id]));
    for (const { kind, reference, units } of log) if (kind === 'Redeemed') model.payOf({ id: withdrawalOf.get(reference), units });
    return model;
  }
});

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
