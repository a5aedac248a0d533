/** A paid registration whose answer got lost. The agent and its payment are public by then, so anybody can repeat the request. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { requireOutcomes } from '../../harness/authority.ts';
import { call, expectCall } from '../../harness/http.ts';
import { type Headers, type MachineBuyer, openMachineBuyer, versionTwo } from '../../harness/machine-buyers.ts';
import { readRegistrationOffer, registerWith, requireRegistered, signRegistration } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { agentBody, asHeaders, signed } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

const NETWORK = 'base-mainnet';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
});
after(() => market.close());

type Body = Record<string, unknown> & { readonly name: string };

/** The payment settles, the request answers 503, and the job that completes payments makes the agent. */
async function registerWithoutAnswer(buyer: MachineBuyer, payment: Headers, body: Body): Promise<void> {
  const { pool } = market.database;
  await pool.query(`create function break_down() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`);
  await pool.query('create trigger broken before insert on x402_purchases for each row execute function break_down()');
  const reply = await registerWith(url, payment, body);
  await pool.query('drop function break_down() cascade');
  assert.deepEqual([reply.status, reply.body['code']], [503, 'payment_pending'], JSON.stringify(reply.body));
  await until('the agent', async () => {
    await pool.query(`update jobs set run_at = market_now() where kind = 'x402.reconcile'`);
    const { rows } = await pool.query('select 1 from x402_purchases where payer = $1', [buyer.address]);
    return rows[0];
  });
}

/** The request rebuilt from public data: the agent's page, and payer and nonce in the log of USDC. The signature may be false. */
async function rebuilt(payment: Headers, name: string): Promise<{ payment: Headers; body: Body }> {
  const { payload } = JSON.parse(Buffer.from(payment['payment-signature'] ?? '', 'base64').toString());
  const copy = { authorization: payload.authorization, signature: `0x${'11'.repeat(64)}1b` };
  const found = await expectCall(url, 200, `GET /api/agents?search=${encodeURIComponent(name)}`);
  const [agent] = found as unknown as readonly { readonly name: string; readonly description: string }[];
  assert.equal(agent?.name, name);
  const body = { name: agent.name, description: agent.description };
  return { payment: versionTwo(await readRegistrationOffer(market, url, NETWORK), copy), body };
}

test('V06, V15: a stranger who repeats a registration whose answer got lost gets no key; its payer gets it with a signature', async () => {
  const buyer = await openMachineBuyer(market, NETWORK);
  const [payment, body] = [await signRegistration(market, url, buyer), agentBody()];
  await registerWithoutAnswer(buyer, payment, body);
  const copied = await rebuilt(payment, body.name);
  const stolen = await registerWith(url, copied.payment, copied.body);
  const own = await requireRegistered(registerWith(url, { ...payment, ...asHeaders(await signed(buyer)) }, body));
  assert.match(own['api_key'], /^market_/);
  requireOutcomes({ repeated: [stolen, '201'], 'the key is shown': [JSON.stringify(stolen.body).includes(own['api_key']), false] });
});

test('the payer of a registration whose answer got lost gets the key under its own random Idempotency-Key', async () => {
  const buyer = await openMachineBuyer(market, NETWORK);
  const headers = { ...(await signRegistration(market, url, buyer)), 'idempotency-key': randomUUID() };
  const body = agentBody();
  await registerWithoutAnswer(buyer, headers, body);
  const { api_key: key } = await requireRegistered(registerWith(url, headers, body));
  requireOutcomes({ 'the agent by its key': [await call(url, 'GET /api/agents/me', { key }), '200'] });
});
