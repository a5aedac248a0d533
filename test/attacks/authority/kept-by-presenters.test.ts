/** The first presenter of a bare transfer has no power over the agent it registered, once the payer proved itself. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../../harness/agents.ts';
import { openAccount, requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { type CallOptions, call, expectCall } from '../../harness/http.ts';
import { transferProof } from '../../harness/machine-buyers.ts';
import { registerWith, requireRegistered } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { openBuyer } from '../../harness/orders.ts';
import { agentBody, asHeaders, openSession, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);

test('V14: after the payer proved itself, the stranger who registered its agent sets no limit on it', async () => {
  const thief = await openAccount(url);
  const tool = await registerAgent(url, {}, { key: thief.token });
  const payer = await openBuyer(market, NETWORK);
  const reference = await payer.payer.pay(payer.payer.chain.treasury, 2_000_000n);
  const [headers, body] = [transferProof(NETWORK, reference), agentBody()];
  // The thief sends its own key beside the victim's public reference.
  const stolen = await requireRegistered(registerWith(url, { ...headers, authorization: `Bearer ${tool.key}` }, body));
  const own = await requireRegistered(registerWith(url, { ...headers, ...asHeaders(await signed(payer)) }, body));
  assert.equal(own['agent_id'], stolen['agent_id']);
  const key = String(own['api_key']);
  const check = async () => (await send('POST /api/spending/check', { key, body: { amount_usd: '1.00' } })).body['data']?.decision;
  const before = await check();
  await expectCall(url, 200, `PATCH /api/spending/policies/agent/${tool.id}`, { key: thief.token, body: { frozen: true } });
  const frozen = await check();
  // If a limit of the thief applied, the payer could lift it.
  const cookie = await openSession(url, payer);
  const lifted = await send(`PUT /api/spending/policies/agent/${own['agent_id']}`, {
    headers: { cookie, origin: url },
    body: { lift_creator_limits: true },
  });
  requireOutcomes({
    'before the thief acts': [before, 'allow'],
    'after the thief froze its own agent': [frozen, 'allow'],
    'the payer lifts the limits': [lifted, '200'],
    'limits that stay': [(valuesOf(lifted.body, 'limited_by')[0] as unknown[] | undefined)?.length, 0],
    'after the payer lifted them': [await check(), 'allow'],
  });
});
