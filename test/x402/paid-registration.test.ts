/** Registration paid by x402: the challenge, both payment forms, ownership, and refusals before a payment is used. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NetworkName, networkFacts } from '@market/contract';
import { PaymentRequiredV1Schema } from '@x402/core/schemas';
import { registerAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import {
  type Headers,
  type MachineBuyer,
  offerIn,
  openMachineBuyer,
  transferProof,
  versionOne,
  versionTwo,
} from '../harness/machine-buyers.ts';
import {
  REGISTRATION_MICROS,
  readOwnAgent,
  readRegistrationOffer,
  registerWith,
  requireRegistered,
  signRegistration,
} from '../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { requireSoundBooks } from '../harness/orders.ts';
import { agentBody, agreed, asHeaders, baseWallet, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { chainOf, until } from '../money/money.ts';

const networks: readonly NetworkName[] = ['base-mainnet', 'solana-mainnet', 'alt-mainnet'];
type Body = Record<string, unknown>;

describe('a paid registration', () => {
  let market: TestMarket;
  let buyers: Record<NetworkName, MachineBuyer>;
  before(async () => {
    market = await openMarket({ ...withOwnChains, OUTBOUND_ALLOW: '127.0.0.1' });
    const opened = await Promise.all(networks.map(async (network) => [network, await openMachineBuyer(market, network)] as const));
    buyers = Object.fromEntries(opened) as typeof buyers;
  });
  after(() => market.close());

  const register = (body: Body, headers: Headers = {}) => registerWith(market.url, headers, body);
  const pay = (network: NetworkName, micros = REGISTRATION_MICROS) => buyers[network].payer.pay(chainOf(market, network).treasury, micros);
  /** A transfer of a wallet that owns no agent yet; an owner would have to sign. */
  const payAsStranger = async (network: NetworkName, micros = REGISTRATION_MICROS) =>
    transferProof(network, await (await openMachineBuyer(market, network)).payer.pay(chainOf(market, network).treasury, micros));
  const sign = (network: NetworkName) => signRegistration(market, market.url, buyers[network]);
  const holds = async (network: NetworkName) => (await buyers[network].payer.chain.readBalances(buyers[network].address)).usdcMicros;
  const untilHandled = (agentId: string) =>
    until('the answer being noted', async () => {
      const { rows } = await market.database.pool.query('select told_at from x402_purchases where subject_id = $1', [agentId]);
      return rows[0]?.told_at ?? undefined;
    });
  const income = async () => {
    const { rows } = await market.database.pool.query<{ micros: bigint }>(
      `select coalesce(sum(balance_micros), 0)::bigint as micros from ledger_accounts where kind = 'platform_fee'`,
    );
    return rows[0]?.micros ?? 0n;
  };

  test('a paid registration is challenged by query and by body: one requirement at the fixed price, with the standard header', async () => {
    const asked = [
      await call(market.url, 'POST /api/agents/register?pay=x402', { body: agentBody() }),
      await register(agentBody({ pay_to_register: true })),
    ];
    for (const reply of asked) {
      const [first] = market.chains.keys();
      assert.deepEqual([reply.status, reply.body['network'], reply.headers.get('x-payment-network')], [402, first, first]);
      assert.deepEqual([reply.body['maxAmountRequired'], reply.body['resource']], ['1000000', `${market.url}/api/agents/register`]);
      assert.deepEqual([reply.headers.get('x-payment-scheme'), reply.headers.get('x-payment-asset')], ['exact', 'USDC']);
      assert.equal(offerIn(market, reply, 'base-mainnet').amount, '1000000');
      assert.ok(!('success' in reply.body));
    }
  });

  test('a paid registration is challenged for the requested network, in the query or in the header', async () => {
    for (const network of networks) {
      const byQuery = await call(market.url, `POST /api/agents/register?pay=x402&chain=${networkFacts[network].chain}`, {
        body: agentBody(),
      });
      const byHeader = await register(agentBody({ pay_to_register: true }), { 'x-payment-network': network });
      assert.deepEqual([byQuery.body['network'], byHeader.body['network']], [network, network]);
    }
  });

  test('a paid registration is challenged in strict version 1 on request', async () => {
    const { status, body, headers } = await call(market.url, 'POST /api/agents/register?pay=x402&x402Version=1', { body: agentBody() });
    assert.deepEqual([status, headers.get('payment-required')], [402, null]);
    assert.deepEqual(PaymentRequiredV1Schema.safeParse(body).error, undefined);
    assert.deepEqual(
      body['accepts'].map(({ network, resource, maxAmountRequired }: Body) => [network, resource, maxAmountRequired]),
      ['base', 'solana'].map((name) => [name, `${market.url}/api/agents/register?x402Version=1`, '1000000']),
    );
  });

  test('a paid registration is not challenged when its name is not available', async () => {
    const { name } = await registerAgent(market.url);
    assert.equal((await register(agentBody({ name, pay_to_register: true }))).status, 409);
    assert.equal((await register(agentBody({ name: 'Mercato Official', pay_to_register: true }))).body['code'], 'name_reserved');
  });

  for (const network of some(networks, 1)) {
    test(`the payer of a registration by transfer on ${network} owns the agent; the first answer has the key, and a signature gets a new one`, async () => {
      const buyer = buyers[network];
      const [body, earned] = [agentBody(), await income()];
      const proof = transferProof(network, await pay(network));
      const bare = await register(body, proof);
      const data = await requireRegistered(bare);
      assert.equal(data['marketable'], true);
      assert.equal((await readOwnAgent(market.url, data['api_key']))?.['owner_wallet'], buyer.address);
      assert.match(data['note'], /repeated answers do not carry it/);
      const again = await requireRegistered(register(body, proof));
      assert.deepEqual([again['agent_id'], again['api_key'], again['webhook_secret']], [data['agent_id'], null, null]);
      assert.match(again['note'], /\/api\/agents\/recover/);
      assert.deepEqual([bare.body['x402'].payer_wallet, bare.body['x402'].total_charged_usd], [buyer.address, 1]);
      assert.equal(await income(), earned + REGISTRATION_MICROS, 'all of it is income');

      const own = await requireRegistered(register(body, { ...proof, ...asHeaders(await signed(buyer)) }));
      assert.equal(own['agent_id'], data['agent_id']);
      assert.equal(await readOwnAgent(market.url, data['api_key']), undefined, 'the first presenter may be a stranger');
      assert.equal((await readOwnAgent(market.url, own['api_key']))?.['owner_wallet'], buyer.address);
      const stranger = await requireRegistered(register(body, { ...proof, ...asHeaders(await signed(baseWallet())) }));
      assert.deepEqual([stranger['agent_id'], stranger['api_key']], [data['agent_id'], null]);
      const other = await register({ ...body, description: 'Something else altogether.' }, proof);
      assert.deepEqual(
        [other.status, other.body['code'], other.body['data'].agent_id],
        [409, 'payment_for_other_request', data['agent_id']],
      );
    });
  }

  const versions = [
    ['base-mainnet', 1],
    ['base-mainnet', 2],
    ['solana-mainnet', 1],
    ['solana-mainnet', 2],
    ['alt-mainnet', 2],
  ] as const;
  for (const [network, version] of some(versions, 3)) {
    test(`the first answer to a version ${version} registration payment on ${network} has the key, later ones only for the signing payer`, async () => {
      const buyer = buyers[network];
      const [body, had, earned] = [agentBody(), await holds(network), await income()];
      const offer = await readRegistrationOffer(market, market.url, network);
      const payload = await buyer.authorise(offer);
      const payment = version === 1 ? versionOne(network, payload) : versionTwo(offer, payload);
      const reply = await register(body, payment);
      const data = await requireRegistered(reply);
      const receipt = reply.headers.get(version === 1 ? 'x-payment-response' : 'payment-response') ?? '';
      assert.equal(JSON.parse(Buffer.from(receipt, 'base64').toString()).success, true);
      assert.deepEqual([data['marketable'], reply.body['x402'].settled_via], [true, 'facilitator']);
      assert.equal((await readOwnAgent(market.url, data['api_key']))?.['owner_wallet'], buyer.address);
      assert.deepEqual([await holds(network), await income()], [had - REGISTRATION_MICROS, earned + REGISTRATION_MICROS]);

      await untilHandled(data['agent_id']);
      const again = await requireRegistered(register(body, payment));
      assert.deepEqual([again['agent_id'], again['api_key']], [data['agent_id'], null]);
      const own = await requireRegistered(register(body, { ...payment, ...asHeaders(await signed(buyer)) }));
      assert.deepEqual(own, data);
      const recovered = await call(market.url, 'POST /api/agents/recover', { body: { ...(await signed(buyer)), agent_name: body.name } });
      assert.equal(recovered.body['data'].agents[0].api_key, data['api_key']);
      assert.equal(await holds(network), had - REGISTRATION_MICROS, 'nothing was charged again');
    });
  }

  test('registration by a signed-in person with a linked wallet makes both account and paying wallet owners of the agent', async () => {
    const key = await tokenFor(market.url, { email: 'payer@example.com', twitter_username: 'payer_x' });
    const body = agentBody({ idp_access_token: key });
    const unlinked = await register(body, await sign('base-mainnet'));
    assert.deepEqual([unlinked.status, unlinked.body['code']], [400, 'owner_mismatch'], JSON.stringify(unlinked.body));
    const buyer = buyers['base-mainnet'];
    const link = await agreed(market.url, buyer, { action: 'link_wallet' }, key);
    assert.equal((await call(market.url, 'POST /api/auth/wallets', { key, body: link })).status, 200);
    const data = await requireRegistered(register(body, await sign('base-mainnet')));
    const me = await readOwnAgent(market.url, data['api_key']);
    const account = await call(market.url, 'GET /api/auth/user', { key });
    assert.deepEqual([me?.['owner_wallet'], me?.['idp_user_id']], [buyer.address, account.body['data'].user.idp_user_id]);
    assert.equal(data['twitter_username'], 'payer_x');
  });

  const refusals: readonly (readonly [string, number, string, () => Promise<Body>])[] = [
    ['a name that is taken', 409, 'name_taken', async () => agentBody({ name: (await registerAgent(market.url)).name })],
    ['a reserved name', 400, 'name_reserved', async () => agentBody({ name: 'Mercato Official' })],
    ['a private endpoint', 400, 'endpoint_not_public', async () => agentBody({ endpoint_url: 'https://10.0.0.1/hook' })],
    ['an owner who did not pay', 403, 'payment_wrong_payer', async () => agentBody({ owner_wallet: solanaWallet().address })],
    ['a signature of a wallet that did not pay', 403, 'payment_wrong_payer', async () => agentBody(await signed(baseWallet()))],
    ['a body that is not valid', 400, 'invalid_input', async () => ({ name: 'x' })],
  ];
  const payments: readonly (readonly [string, NetworkName, () => Promise<Headers>])[] = [
    ['a transfer on Base', 'base-mainnet', () => payAsStranger('base-mainnet')],
    ['a transfer on Solana', 'solana-mainnet', () => payAsStranger('solana-mainnet')],
    ['a standard payment on Base', 'base-mainnet', () => sign('base-mainnet')],
    ['a standard payment on Solana', 'solana-mainnet', () => sign('solana-mainnet')],
    ['a standard payment on alt', 'alt-mainnet', () => sign('alt-mainnet')],
  ];
  for (const [how, network, makePayment] of some(payments, 2)) {
    test(`X04: registration by ${how} is refused for ${refusals.map(([what]) => what).join(', ')} without using the payment, which registers afterwards`, async () => {
      const payment = await makePayment();
      const had = await holds(network);
      for (const [what, status, code, makeBody] of refusals) {
        const refused = await register(await makeBody(), payment);
        assert.deepEqual([refused.status, refused.body['code']], [status, code], `${what}: ${JSON.stringify(refused.body)}`);
        assert.equal(await holds(network), had, what);
      }
      await requireRegistered(register(agentBody(), payment));
    });
  }

  test('a paid registration is refused for a banned payer before the payment is used, by transfer and by standard payment', async () => {
    const banned = await openMachineBuyer(market, 'base-mainnet');
    const administrator = { key: await tokenFor(market.url, { email: 'ops@example.com', admin: true }) };
    const ban = await call(market.url, 'POST /api/admin/bans', {
      ...administrator,
      body: { kind: 'wallet', value: banned.address, reason: 'Sells what is not theirs.' },
    });
    assert.ok(ban.status < 300, JSON.stringify(ban.body));
    const had = (await banned.payer.chain.readBalances(banned.address)).usdcMicros;
    const standard = await register(agentBody(), await signRegistration(market, market.url, banned));
    assert.deepEqual([standard.status, standard.body['code']], [403, 'banned']);
    assert.equal((await banned.payer.chain.readBalances(banned.address)).usdcMicros, had);
    const reference = await banned.payer.pay(chainOf(market, 'base-mainnet').treasury, REGISTRATION_MICROS);
    const transfer = await register(agentBody(), transferProof('base-mainnet', reference));
    assert.deepEqual([transfer.status, transfer.body['code']], [403, 'banned']);
  });

  test('a signed-in person cannot register with a stranger’s transfer', async () => {
    const key = await tokenFor(market.url, { email: 'stranger@example.com' });
    const proof = await payAsStranger('base-mainnet');
    const refused = await register(agentBody({ idp_access_token: key }), proof);
    assert.deepEqual([refused.status, refused.body['code']], [400, 'owner_mismatch']);
    assert.match(refused.body['error'], /not linked/);
    await requireRegistered(register(agentBody(), proof));
  });

  test('a paid registration is refused for a payment one unit short, and one unit more is owed back', async () => {
    const short = await register(agentBody(), await payAsStranger('base-mainnet', REGISTRATION_MICROS - 1n));
    assert.equal(short.status, 402);
    const reply = await register(agentBody(), await payAsStranger('base-mainnet', REGISTRATION_MICROS + 1n));
    const over = await requireRegistered(reply);
    const { surplus, payer_wallet: payer } = reply.body['x402'];
    assert.deepEqual([surplus.amount_usd, surplus.chain, surplus.owed_to], ['0.000001', 'base', payer]);
    assert.match(surplus.note, /owed to 0x\w+; the operator sends it back/);
    const { rows } = await market.database.pool.query(
      `select c.amount_micros - c.price_micros as over, c.purpose from payment_claims c where c.subject_id = $1`,
      [over['agent_id']],
    );
    assert.deepEqual(rows, [{ over: 1n, purpose: 'registration' }]);
  });

  test('a paid registration is refunded when its name was taken during settlement, and every retry says so', async () => {
    for (const network of some(networks, 1)) {
      const had = await holds(network);
      const body = agentBody();
      const payment = await sign(network);
      await market.localChains?.setFault({ network, mode: 'drop_tx' });
      const pending = await register(body, payment);
      assert.deepEqual([pending.status, pending.body['code']], [503, 'payment_pending']);
      const winner = await requireRegistered(register({ ...body, description: 'Was a moment faster than the one who paid.' }));
      await market.localChains?.setFault({ network, mode: 'none' });

      const refuse = async (): Promise<Reply> =>
        await until(
          'the end',
          async () => {
            const reply = await register(body, payment);
            return reply.status === 503 ? undefined : reply;
          },
          60,
        );
      for (const reply of [await refuse(), await refuse()]) {
        assert.deepEqual([reply.status, reply.body['code']], [409, 'name_taken'], JSON.stringify(reply.body));
        assert.match(reply.body['error'], new RegExp(`1.00 USDC goes back to ${buyers[network].address}`));
        assert.equal(reply.body['data'].refund.amount_usd, '1.00');
      }
      await until('the refund', async () => ((await holds(network)) === had ? true : undefined), 60);
      assert.equal((await readOwnAgent(market.url, winner['api_key']))?.['owner_wallet'], null);
    }
  });

  test('the books are sound after paid registrations', async () => {
    await requireSoundBooks(market);
  });
});
