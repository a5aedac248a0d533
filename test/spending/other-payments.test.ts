/** Payments that are no hires: deposits into Earn, out of a wallet or by transfer, and paid registrations. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { offerIn, openMachineBuyer, versionTwo } from '../harness/machine-buyers.ts';
import { agentBody } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { countSpendings, openSpendingStage, readDay, type SpendingStage, setPolicy, withKey } from './stage.ts';

const VAULT = 'lend_a:usdc';
const USDC = 1_000_000n;

let stage: SpendingStage;
before(async () => {
  stage = await openSpendingStage();
});
after(() => stage.close());
beforeEach(async () => {
  const owner = await openMachineBuyer(stage, 'base-mainnet', 500n * USDC);
  stage = { ...stage, owner, agent: await registerOwnedAgent(stage.urls[0], owner) };
});

const codeOf = ({ status, body }: Reply) => [status, body['code'] ?? null];
const spent = async () => (await readDay(stage))['spent_day_usd'];

test('a deposit by transfer counts once, and over the limit its transfer stays unclaimed', async () => {
  await setPolicy(stage, { per_day_usd: '110.00', allow_categories: ['coding'] });
  const treasury = stage.chains.get('base-mainnet')?.treasury ?? '';
  const deposit = (transfer: string, usd: string) =>
    call(stage.urls[0], 'POST /api/earn/pool/deposit', {
      key: stage.agent.key,
      body: { key: VAULT, amount_usd: usd, incoming_tx_hash: transfer },
    });
  const first = await stage.owner.payer.pay(treasury, 100n * USDC);
  assert.deepEqual(codeOf(await deposit(first, '100.00')), [200, null]);
  assert.deepEqual(codeOf(await deposit(first, '100.00')), [200, null], 'a repeat');
  assert.deepEqual([await spent(), await countSpendings(stage)], ['100.00', { kept: 1 }]);
  const second = await stage.owner.payer.pay(treasury, 20n * USDC);
  const refused = await deposit(second, '20.00');
  assert.deepEqual([...codeOf(refused), refused.body['data'].rule], [403, 'spend_refused', 'per_day']);
  assert.match(String(refused.body['error']), /Your transfer bought nothing/);
  const { rowCount } = await stage.database.pool.query('select 1 from payment_claims where reference = $1', [second]);
  assert.equal(rowCount, 0);
});

test('a deposit out of the agent’s wallet counts, and one that is refused for other reasons does not', async () => {
  const { urls, agent, localChains } = stage;
  await setPolicy(stage, { per_day_usd: '100.00' });
  const funding = await call(urls[0], `GET /api/agents/${agent.id}/funding`, { key: agent.key });
  const address = String(funding.body['data'].evm_address);
  const deposit = (usd: string) =>
    call(urls[1], `POST /api/agents/${agent.id}/earn/deposit`, { key: agent.key, body: { key: VAULT, amount_usd: usd } });
  assert.equal((await deposit('30.00')).body['code'], 'wallet_funds_insufficient');
  assert.deepEqual([await spent(), await countSpendings(stage)], ['0.00', { released: 1 }]);
  await localChains.fund({ network: 'base-mainnet', address, usdcMicros: 200n * USDC, native: 0n });
  await until('the faucet', async () =>
    ((await stage.chains.get('base-mainnet')?.readBalances(address))?.usdcMicros ?? 0n) >= 200n * USDC ? true : undefined,
  );
  const done = await deposit('30.00');
  assert.equal(done.status, 200, JSON.stringify(done.body));
  assert.equal(await spent(), '30.00');
  assert.deepEqual(codeOf(await deposit('80.00')), [403, 'spend_refused']);
  const { body } = await call(urls[0], 'GET /api/spending/recent?outcome=kept', { key: agent.key });
  assert.deepEqual(
    body['data'].map(({ operation, bought }: Record<string, string>) => [operation, bought]),
    [['earn.agentDeposit', done.body['data'].transfer_id]],
  );
});

test('a paid registration counts with its price', async () => {
  const { urls, owner } = stage;
  const asked = { ...agentBody(), pay_to_register: true };
  const offer = offerIn(stage, await call(urls[0], 'POST /api/agents/register?x402Version=2', { body: asked }), 'base-mainnet');
  const register = async () =>
    await call(urls[0], 'POST /api/agents/register', {
      headers: withKey(stage, versionTwo(offer, await owner.authorise(offer))),
      body: asked,
    });
  await setPolicy(stage, { per_order_usd: '0.00' });
  assert.deepEqual(codeOf(await register()), [403, 'spend_refused']);
  await setPolicy(stage, { per_order_usd: '50.00' });
  const made = await register();
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { rows } = await stage.database.pool.query(
    `select bought_kind, bought_id, amount_micros::text as paid from spendings where principal = $1 and status = 'kept'`,
    [`agent:${stage.agent.id}`],
  );
  assert.deepEqual(rows, [{ bought_kind: 'registration', bought_id: made.body['data'].agent_id, paid: offer.amount }]);
});
