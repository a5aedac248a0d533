/** The audit passes movements in every state and names the broken invariant of every corruption. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock } from '../harness/orders.ts';
import { freshAddress } from '../harness/payers.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { moveCorruptions, walletCorruptions } from './corruptions.ts';
import { fundWallet, openAccountAgent, openOwnedAgent, readLog, send, setWithdrawAddress, untilEnded } from './stage.ts';

suite('the audit of agent wallets', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withOwnChains);
    const [agent] = [await openOwnedAgent(market.url), await openOwnedAgent(market.url)];
    assert.ok(agent);
    const to = freshAddress('base-mainnet');
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 5_000_000n });
    assert.equal((await setWithdrawAddress(market.url, agent, { withdraw_address_base: to })).status, 200);
    assert.equal((await send(market.url, agent, { chain: 'base', to, amount: 2 })).status, 200);
    const withdrawn = await call(market.url, 'POST /api/agents/me/withdraw', { key: agent.key, body: { chain: 'base', amount: 1 } });
    assert.equal(withdrawn.status, 200, JSON.stringify(withdrawn.body));
    await openMoves();
    await until('both ends', async () => {
      const log = await readLog(market.url, agent);
      return log.filter(({ movement }) => movement?.status === 'confirmed').length === 2 ? true : undefined;
    });
  });
  after(() => market.close());

  /** One move that is done, and two that wait. */
  async function openMoves(): Promise<void> {
    const agent = await openAccountAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 5_000_000n });
    const { token: key } = agent;
    const sendLater = async () => {
      const body = { chain: 'base', to: freshAddress('base-mainnet'), amount: 1 };
      return (await call(market.url, `POST /api/agents/${agent.id}/wallet/send`, { key, body })).body['data'].move_id;
    };
    const id = await sendLater();
    await advanceClock(market.url, 24 * 3600 + 5);
    assert.equal((await untilEnded(market.url, { key }, id))['status'], 'done');
    await sendLater();
    const exported = await call(market.url, `POST /api/agents/${agent.id}/export-key`, { key, body: { chain: 'base' } });
    assert.equal(exported.body['data'].status, 'waiting', JSON.stringify(exported.body));
  }

  test('the audit of agent wallets finds nothing wrong with sound movements', async () => {
    assert.deepEqual((await findBroken(market.database)).broken, []);
  });

  for (const { what, breaks, sql } of [...walletCorruptions, ...moveCorruptions]) {
    test(`the audit of agent wallets reports ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(market.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }
});
