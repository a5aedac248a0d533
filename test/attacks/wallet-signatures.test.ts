/** Signatures that were seen before, made for something else, or bent. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ordinarySignedText } from '@market/contract';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { asQuery, type CallOptions, call, cookieOf } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, signed, signedFor, solanaWallet, type TestWallet } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(market.url, route, options);
const MINUTE = 60_000;

async function outcome(route: `${string} /${string}`, options: CallOptions): Promise<string> {
  const { status, body } = await send(route, options);
  return status < 300 ? 'ok' : `${status} ${body['code']}`;
}

/** Whom the service takes these fields for: an address, or the code of the refusal. */
async function identify(fields: Record<string, unknown>): Promise<string> {
  const { body } = await send(`GET /api/auth/whoami${asQuery(fields)}`);
  return body['success'] ? body['data'].wallet.address : body['code'];
}

for (const makeWallet of [solanaWallet, baseWallet]) {
  const { chain } = makeWallet();

  test(`A08: a ${chain} signature recovers keys once, also when it is used ten times at once`, async () => {
    const wallet = makeWallet();
    await registerOwnedAgent(market.url, wallet);
    const body = await signed(wallet, Date.now() - 1000);
    const tries = await Promise.all(Array.from({ length: 10 }, () => outcome('POST /api/agents/recover', { body })));
    assert.equal(tries.filter((result) => result === 'ok').length, 1, tries.join());
    assert.equal(tries.filter((result) => result === '401 signature_already_used').length, 9, tries.join());
  });

  test(`A08: a ${chain} signature lives 15 minutes, 5 where a secret is handed out, and not before its time`, async () => {
    const wallet = makeWallet();
    await registerOwnedAgent(market.url, wallet);
    const at = (ageMs: number) => signed(wallet, Date.now() - ageMs);
    assert.equal(await identify({ ...(await at(14 * MINUTE)) }), wallet.address);
    assert.equal(await identify({ ...(await at(15 * MINUTE + 2000)) }), 'signature_expired');
    assert.equal(await identify({ ...(await at(-25_000)) }), wallet.address);
    assert.equal(await identify({ ...(await at(-35_000)) }), 'signature_from_future');
    assert.equal(await outcome('POST /api/agents/recover', { body: await at(5 * MINUTE + 2000) }), '401 signature_expired');
    assert.equal(await outcome('POST /api/agents/recover', { body: await at(4 * MINUTE) }), 'ok');
  });
}

test('A08: another spelling of a spent signature is the same signature', async () => {
  const wallet = baseWallet();
  await registerOwnedAgent(market.url, wallet);
  const spent = await signed(wallet, Date.now() - 1000);
  assert.equal(await outcome('POST /api/agents/recover', { body: spent }), 'ok');
  const { wallet_sig: hex } = spent;
  const v = Number.parseInt(hex.slice(-2), 16);
  const spellings = [hex.toUpperCase().replace('0X', '0x'), hex.slice(2), `${hex.slice(0, -2)}${(v - 27).toString(16).padStart(2, '0')}`];
  for (const wallet_sig of spellings) {
    assert.equal(await outcome('POST /api/agents/recover', { body: { ...spent, wallet_sig } }), '401 signature_already_used', wallet_sig);
    assert.equal(
      await outcome('POST /api/agents/recover', { body: { ...spent, wallet: wallet.address.toLowerCase(), wallet_sig } }),
      '401 signature_already_used',
    );
  }
});

test('A08: neither an ordinary signature nor a session opens what needs a custody signature', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  const session = await send('POST /api/auth/session', { body: await signed(wallet) });
  const cookie = cookieOf(session);
  const change = { payout_wallet: solanaWallet().address };
  for (const options of [
    { key: agent.key, body: { ...change, ...(await signed(wallet)) } },
    { key: agent.key, body: change, headers: { cookie } },
  ]) {
    assert.equal(await outcome('PATCH /api/agents/me', options), '401 custody_signature_required');
  }
  assert.equal(await outcome('POST /api/agents/recover', { body: {}, headers: { cookie } }), '401 invalid_signature');
  assert.equal(await outcome('POST /api/auth/session', { headers: { cookie } }), '401 invalid_signature');
});

interface Action {
  readonly route: `${string} /${string}`;
  readonly body: Record<string, unknown>;
}

