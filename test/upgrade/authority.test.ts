/** A market filled by the code before the authority table, opened by today's code: what people had still works, by the new rules. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { hireWith, type MachineBuyer, readOffer, transferProof } from '../harness/machine-buyers.ts';
import { callTool, connectMcp } from '../harness/mcp.ts';
import { connectProgram } from '../harness/oauth.ts';
import { advanceClock, BRIEF } from '../harness/orders.ts';
import { asHeaders, linkWallet, openSession, signed, signedFor, tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { emailOf, type Kept, NETWORK, type PersonName, solanaWalletNamed, walletNamed } from './former-people.ts';
import { openUpgradedMarket, type UpgradedMarket } from './open-upgraded-market.ts';

const LEND = 'lend_a:usdc';
const WINDOW_SECONDS = 15 * 60;
const DAY_SECONDS = 24 * 3600;
/** Notices that the upgrade itself sends. */
const OF_UPGRADE = [
  'wallet_link_unconfirmed',
  'sign_in_again',
  'payer_asked',
  'spending_agents_unlimited',
  'owner_conflict',
  'withdraw_change_ended',
];

suite('a market from before the authority table', () => {
  let market: UpgradedMarket;
  let url: string;
  let kept: Kept;
  before(async () => {
    market = await openUpgradedMarket();
    ({ url, kept } = market);
  });
  after(() => market.close());

  const codeOf = ({ status, body }: Reply) => [status, body['code'] ?? null];
  const token = async (name: PersonName) => await tokenFor(url, { email: emailOf(name) });
  const bySignature = async (name: PersonName): Promise<CallOptions> => ({ headers: asHeaders(await signed(walletNamed(name))) });
  const transfer = async ({ payer }: MachineBuyer, micros: bigint) => await payer.pay(market.treasury, micros);
  const seller = () => ({ key: kept.agents.seller.key });
  const placeOrder = async (by: CallOptions) =>
    (await expectCall(url, 200, 'POST /api/orders', { ...by, body: { service_id: kept.services.five, brief: BRIEF } }))[
      'order_id'
    ] as string;
  const pay = async (id: string, reference: string, by: CallOptions) =>
    await call(url, `PATCH /api/orders/${id}`, { ...by, body: { action: 'pay', escrow_tx_hash: reference, payment_chain: 'base' } });
  const approve = async (id: string, by: CallOptions) => await call(url, `PATCH /api/orders/${id}`, { ...by, body: { action: 'approve' } });
  const deliver = async (id: string) =>
    await expectCall(url, 200, `POST /api/orders/${id}/deliver`, {
      ...seller(),
      body: { deliverable_url: 'https://example.com/result', deliverable_media_type: 'link' },
    });
  const read = async (id: string, by: CallOptions) => await expectCall(url, 200, `GET /api/orders/${id}`, by);
  const untilPaidOut = async (id: string) =>
    await until(`the payout of ${id}`, async () => ((await read(id, seller()))['money'].payout?.state === 'confirmed' ? true : undefined));
  /** The upgrade's notices, newest first. */
  const noticesOf = async (by: CallOptions): Promise<Envelope[]> =>
    (await call(url, 'GET /api/notifications?limit=100', by)).body['data'].filter(({ type }: Envelope) => OF_UPGRADE.includes(type));

  test('the upgrade’s migrations keep every invariant of the audit', async () => {
    // Postings of the former market's last minute are sealed soon after the start.
    await until('a clean audit', async () => (/\b0 broken/.test(await market.audit()) ? true : undefined));
  });

  test('the upgrade tells each person once what to do again, also after a second start', async () => {
    const typesOf = async (by: CallOptions) => (await noticesOf(by)).map(({ type }) => type as string).sort();
    await until('the notice that a job writes', async () => ((await typesOf(await bySignature('olga'))).length === 2 ? true : undefined));
    const wallets: Record<PersonName, string[]> = {
      seller: [],
      ines: ['wallet_link_unconfirmed'],
      paula: ['withdraw_change_ended'],
      sam: ['sign_in_again'],
      olga: ['payer_asked', 'spending_agents_unlimited'],
      wanda: ['owner_conflict'],
      bare: [],
      newcomer: [],
      dora: [],
    };
    for (const [name, expected] of Object.entries(wallets) as [PersonName, string[]][]) {
      assert.deepEqual(await typesOf(await bySignature(name)), expected, name);
      if (name === 'ines' || name === 'paula' || name === 'wanda')
        assert.deepEqual(await typesOf({ key: await token(name) }), expected, `the account of ${name}`);
    }
    const [confirm] = await noticesOf({ key: await token('ines') });
    assert.match(confirm?.['body'], new RegExp(`${walletNamed('ines').address}.*confirm the link once with this wallet`));
    assert.equal(confirm?.['link'], '/wallet', 'the page with the button');
    const [again] = await noticesOf({ key: await token('paula') });
    assert.match(
      again?.['body'],
      new RegExp(`${solanaWalletNamed('sam').address}.*set the address again with ${walletNamed('paula').address}`),
    );
  });

  test('V06, V11, V21: after the upgrade an agent’s limit and spending stay; its key pays once the owner’s wallet allowed it', async () => {
    const { limited } = kept.agents;
    const policy = async () => {
      const policies = (await expectCall(url, 200, 'GET /api/spending/policies', { key: limited.key })) as unknown as Envelope[];
      const { per_day_usd, spent_day_usd, approve_above_usd } = policies.find(({ id }) => id === limited.id) ?? {};
      return [per_day_usd, spent_day_usd, approve_above_usd];
    };
    assert.deepEqual(await policy(), ['4.00', '2.20', '2.00']);
    const olga = await market.person('olga');
    const shown = { ...transferProof(NETWORK, await transfer(olga, 1_100_000n)), authorization: `Bearer ${limited.key}` };
    const refused = await hireWith(url, kept.services.one, shown);
    assert.deepEqual(codeOf(refused), [409, 'payment_reserved']);
    assert.match(refused.body['error'], /let the wallet allow this agent once: data\.allow says what it signs/);
    const { allow } = refused.body['data'];
    const body = { ...allow.body, wallet_sig: await olga.sign(allow.message) };
    await expectCall(url, 200, `${allow.method as 'POST'} ${new URL(allow.url).pathname as '/'}`, { body });
    assert.equal((await hireWith(url, kept.services.one, shown)).status, 200);
    assert.deepEqual(await policy(), ['4.00', '3.30', '2.00']);
    const more = { ...transferProof(NETWORK, await transfer(olga, 1_100_000n)), authorization: `Bearer ${limited.key}` };
    assert.deepEqual(codeOf(await hireWith(url, kept.services.one, more)), [403, 'spend_refused']);

    // For a payment that waits for approval the owner now decides by a session, not by an ordinary signature.
    const decision = { body: { decision: 'approve' } };
    const path = `POST /api/spending/approvals/${kept.approval}` as const;
    assert.equal((await call(url, path, { ...(await bySignature('olga')), ...decision })).status, 401);
    const cookie = await openSession(url, olga);
    assert.equal((await expectCall(url, 200, path, { headers: { cookie, origin: url }, ...decision }))['status'], 'approved');
  });

  test('V11: after the upgrade a connected program stays connected, and its daily limit does not restart, not even by a new consent', async () => {
    const ines = await market.person('ines');
    const key = await token('ines');
    const limits = async () => {
      const policies = (await expectCall(url, 200, 'GET /api/spending/policies', { key })) as unknown as Envelope[];
      return policies.filter(({ kind }) => kind === 'connection').map(({ per_day_usd, spent_day_usd }) => [per_day_usd, spent_day_usd]);
    };
    const hire = async (accessToken: string) => {
      const accepted = await readOffer(market, url, kept.services.one, NETWORK);
      const payment = { x402Version: 2, accepted, payload: await ines.authorise(accepted) };
      const client = await connectMcp(url, accessToken);
      const args = { service_id: kept.services.one, brief: BRIEF };
      const reply = await callTool(client, 'submit_payment', args, { 'x402/payment': payment });
      await client.close();
      return reply.structuredContent['code'];
    };
    assert.deepEqual(await limits(), [['2.00', '1.10']]);
    const [connection] = (await expectCall(url, 200, 'GET /api/connections', { key })) as unknown as Envelope[];
    assert.deepEqual([connection?.['id'], connection?.['scopes']], [kept.program.connectionId, ['read', 'hire']]);
    const { accessToken } = await connectProgram(url, key, {
      clientId: kept.program.clientId,
      scope: 'read hire',
      daily_limit_usd: '2.00',
    });
    assert.equal(await hire(accessToken), 'spend_refused');
    assert.deepEqual(await limits(), [['2.00', '1.10']]);
  });

  test('V12, V14: after the upgrade a contestable order withholds its result until the payer confirms or the window ends', async () => {
    const { delivered, undelivered } = kept.orders;
    await deliver(undelivered);
    for (const name of ['delivered', 'undelivered'] as const) {
      const shown = await read(kept.orders[name], { key: kept.tokens[name] });
      assert.deepEqual([shown['order'].status, shown['deliverables'], shown['money'].payout], ['delivered', [], null], name);
      assert.equal(typeof shown['withheld_until'], 'string');
      assert.match(shown['withheld_hint'], new RegExp(walletNamed('bare').address));
    }
    await expectCall(url, 200, `POST /api/orders/${undelivered}/confirm-payment`, await bySignature('bare'));
    const confirmed = await read(undelivered, await bySignature('bare'));
    assert.deepEqual([confirmed['deliverables'].length, confirmed['withheld_until']], [1, null]);
    const ended = await call(url, `GET /api/orders/${undelivered}`, { key: kept.tokens.undelivered });
    assert.deepEqual(codeOf(ended), [401, 'invalid_order_token'], 'the first presenter proved nothing');
    await untilPaidOut(undelivered);

    await advanceClock(url, WINDOW_SECONDS);
    const opened = await read(delivered, { key: kept.tokens.delivered });
    assert.deepEqual([opened['deliverables'].length, opened['withheld_until']], [1, null]);
    await untilPaidOut(delivered);
  });

  test('Y13: after the upgrade an old link’s order token reads in the address; an old token that acted still acts as bearer', async () => {
    const small = await call(url, `GET /api/orders/${kept.orders.small}?read_token=${kept.tokens.small}`);
    assert.deepEqual([small.status, small.body['data'].allowed_actions], [200, []], JSON.stringify(small.body));
    await deliver(kept.orders.standard);
    const inAddress = await call(url, `GET /api/orders/${kept.orders.standard}?read_token=${kept.tokens.standard}`);
    assert.deepEqual([inAddress.status, inAddress.body['data'].allowed_actions], [200, []]);
    assert.equal((await approve(kept.orders.standard, { key: kept.tokens.standard })).body['data']?.status, 'completed');
  });

  test('V04, V16: after the upgrade a wallet withdraws from Earn to itself at once, an account to its old link after a day', async () => {
    const dora = await market.person('dora');
    const ines = await market.person('ines');
    const holds = async ({ payer }: MachineBuyer) => (await payer.chain.readBalances(payer.address)).usdcMicros;
    const [doraHad, inesHad] = [await holds(dora), await holds(ines)];
    const body = { key: LEND, all: true };
    const waits = await expectCall(url, 200, 'POST /api/earn/pool/withdraw', { key: await token('ines'), body });
    assert.deepEqual([waits['status'], waits['destination_wallet']], ['waiting', ines.address]);
    await expectCall(url, 200, 'POST /api/earn/pool/withdraw', { ...(await bySignature('dora')), body });
    await until('the withdrawal of Dora', async () => ((await holds(dora)) >= doraHad + 119_990_000n ? true : undefined));

    const moves = async (name: PersonName = 'ines') =>
      (await expectCall(url, 200, 'GET /api/moves', { key: await token(name) })) as unknown as Envelope[];
    const address = (await moves()).find(({ kind }) => kind === 'withdraw_address');
    assert.equal(address?.['status'], 'waiting', 'the change of a withdraw address that waited before');
    assert.match(address?.['summary'], new RegExp(kept.withdrawTo));
    assert.deepEqual(await moves('paula'), [], 'the change that the account of an agent of a wallet asked for');
    await advanceClock(url, DAY_SECONDS + 5);
    await until('both moves', async () => ((await moves()).every(({ status }) => status === 'done') ? true : undefined));
    await until('the withdrawal of Ines', async () => ((await holds(ines)) >= inesHad + 8_990_000n ? true : undefined));
  });

  test('V01: after the upgrade an old link reads and acts, and pays only once its wallet confirmed it', async () => {
    const ines = await market.person('ines');
    const by = { key: await token('ines') };
    await deliver(kept.orders.linked);
    assert.equal((await approve(kept.orders.linked, by)).body['data']?.status, 'completed');
    await untilPaidOut(kept.orders.linked);
    const order = await placeOrder(by);
    const reference = await transfer(ines, 5_000_000n);
    const refused = await pay(order, reference, by);
    assert.deepEqual(codeOf(refused), [403, 'payment_wrong_payer'], JSON.stringify(refused.body));
    const linked = async () =>
      (await expectCall(url, 200, 'GET /api/auth/user', by))['wallets'].map(({ confirmed }: Envelope) => confirmed);
    assert.deepEqual(await linked(), [false]);
    await linkWallet(url, by.key, ines);
    assert.deepEqual(await linked(), [true]);
    assert.equal((await pay(order, reference, by)).status, 200);
  });

  test('V01: after the upgrade a wallet that the identity provider named pays as before', async () => {
    const by = { key: await token('paula') };
    const order = await placeOrder(by);
    const paid = await pay(order, await transfer(await market.person('paula'), 5_000_000n), by);
    assert.equal(paid.status, 200, JSON.stringify(paid.body));
  });

  test('V02: after the upgrade an old session reads and acts, but pays only after a new sign-in', async () => {
    const sam = await market.person('sam');
    const old = { headers: { cookie: kept.cookie, origin: url } };
    assert.equal((await read(kept.orders.session, old))['order'].status, 'delivered');
    assert.equal((await approve(kept.orders.session, old)).body['data']?.status, 'completed');
    await untilPaidOut(kept.orders.session);
    const order = await placeOrder(old);
    const reference = await transfer(sam, 5_000_000n);
    const refused = await pay(order, reference, old);
    assert.deepEqual(codeOf(refused), [403, 'payment_wrong_payer'], JSON.stringify(refused.body));
    const cookie = await openSession(url, sam);
    assert.equal((await pay(order, reference, { headers: { cookie, origin: url } })).status, 200);
  });

  test('V03: after the upgrade agents’ keys work as before; of an agent with two owners the wallet decides', async () => {
    for (const { id, key } of Object.values(kept.agents))
      assert.equal((await expectCall(url, 200, 'GET /api/agents/me', { key }))['id'], id);
    const { disputed } = kept.agents;
    const listing = {
      category: 'custom',
      title: 'Careful proofreading',
      description: 'Reads a text twice and marks every slip.',
      price_usd: '3.00',
    };
    await expectCall(url, 201, `POST /api/agents/${disputed.id}/services`, { key: disputed.key, body: listing });
    const rotated = await call(url, `POST /api/agents/${disputed.id}/rotate-key`, { key: await token('wanda') });
    assert.deepEqual(codeOf(rotated), [409, 'owner_conflict']);
    const request = { method: 'PATCH', path: `/api/agents/${disputed.id}`, body: { idp_user_id: null } };
    const headers = asHeaders(await signedFor(url, walletNamed('wanda'), request));
    const decided = await expectCall(url, 200, `PATCH /api/agents/${disputed.id}`, { headers, body: request.body });
    await expectCall(url, 200, 'GET /api/agents/me', { key: decided['api_key'] });
    assert.equal((await call(url, 'GET /api/agents/me', { key: disputed.key })).status, 401);
  });

  test('after all use of the upgraded market every invariant of the audit holds', async () => {
    await until('a clean audit', async () => (/\b0 broken/.test(await market.audit()) ? true : undefined));
  });
});
