/** Replayed wallet signatures, and signatures made for another purpose. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ordinarySignedText, siteSignedText } from '@market/contract';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { asQuery, type CallOptions, call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, baseWallet, openSession, signed, signedFor, solanaWallet, type TestWallet } from '../harness/people.ts';
import { createService } from '../harness/services.ts';

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

/** The wallet that the service reads from these fields, or the code of the refusal. */
async function identify(fields: Record<string, unknown>): Promise<string> {
  const { body } = await send(`GET /api/auth/whoami${asQuery(fields)}`);
  return body['success'] ? body['data'].wallet.address : body['code'];
}

for (const makeWallet of [solanaWallet, baseWallet]) {
  const { chain } = makeWallet();

  test(`A08: a ${chain} signature recovers keys once, also in ten parallel requests`, async () => {
    const wallet = makeWallet();
    await registerOwnedAgent(market.url, wallet);
    const body = await signed(wallet, Date.now() - 1000);
    const tries = await Promise.all(Array.from({ length: 10 }, () => outcome('POST /api/agents/recover', { body })));
    assert.equal(tries.filter((result) => result === 'ok').length, 1, tries.join());
    assert.equal(tries.filter((result) => result === '401 signature_already_used').length, 9, tries.join());
  });

  test(`A08: a ${chain} signature is valid for 15 minutes, 5 where a secret is returned, and never if dated in the future`, async () => {
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

test('A08: another encoding of a spent signature is spent too', async () => {
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

test('A08: an ordinary signature or a session is refused where a custody signature is required', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  const cookie = await openSession(market.url, wallet);
  const change = { payout_wallet: solanaWallet().address };
  const headers = { cookie, origin: market.url };
  const ordinary = { ...change, ...(await signed(wallet)) };
  assert.equal(await outcome('PATCH /api/agents/me', { key: agent.key, body: ordinary }), '401 custody_signature_required');
  assert.equal(await outcome(`PATCH /api/agents/${agent.id}`, { body: change, headers }), '401 custody_signature_required');
  // With a key in the request the cookie proves nothing more.
  assert.equal(await outcome('PATCH /api/agents/me', { key: agent.key, body: change, headers }), '403 owner_proof_required');
  assert.equal(await outcome('POST /api/agents/recover', { body: {}, headers }), '401 invalid_signature');
  assert.equal(await outcome('POST /api/auth/session', { headers }), '401 sign_in_message_required');
});

interface Action {
  readonly route: `${string} /${string}`;
  readonly body: Record<string, unknown>;
}

test('A09: a custody signature is valid only for the exact request it names', async () => {
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
  return await signedFor(market.url, wallet, { method, path, body });
}

test('A09: a custody signature works once', async () => {
  const wallet = baseWallet();
  const agent: TestAgent = await registerAgent(market.url);
  const action: Action = { route: 'PATCH /api/agents/me', body: { owner_wallet: wallet.address } };
  const proof = await proofFor(wallet, action);
  const claimed = await send(action.route, { key: agent.key, body: { ...action.body, ...proof } });
  const key: string = claimed.body['data']?.api_key;
  assert.equal(claimed.status, 200, JSON.stringify(claimed.body));
  const payout: Action = { route: 'PATCH /api/agents/me', body: { payout_address_base: baseWallet().address } };
  const once = await proofFor(wallet, payout);
  assert.equal(await outcome(payout.route, { key, body: { ...payout.body, ...once } }), 'ok');
  assert.equal(await outcome(payout.route, { key, body: { ...payout.body, ...once } }), '401 signature_already_used');
});

test('A09: a message signed for another site or purpose is refused', async () => {
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

test('A09: a single-use message that names site and call is valid only for them', async () => {
  const wallet = baseWallet();
  await registerOwnedAgent(market.url, wallet);
  const { host } = new URL(market.url);
  const at = Date.now() - 1000;
  const sign = async (named: { host: string; method?: string; path?: string }, stamp = at) => {
    const text = siteSignedText({ wallet: wallet.address, timestampMs: stamp, method: 'POST', path: '/api/agents/recover', ...named });
    return { wallet: wallet.address, wallet_sig: await wallet.sign(text), wallet_sig_ts: stamp };
  };
  for (const elsewhere of [
    { host: 'evil.example' },
    { host: `${host}.evil.example` },
    { host: '' },
    { host, path: '/api/auth/wallets' },
    { host, method: 'GET' },
  ]) {
    assert.equal(
      await outcome('POST /api/agents/recover', { body: await sign(elsewhere) }),
      '401 invalid_signature',
      JSON.stringify(elsewhere),
    );
    assert.equal(await identify(await sign(elsewhere, at - 1)), 'invalid_signature', JSON.stringify(elsewhere));
  }
  const old = await sign({ host }, Date.now() - 5 * MINUTE - 2000);
  assert.equal(await outcome('POST /api/agents/recover', { body: old }), '401 signature_expired');
  const body = await sign({ host });
  assert.equal(await outcome('POST /api/auth/session', { body }), '401 invalid_signature');
  assert.equal(await outcome('POST /api/agents/recover', { body }), 'ok');
  assert.equal(await outcome('POST /api/agents/recover', { body }), '401 signature_already_used');
});

test('A10: a signature in the query string may read what its wallet may read', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  const { body } = await send(`GET /api/agents${asQuery({ owner_wallet: wallet.address, ...(await signed(wallet)) })}`);
  assert.equal(body['data'][0].id, agent.id);
});

test('A10: a signature in the query string recovers no API key', async () => {
  const wallet = solanaWallet();
  await registerOwnedAgent(market.url, wallet);
  assert.match(await outcome(`POST /api/agents/recover${asQuery(await signed(wallet))}`, { body: {} }), /^401/);
});

test('A10: a signature in the query string opens no session', async () => {
  assert.match(await outcome(`POST /api/auth/session${asQuery(await signed(solanaWallet()))}`, {}), /^401/);
});

test('A10: a custody signature in the query string is refused', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  const change = { payout_wallet: solanaWallet().address };
  const custody = asQuery(await signedFor(market.url, wallet, { method: 'PATCH', path: '/api/agents/me', body: change }));
  assert.match(await outcome(`PATCH /api/agents/me${custody}`, { key: agent.key, body: change }), /^401/);
});

test('A10: a signature in the query string cannot delete or pay', async () => {
  const wallet = solanaWallet();
  const agent = await registerOwnedAgent(market.url, wallet);
  const { id } = await createService(market.url, agent);
  const inQuery = asQuery(await signed(wallet));
  const refused = await send(`DELETE /api/services/${id}${inQuery}`);
  assert.deepEqual([refused.status, refused.body['code']], [401, 'invalid_signature'], JSON.stringify(refused.body));
  assert.match(refused.body['error'], /may only read/);
  assert.equal((await send(`GET /api/services/${id}`)).body['data'].active, 1);
  assert.equal(
    await outcome(`GET /api/x402/discover${asQuery({ service_id: id, ...(await signed(wallet)) })}`, {}),
    '401 invalid_signature',
  );
  assert.equal(await outcome(`DELETE /api/services/${id}`, { headers: asHeaders(await signed(wallet)) }), 'ok');
});

test('A10: answers forbid referrers and caching, so that a signature in a URL does not leak to the next site', async () => {
  const reply = await send('GET /api/auth/whoami');
  assert.equal(reply.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(reply.headers.get('cache-control'), 'no-store');
});