test('A09: a custody signature works for the very request it names and for no other', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  const other = await registerOwnedAgent(market.url, wallet);
  const [payoutA, payoutB] = [solanaWallet().address, solanaWallet().address];
  const actions: readonly Action[] = [
    { route: 'PATCH /api/agents/me', body: { payout_wallet: payoutA } },
    { route: 'PATCH /api/agents/me', body: { payout_wallet: payoutB } },
    { route: 'PATCH /api/agents/me', body: { payout_wallet: payoutA, description: 'With one thing more than was signed.' } },
    { route: `PATCH /api/agents/${agent.id}`, body: { payout_wallet: payoutA } },
    { route: `PATCH /api/agents/${agent.slug}`, body: { payout_wallet: payoutA } },
    { route: `PATCH /api/agents/${other.id}`, body: { payout_wallet: payoutA } },
    { route: 'POST /api/agents/me/rotate-key', body: {} },
  ];
  let key = agent.key;
  for (const [signedAt, signedAction] of actions.entries()) {
    for (const [usedAt, used] of actions.entries()) {
      const proof = await proofFor(wallet, signedAction);
      const reply = await send(used.route, { key, body: { ...used.body, ...proof } });
      const same = signedAt === usedAt;
      assert.equal(
        reply.status,
        same ? 200 : 401,
        `${signedAction.route} ${signedAt} used as ${used.route} ${usedAt}: ${reply.body['code']}`,
      );
      if (reply.status === 200 && used.route.endsWith('rotate-key')) key = reply.body['data'].api_key;
    }
  }
});

async function proofFor(wallet: TestWallet, { route, body }: Action) {
  const [method = '', path = ''] = route.split(' ');
  return await signedFor(wallet, { method, path, body });
}

test('A09: a custody signature is spent by its first use and by nothing less', async () => {
  const wallet = baseWallet();
  const agent: TestAgent = await registerAgent(market.url);
  const action: Action = { route: 'PATCH /api/agents/me', body: { owner_wallet: wallet.address } };
  const proof = await proofFor(wallet, action);
  assert.equal(await outcome(action.route, { key: agent.key, body: { ...action.body, ...proof } }), 'ok');
  const payout: Action = { route: 'PATCH /api/agents/me', body: { payout_address_base: baseWallet().address } };
  const once = await proofFor(wallet, payout);
  assert.equal(await outcome(payout.route, { key: agent.key, body: { ...payout.body, ...once } }), 'ok');
  assert.equal(await outcome(payout.route, { key: agent.key, body: { ...payout.body, ...once } }), '401 signature_already_used');
});

test('A09: a text signed for another site or purpose is worth nothing here', async () => {
  const wallet = solanaWallet();
  const at = Date.now();
  const texts = [
    `elsewhere:${wallet.address}:${at}`,
    `market:${wallet.address}`,
    `market:${wallet.address}:${at} `,
    `\n${ordinarySignedText(wallet.address, at)}`,
    `market:${solanaWallet().address}:${at}`,
    `market:${wallet.address}:${at + 1}`,
    `market.elsewhere.example:${wallet.address}:${at}`,
    String(at),
    '',
  ];
  for (const text of texts) {
    const fields = { wallet: wallet.address, wallet_sig: await wallet.sign(text), wallet_sig_ts: at };
    assert.equal(await identify(fields), 'invalid_signature', JSON.stringify(text));
  }
});

test('A10: a signature in the address may read what its wallet may read', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  const { body } = await send(`GET /api/agents${asQuery({ owner_wallet: wallet.address, ...(await signed(wallet)) })}`);
  assert.equal(body['data'][0].id, agent.id);
});

test('A10: a signature in the address recovers no API key', async () => {
  const wallet = solanaWallet();
  await registerOwnedAgent(market.url, wallet);
  assert.match(await outcome(`POST /api/agents/recover${asQuery(await signed(wallet))}`, { body: {} }), /^401/);
});

test('A10: a signature in the address buys no session: a line of an access log must not open 7 days', async () => {
  assert.match(await outcome(`POST /api/auth/session${asQuery(await signed(solanaWallet()))}`, {}), /^401/);
});

test('A10: a custody signature in the address moves nothing', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  const change = { payout_wallet: solanaWallet().address };
  const custody = asQuery(await signedFor(wallet, { method: 'PATCH', path: '/api/agents/me', body: change }));
  assert.match(await outcome(`PATCH /api/agents/me${custody}`, { key: agent.key, body: change }), /^401/);
});

test('A10: no page that was opened with a signature tells the next site about it', async () => {
  const reply = await send('GET /api/auth/whoami');
  assert.equal(reply.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(reply.headers.get('cache-control'), 'no-store');
});
