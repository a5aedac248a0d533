/** A stranger presents somebody's transfer: the payer is notified and ends the stranger's key, and an authorisation needs a proof. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Hex } from 'viem';
import { encodeUse } from '../../packages/server/src/platform/facilitator/evm-authorization.ts';
import type { AuthorizedTransfer } from '../../packages/server/src/platform/facilitator/exact-payload.ts';
import { hireBare, hireSigned, idOf } from '../harness/bare-transfers.ts';
import { call } from '../harness/http.ts';
import { openMachineBuyer, readOffer, transferProof } from '../harness/machine-buyers.ts';
import { registerWith, requireRegistered, signRegistration } from '../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock, type Buyer, listService, openBuyer, openProvider, type Provider, requireSoundBooks } from '../harness/orders.ts';
import { createPayer, untilLanded } from '../harness/payers.ts';
import { agentBody, agreed, asHeaders, signed, tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';

const NETWORK = 'base-mainnet';
const BRIEF = 'A logo for a bakery.';
const WINDOW_SECONDS = 15 * 60;

describe('a transfer that a stranger presents', () => {
  let market: TestMarket;
  let url: string;
  let provider: Provider;
  let service: string;
  before(async () => {
    market = await openMarket(withOwnChains);
    ({ url } = market);
    provider = await openProvider(url);
    service = await listService(url, provider, { price_usd: '5.00' });
  });
  after(async () => {
    await requireSoundBooks(market);
    await market.close();
  });

  const pays = ({ payer }: Buyer, micros = 5_500_000n) => payer.pay(payer.chain.treasury, micros);
  const readMe = async (key: string) => await call(url, 'GET /api/agents/me', { key });
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
  const noticesOf = async (headers: Record<string, string>): Promise<any[]> => {
    const { body } = await call(url, 'GET /api/notifications', { headers });
    return body['data'].filter(({ type }: { type: string }) => type === 'payment_presented');
  };
  const bySignature = async (buyer: Buyer) => asHeaders(await signed(buyer));

  async function registerBare() {
    const buyer = await openBuyer(market, NETWORK);
    const body = agentBody({ endpoint_url: 'https://93.184.216.34/hook' });
    const headers = transferProof(NETWORK, await pays(buyer, 2_000_000n));
    const present = { ...headers, 'idempotency-key': randomUUID() };
    const first = await requireRegistered(registerWith(url, present, body));
    return { buyer, body, headers, present, first, id: first['agent_id'] as string, key: first['api_key'] as string };
  }

  test('V14, A19: the payer’s same registration replaces key and webhook secret, and can be repeated', async () => {
    const { buyer, body, headers, present, first, id, key } = await registerBare();
    assert.match(first['note'], /provisional/);
    assert.equal((await readMe(key)).status, 200);
    const own = await requireRegistered(registerWith(url, { ...headers, ...(await bySignature(buyer)) }, body));
    assert.deepEqual([own['agent_id'], own['api_key'] === key, own['webhook_secret'] === first['webhook_secret']], [id, false, false]);
    const ended = await readMe(key);
    assert.deepEqual([ended.status, ended.body['code']], [401, 'invalid_api_key']);
    assert.equal((await readMe(own['api_key'])).status, 200);
    const stranger = await requireRegistered(registerWith(url, present, body));
    assert.deepEqual([stranger['api_key'], stranger['webhook_secret']], [null, null]);
    const again = await requireRegistered(registerWith(url, { ...headers, ...(await bySignature(buyer)) }, body));
    assert.deepEqual([again['api_key'], again['webhook_secret']], [own['api_key'], own['webhook_secret']]);
  });

  test('V14, A19: a contest ends the key of an agent that the stranger deactivated before', async () => {
    const buyer = await openBuyer(market, NETWORK);
    const reference = await pays(buyer);
    const made = await requireRegistered(registerWith(url, transferProof(NETWORK, reference), agentBody()));
    const { agent_id: id, api_key: key } = made;
    assert.equal((await call(url, `PATCH /api/agents/${id}/active`, { key, body: { active: false } })).status, 200);
    idOf(await hireSigned(url, service, buyer, reference, BRIEF));
    const revived = await call(url, `PATCH /api/agents/${id}/active`, { key, body: { active: true } });
    assert.deepEqual([revived.status, revived.body['code']], [401, 'invalid_api_key']);
  });

  test('V14: an agent’s key survives when the payer’s signature comes with it', async () => {
    const { buyer, body, headers, key } = await registerBare();
    const both = { ...headers, authorization: `Bearer ${key}`, ...(await bySignature(buyer)) };
    const kept = await registerWith(url, both, body);
    assert.equal(kept.status, 201, JSON.stringify(kept.body));
    assert.equal((await readMe(key)).status, 200);
  });

  test('V08: a payer and an account that are not linked cannot register an agent together, and nothing is charged', async () => {
    const buyer = await openMachineBuyer(market, NETWORK);
    const authorization = `Bearer ${await tokenFor(url, { email: `${randomUUID()}@example.org` })}`;
    const standard = await signRegistration(market, url, buyer);
    const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 1_000_000n);
    const before = (await buyer.payer.chain.readBalances(buyer.address)).usdcMicros;
    for (const headers of [standard, transferProof(NETWORK, reference)]) {
      const refused = await registerWith(url, { ...headers, authorization }, agentBody());
      assert.deepEqual([refused.status, refused.body['code']], [400, 'owner_mismatch'], JSON.stringify(refused.body));
    }
    assert.equal((await buyer.payer.chain.readBalances(buyer.address)).usdcMicros, before);
    const { rows } = await market.database.pool.query('select 1 from payment_claims where reference = $1', [reference]);
    assert.deepEqual(rows, []);
    assert.equal((await registerWith(url, standard, agentBody())).status, 201, 'without the account it registers for its payer');
  });

  test('V13: the notice of a bare hire tells the payer’s wallet what was bought, until when to contest, and what to sign', async () => {
    const buyer = await openBuyer(market, NETWORK);
    const reference = await pays(buyer);
    const hired = await hireBare(url, service, NETWORK, reference, BRIEF);
    const [notice] = await until('the notice', async () => {
      const found = await noticesOf(await bySignature(buyer));
      return found.length > 0 ? found : undefined;
    });
    assert.ok(notice.body.includes(reference) && notice.body.includes(idOf(hired)), notice.body);
    assert.ok(notice.body.includes(hired.body['data'].contestable_until.slice(0, 16)) && /Sign the same request/.test(notice.body));
    await hireBare(url, service, NETWORK, reference, BRIEF);
    const feed = await call(url, 'GET /api/events?types=payment.presented_bare', { headers: await bySignature(buyer) });
    assert.equal(feed.body['data'].length, 1);
  });

  test('V13: the accounts of a linked wallet are notified once of a refused presentation', async () => {
    const buyer = await openBuyer(market, NETWORK);
    const token = await tokenFor(url, { email: `${randomUUID()}@example.org` });
    const headers = { authorization: `Bearer ${token}` };
    const linked = await call(url, 'POST /api/auth/wallets', { headers, body: await agreed(url, buyer, { action: 'link_wallet' }, token) });
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    const reference = await pays(buyer);
    for (let round = 0; round < 2; round++) {
      const refused = await hireBare(url, service, NETWORK, reference, BRIEF);
      assert.deepEqual([refused.status, refused.body['code']], [409, 'payment_reserved'], JSON.stringify(refused.body));
    }
    const notices = await until('the notice', async () => {
      const found = await noticesOf(headers);
      return found.length > 0 ? found : undefined;
    });
    assert.ok(notices.every(({ body }) => /refused\. Nothing was used up/.test(body)));
    const { rows } = await market.database.pool.query(`select 1 from events where type = 'payment.presented_bare' and subject_id like $1`, [
      `%${reference}`,
    ]);
    assert.equal(rows.length, 1);
    idOf(await hireSigned(url, service, buyer, reference, BRIEF));
  });

  test('V15, X01: an authorisation that a stranger sent pays for nothing without the payer’s signature, at any amount', async () => {
    const buyer = await openMachineBuyer(market, NETWORK);
    const cheap = await listService(url, provider, { price_usd: '0.50', title: 'A small thing' });
    const offer = await readOffer(market, url, cheap, NETWORK);
    const payload = await buyer.authorise(offer);
    const thief = await createPayer(market, NETWORK);
    assert.ok(thief.kind === 'evm');
    const data = encodeUse(payload as unknown as AuthorizedTransfer);
    const reference = await thief.wallet.sendTransaction({ to: thief.chain.usdcAddress as Hex, data, gas: 300_000n });
    await untilLanded(thief.chain, reference, 'final');
    const proof = transferProof(NETWORK, reference);
    const doors = [
      () => hireBare(url, cheap, NETWORK, reference, BRIEF),
      () => call(url, 'POST /api/orders', { headers: proof, body: { service_id: cheap, brief: BRIEF } }),
      () => call(url, `POST /api/x402/discover/${cheap}`, { headers: proof, body: { brief: BRIEF } }),
    ];
    for (const door of doors) {
      const refused = await door();
      assert.deepEqual([refused.status, refused.body['code']], [409, 'payment_reserved'], JSON.stringify(refused.body));
      assert.match(refused.body['data'].sign.message, new RegExp(buyer.address));
    }
    const headers = { ...proof, ...asHeaders(await signed(buyer)) };
    idOf(await call(url, `POST /api/x402/pay?service_id=${cheap}`, { headers, body: { brief: BRIEF } }));
  });

  // This test is last, because it moves the clock, and signed payments expire.
  test('V14, A19: recovery by the payer’s wallet issues a new key of a bare registration, in the window and after it, and then keeps it', async () => {
    for (const isLate of [false, true]) {
      const { buyer, body, headers, key, id } = await registerBare();
      if (isLate) await advanceClock(url, WINDOW_SECONDS + 1);
      const recover = async () => (await call(url, 'POST /api/agents/recover', { body: await signed(buyer) })).body['data'].agents[0];
      const recovered = await recover();
      assert.deepEqual([recovered.agent_id, recovered.replaced, recovered.api_key === key], [id, true, false]);
      assert.equal((await readMe(key)).status, 401);
      const again = await recover();
      assert.deepEqual([again.replaced, again.api_key], [false, recovered.api_key]);
      const own = await requireRegistered(registerWith(url, { ...headers, ...(await bySignature(buyer)) }, body));
      assert.ok([null, recovered.api_key].includes(own['api_key']), 'the answer holds no dead key');
      assert.equal((await readMe(recovered.api_key)).status, 200);
    }
  });
});
