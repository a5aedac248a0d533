/** Moves that only an account vouches for: they wait a day, are announced, can be cancelled by everybody concerned, and happen once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { privateKeyToAccount } from 'viem/accounts';
import { call, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock, requireSoundBooks } from '../harness/orders.ts';
import { freshAddress } from '../harness/payers.ts';
import { agreed, asHeaders, baseWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { callVouched, fundWallet, type OwnedAgent, openAccountAgent, openOwnedAgent, readLog, readMoves, untilEnded } from './stage.ts';

const USDC = 1_000_000n;
const DAY = 24 * 3600;

suite('moves that wait', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withOwnChains);
  });
  after(() => market.close());

  const codeOf = ({ status, body }: Reply) => `${status} ${String(body['code'] ?? body['data']?.status ?? '')}`.trim();
  const sendRoute = (agent: OwnedAgent) => `POST /api/agents/${agent.id}/wallet/send` as const;
  const exportRoute = (agent: OwnedAgent) => `POST /api/agents/${agent.id}/export-key` as const;
  const usdcAt = async (address: string) => (await market.chains.get('base-mainnet')?.readBalances(address))?.usdcMicros;

  async function openFunded(usdc = 5n): Promise<OwnedAgent> {
    const agent = await openAccountAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: usdc * USDC });
    return agent;
  }

  async function askSend(agent: OwnedAgent, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
    const body = { chain: 'base', to: freshAddress('base-mainnet'), amount: 2, ...more };
    return { to: body.to, reply: await call(market.url, sendRoute(agent), { key: agent.token, headers, body }) };
  }

  test('V23: an account alone sends an agent’s money after a day, once; nothing is reserved before, and the key repeats the answer', async () => {
    const agent = await openFunded();
    const idempotency = { 'idempotency-key': randomUUID() };
    const { to, reply } = await askSend(agent, {}, idempotency);
    assert.equal(codeOf(reply), '200 waiting');
    const { move_id: id, ...answer } = reply.body['data'];
    assert.deepEqual([answer.movement_id, answer.tx_hash, answer.amount, answer.destination, answer.chain], [null, null, '2', to, 'base']);
    const again = await call(market.url, sendRoute(agent), {
      key: agent.token,
      headers: idempotency,
      body: { chain: 'base', to, amount: 2 },
    });
    assert.deepEqual(again.body['data'], reply.body['data']);
    const waiting = await readMoves(market.url, { key: agent.token }, '?status=open');
    assert.deepEqual(
      waiting.map(({ id: one, status, kind, agent_name }) => [one, status, kind, agent_name]),
      [[id, 'waiting', 'wallet_send', agent.name]],
    );
    assert.match(String(waiting[0]?.['summary']), new RegExp(`Send 2 USDC from the wallet of “${agent.name}” on Base to ${to}`));
    assert.deepEqual(await readLog(market.url, agent), []);
    await advanceClock(market.url, DAY - 600);
    assert.equal((await readMoves(market.url, { key: agent.token }))[0]?.['status'], 'waiting');
    await advanceClock(market.url, 605);
    const done = await untilEnded(market.url, { key: agent.token }, id);
    assert.equal(done['status'], 'done', JSON.stringify(done));
    const [entry, ...others] = await readLog(market.url, agent);
    assert.deepEqual([entry?.['movement'].movement_id, entry?.['by'], others], [done['result_id'], 'owner_account', []]);
    await until('the money', async () => ((await usdcAt(to)) === 2n * USDC ? true : undefined));
    await requireSoundBooks(market);
  });

  test('V23: an agent’s private key is exported after a day, fetched once by the account that asked, and not after another day', async () => {
    const agent = await openAccountAgent(market.url);
    const ask = () => call(market.url, exportRoute(agent), { key: agent.token, body: { chain: 'base' } });
    const first = await ask();
    assert.deepEqual([codeOf(first), first.body['data'].private_key], ['200 waiting', null]);
    const { move_id: id } = first.body['data'];
    assert.equal((await ask()).body['data'].move_id, id, 'asking again changes nothing');
    await advanceClock(market.url, DAY + 5);
    assert.equal((await untilEnded(market.url, { key: agent.token }, id))['status'], 'ready');
    assert.equal((await readLog(market.url, agent)).length, 0, 'nothing has left');
    const fetched = await ask();
    assert.equal(
      privateKeyToAccount(fetched.body['data'].private_key).address,
      agent.evm,
      JSON.stringify(Object.keys(fetched.body['data'])),
    );
    assert.equal('status' in fetched.body['data'], false);
    assert.deepEqual(
      (await readLog(market.url, agent)).map(({ action }) => action),
      ['key_exported'],
    );
    const next = await ask();
    assert.equal(codeOf(next), '200 waiting', 'the second one waits anew');
    assert.notEqual(next.body['data'].move_id, id);
    await advanceClock(market.url, DAY + 5);
    assert.equal((await untilEnded(market.url, { key: agent.token }, next.body['data'].move_id))['status'], 'ready');
    await advanceClock(market.url, DAY + 5);
    const late = await until('its end', async () => {
      const move = (await readMoves(market.url, { key: agent.token })).find((one) => one['id'] === next.body['data'].move_id);
      return move?.['status'] === 'ready' ? undefined : move;
    });
    assert.deepEqual([late['status'], late['reason']], ['cancelled', 'The key was not fetched in time.']);
    assert.equal(codeOf(await ask()), '200 waiting');
    await requireSoundBooks(market);
  });

  test('V23: a custody signature of a wallet linked for a day lets the account send and export at once; a younger link waits', async () => {
    const agent = await openFunded();
    const to = freshAddress('base-mainnet');
    const body = { chain: 'base', to, amount: 1 };
    assert.equal(codeOf(await callVouched(market.url, agent, sendRoute(agent), body)), '200 waiting');
    assert.equal(codeOf(await callVouched(market.url, agent, exportRoute(agent), { chain: 'base' })), '200 waiting');
    await advanceClock(market.url, DAY + 5);
    const thief = { ...agent, owner: baseWallet() };
    assert.equal(codeOf(await callVouched(market.url, thief, sendRoute(agent), { ...body, amount: '1.00' })), '200 waiting');
    const sent = await callVouched(market.url, agent, sendRoute(agent), { ...body, amount: '1.0' });
    assert.ok(sent.body['data'].movement_id, JSON.stringify(sent.body));
    const exported = await callVouched(market.url, agent, exportRoute(agent), { chain: 'solana' });
    assert.equal(typeof exported.body['data'].private_key, 'string', JSON.stringify(Object.keys(exported.body)));
  });

  test('V04: an account moves nothing of an agent that a linked wallet owns, however long it is linked', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 2n * USDC });
    await advanceClock(market.url, DAY + 5);
    const calls = [
      [sendRoute(agent), { chain: 'base', to: freshAddress('base-mainnet'), amount: 1 }],
      [exportRoute(agent), { chain: 'base' }],
      [`PUT /api/agents/${agent.id}/withdraw-address`, { withdraw_address_base: freshAddress('base-mainnet') }],
    ] as const;
    for (const [route, body] of calls) {
      const alone = await call(market.url, route, { key: agent.token, body });
      assert.equal(codeOf(alone), '403 owner_proof_required', route);
      assert.equal(alone.body['data'].wallet, agent.owner.address);
      const beside = await call(market.url, route, { key: agent.token, headers: asHeaders(await signed(agent.owner)), body });
      assert.equal(codeOf(beside), '401 custody_signature_required', route);
    }
    assert.deepEqual(await readMoves(market.url, { key: agent.token }), []);
    assert.deepEqual(await readLog(market.url, agent), []);
  });

  async function sessionOf(wallet: TestWallet): Promise<Record<string, string>> {
    const reply = await call(market.url, 'POST /api/auth/session', { body: await agreed(market.url, wallet, { action: 'session' }) });
    return { cookie: String(reply.headers.get('set-cookie')).split(';')[0] ?? '', origin: market.url };
  }

  test('V23: the account, and a linked wallet by signature or session, see and cancel a waiting move; stranger and agent’s key do not', async () => {
    const agent = await openFunded();
    const cancellers = [
      async () => ({ key: agent.token }),
      async () => ({ headers: asHeaders(await signed(agent.owner)) }),
      async () => ({ headers: await sessionOf(agent.owner) }),
    ];
    const ids: string[] = [];
    for (const options of cancellers) {
      const { reply } = await askSend(agent);
      const { move_id: id } = reply.body['data'];
      ids.push(id);
      const stranger = { headers: asHeaders(await signed(solanaWallet())) };
      assert.equal(codeOf(await call(market.url, `DELETE /api/moves/${id}`, stranger)), '404 move_not_found');
      assert.deepEqual(await readMoves(market.url, stranger), []);
      const other = await tokenFor(market.url, { email: `stranger-${randomUUID()}@example.com` });
      assert.equal(codeOf(await call(market.url, `DELETE /api/moves/${id}`, { key: other })), '404 move_not_found');
      assert.equal((await call(market.url, `DELETE /api/moves/${id}`, { key: agent.key })).status, 403);
      assert.equal((await call(market.url, `DELETE /api/moves/${id}`)).status, 401);
      assert.ok((await readMoves(market.url, await options())).some((move) => move['id'] === id));
      for (let round = 0; round < 2; round++)
        assert.equal(codeOf(await call(market.url, `DELETE /api/moves/${id}`, await options())), '200 cancelled');
    }
    await advanceClock(market.url, DAY + 5);
    await requireSoundBooks(market);
    assert.deepEqual(await readLog(market.url, agent), [], 'nothing was sent');
    const { rows } = await market.database.pool.query('select distinct state from delayed_moves where id = any($1)', [ids]);
    assert.deepEqual(rows, [{ state: 'cancelled' }]);
  });

  test('V23: account and linked wallet are notified of a waiting move with the words to cancel it, and of its end', async () => {
    const agent = await openFunded();
    const { reply } = await askSend(agent);
    const notesOf = async (options: { key?: string; headers?: Record<string, string> }) =>
      (await expectCall(market.url, 200, 'GET /api/notifications', options)) as unknown as { type: string; body: string; link: string }[];
    for (const options of [{ key: agent.token }, { headers: asHeaders(await signed(agent.owner)) }]) {
      const note = await until('the notice', async () => (await notesOf(options)).find(({ type }) => type === 'move_waiting'));
      assert.match(note.body, /If this was not you, cancel it now\./);
      assert.equal(note.link, '/sell/wallet');
    }
    await call(market.url, `DELETE /api/moves/${reply.body['data'].move_id}`, { key: agent.token });
    await until('the end', async () => (await notesOf({ key: agent.token })).find(({ type }) => type === 'move_cancelled'));
    const late = await call(market.url, 'GET /api/events', { key: agent.key });
    assert.ok(
      (late.body['data'] as { event: string }[]).some(({ event }) => event === 'move.waiting'),
      'the agent learns of it, too',
    );
  });

  test('V23: a waiting move is cancelled when the agent changes owners, and in a restored database', async () => {
    const [sold, restored] = [await openFunded(), await openFunded()];
    const { pool } = market.database;
    const [one, two] = [await askSend(sold), await askSend(restored)];
    // No call changes the owner of an owned agent; an operator can by SQL.
    await pool.query('update agents set owner_wallet = $2 where id = $1', [sold.id, baseWallet().address]);
    await pool.query(`update delayed_moves set place = 'the lost database' where id = $1`, [two.reply.body['data'].move_id]);
    await advanceClock(market.url, DAY + 5);
    const ends = [
      await untilEnded(market.url, { key: sold.token }, one.reply.body['data'].move_id),
      await untilEnded(market.url, { key: restored.token }, two.reply.body['data'].move_id),
    ];
    assert.deepEqual(
      ends.map(({ status, reason }) => [status, reason]),
      [
        ['cancelled', 'The agent has another owner now.'],
        ['cancelled', 'The marketplace was restored from a backup. Ask again.'],
      ],
    );
    for (const agent of [sold, restored]) assert.deepEqual(await readLog(market.url, agent), []);
  });

  test('V23: a waiting send that cannot be made at its time fails with the reason; one that cannot be made now is refused now', async () => {
    const agent = await openFunded(3n);
    assert.equal(codeOf((await askSend(agent, { amount: 4 })).reply), '400 wallet_funds_insufficient');
    assert.equal(codeOf((await askSend(agent, { to: agent.evm })).reply), '400 wallet_destination_invalid');
    const [first, second] = [await askSend(agent), await askSend(agent)];
    await advanceClock(market.url, DAY + 5);
    const ends = [
      await untilEnded(market.url, { key: agent.token }, first.reply.body['data'].move_id),
      await untilEnded(market.url, { key: agent.token }, second.reply.body['data'].move_id),
    ];
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['done', 'failed']);
    assert.match(String(ends.find(({ status }) => status === 'failed')?.['reason']), /The wallet can send/);
    await requireSoundBooks(market);
  });

  test('a chain that is down delays a move and does not end it', async () => {
    const agent = await openFunded();
    const { reply } = await askSend(agent);
    await market.localChains?.setFault({ network: 'base-mainnet', mode: 'down' });
    await advanceClock(market.url, DAY + 5);
    await until('a second try is planned', async () => {
      const { rows } = await market.database.pool.query(`select 1 from jobs where unique_key = $1 and run_at > market_now()`, [
        `move.run:${reply.body['data'].move_id}`,
      ]);
      return rows.length === 1 ? true : undefined;
    });
    await market.localChains?.setFault({ network: 'base-mainnet', mode: 'none' });
    const done = await until('the move', async () => {
      await advanceClock(market.url, 61);
      const move = (await readMoves(market.url, { key: agent.token }))[0];
      return move?.['status'] === 'waiting' ? undefined : move;
    });
    assert.equal(done['status'], 'done', JSON.stringify(done));
  });

  test('an account has at most 50 waiting moves, and the next is refused', async () => {
    const agent = await openFunded();
    const { reply } = await askSend(agent);
    const { pool } = market.database;
    await pool.query(
      `insert into delayed_moves (id, kind, owner, agent_id, summary, payload, requested_by, effective_at)
       select 'dmov_1700000000000_filler' || n, kind, owner, agent_id, summary, payload, requested_by, effective_at
       from delayed_moves, generate_series(1, 49) n where id = $1`,
      [reply.body['data'].move_id],
    );
    assert.equal(codeOf((await askSend(agent)).reply), '409 too_many_moves');
    await pool.query(`delete from delayed_moves where id like 'dmov_1700000000000_filler%'`);
  });
});
