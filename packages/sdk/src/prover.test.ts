/** Tests which text the wallet signs for a call, and that a server cannot make it sign another one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ActionSubject, actionMessageText, custodySignedText, ordinarySignedText, siteSignedText } from '@market/contract';
import { failureOf, freshWallet, refused, serve } from './client-test-service.ts';
import { createMarketClient } from './index.ts';

test('one ordinary wallet signature of the client serves several calls', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const signer = freshWallet();
  const client = createMarketClient({ baseUrl, wallet: signer });
  await client.profiles.update({ bio: 'One' });
  await client.profiles.update({ bio: 'Two' });
  assert.equal(signer.asked.length, 1);
  const [first, second] = seen.map(({ headers }) => headers);
  assert.equal(signer.asked[0], ordinarySignedText(signer.address, Number(first?.['x-market-wallet-sig-ts'])));
  assert.deepEqual(
    ['x-market-wallet', 'x-market-wallet-sig', 'x-market-wallet-chain'].map((name) => second?.[name]),
    [signer.address, 'signed 1', 'base'],
  );
});

test('the client signs a single-use call anew each time, also on a retry', async (t) => {
  const { baseUrl, seen } = await serve(t, { instead: 'drop' }, {});
  const signer = freshWallet();
  const client = createMarketClient({ baseUrl, wallet: signer });
  await client.agents.recover({ agent_name: 'Tallyrook' });
  await client.agents.recover({ agent_name: 'Tallyrook' });
  const stamps = seen.map(({ headers }) => headers['x-market-wallet-sig-ts']);
  assert.equal(new Set(stamps).size, 3);
  assert.equal(new Set(signer.asked).size, 3);
  const { host } = new URL(baseUrl);
  const request = { wallet: signer.address, timestampMs: Number(stamps[0]), host, method: 'POST', path: '/api/agents/recover' };
  assert.equal(signer.asked[0], siteSignedText(request));
});

test('a custody proof names method, path and body', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const signer = freshWallet();
  const client = createMarketClient({ baseUrl, wallet: signer, apiKey: 'market_k' });
  await client.agents.updateMe({ name: 'New name', payout_chain: 'base' }, { proof: 'custody' });
  const timestampMs = Number(seen[0]?.headers['x-market-wallet-sig-ts']);
  const body = { payout_chain: 'base', name: 'New name' };
  assert.deepEqual(signer.asked, [
    await custodySignedText({
      host: new URL(baseUrl).host,
      wallet: signer.address,
      timestampMs,
      method: 'PATCH',
      path: '/api/agents/me',
      body,
    }),
  ]);
});

test('a wallet signs only calls that accept signatures, and `proof` without a wallet is refused', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const signer = freshWallet();
  await createMarketClient({ baseUrl, wallet: signer, apiKey: 'market_k' }).agents.me();
  assert.equal(signer.asked.length, 0);
  await assert.rejects(createMarketClient({ baseUrl }).agents.me({}, { proof: 'custody' }), /needs a wallet/);
  assert.equal(seen.length, 1);
});

test('the client asks a wallet that refused once again with the next call', async (t) => {
  const { baseUrl } = await serve(t);
  let asked = 0;
  const signMessage = async () => {
    asked += 1;
    if (asked === 1) throw new Error('Not now.');
    return 'signed';
  };
  const client = createMarketClient({ baseUrl, wallet: { address: freshWallet().address, signMessage } });
  await assert.rejects(client.profiles.update({ bio: 'One' }), /Not now\./);
  await client.profiles.update({ bio: 'One' });
});

const hash = `0x${'5'.repeat(64)}`;

test('V19: the client signs each call that pays with a transfer anew', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const signer = freshWallet();
  const client = createMarketClient({ baseUrl, wallet: signer });
  await client.profiles.update({ bio: 'One' });
  await client.orders.pay({ id: 'ord_1', escrow_tx_hash: hash });
  await client.earn.deposit({ amount_usd: '1.00', incoming_tx_hash: hash });
  await client.profiles.update({ bio: 'Two' });
  assert.deepEqual(
    seen.map(({ headers }) => headers['x-market-wallet-sig']),
    ['signed 1', 'signed 2', 'signed 3', 'signed 1'],
  );
});

test('V06: beside an API key, the wallet signs the payment', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const signer = freshWallet();
  const client = createMarketClient({ baseUrl, wallet: signer, apiKey: 'market_k' });
  await client.x402.pay({ service_id: 'svc_1', x_payment: hash, brief: 'A logo.' });
  const { authorization, ...headers } = seen[0]?.headers ?? {};
  assert.equal(authorization, 'Bearer market_k');
  assert.deepEqual(signer.asked, [ordinarySignedText(signer.address, Number(headers['x-market-wallet-sig-ts']))]);
});

/** The action message of a service at `origin` for this wallet. */
function messageOf(origin: string, wallet: string, subject: ActionSubject): string {
  const times = { issuedAt: '2026-11-17T22:00:00.000Z', expiresAt: '2026-11-17T22:05:00.000Z' };
  return actionMessageText({
    ...subject,
    ...times,
    origin,
    serviceName: 'Mercato',
    chain: 'base',
    wallet,
    chainId: '8453',
    nonce: 'a'.repeat(32),
  });
}

const tokenOf = (sub: string) => `e30.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.x`;

test('V01: linking a wallet signs the message of the service, with the account of the token', async (t) => {
  const signer = freshWallet();
  const challenge: { body?: unknown } = {};
  const { baseUrl, seen } = await serve(t, challenge, {});
  const message = messageOf(baseUrl, signer.address, { action: 'link_wallet', account: 'user_1', accountLabel: 'ada@example.org' });
  challenge.body = { success: true, data: { message } };
  await createMarketClient({ baseUrl, wallet: signer, accessToken: tokenOf('user_1') }).auth.linkWallet();
  assert.deepEqual(signer.asked, [message]);
  assert.deepEqual(
    seen.map(({ url, headers, body }) => [url, headers.authorization, body]),
    [
      ['/api/auth/challenge', `Bearer ${tokenOf('user_1')}`, { action: 'link_wallet', wallet: signer.address, chain: 'base' }],
      ['/api/auth/wallets', `Bearer ${tokenOf('user_1')}`, { signed_message: message, wallet: signer.address, wallet_sig: 'signed 1' }],
    ],
  );
});

test('V01: the wallet signs no message of another site, wallet, action or account', async (t) => {
  const other = '0x52908400098527886E0F7030069857D2E4169EE7';
  const subject = { action: 'link_wallet', account: 'user_1' } as const;
  const wrong: Readonly<Record<string, (origin: string, wallet: string) => string>> = {
    'another site': (_origin, wallet) => messageOf('https://bank.example', wallet, subject),
    'another wallet': (origin) => messageOf(origin, other, subject),
    'another action': (origin, wallet) => messageOf(origin, wallet, { action: 'own_agent', agentId: 'ext_1' }),
    'another account': (origin, wallet) => messageOf(origin, wallet, { ...subject, account: 'user_2' }),
    'another statement': (origin, wallet) => messageOf(origin, wallet, subject).replace('Link this wallet', 'Greet this wallet'),
    'a custody text': (origin, wallet) => `market:${new URL(origin).host}:${wallet}:1:POST /api/wallets/send:00`,
  };
  for (const [what, textAt] of Object.entries(wrong)) {
    const signer = freshWallet();
    const reply: { body?: unknown } = {};
    const { baseUrl, seen } = await serve(t, reply);
    reply.body = { success: true, data: { message: textAt(baseUrl, signer.address) } };
    const client = createMarketClient({ baseUrl, wallet: signer, accessToken: tokenOf('user_1') });
    assert.equal((await failureOf(client.auth.linkWallet())).code, 'unexpected_answer', what);
    assert.deepEqual([signer.asked, seen.length], [[], 1], what);
  }
});

test('V05: the client signs a refused call with a custody text and sends it once more, unless the refusal shows another text', async (t) => {
  const signer = freshWallet();
  const call = { method: 'POST', path: '/api/agents/me/rotate-key', body: undefined };
  const askFor = async (changes: { host?: string; wallet?: string; path?: string }, origin: string) => {
    const text = await custodySignedText({ host: new URL(origin).host, wallet: signer.address, timestampMs: 7, ...call, ...changes });
    return refused(401, 'custody_signature_required', {
      data: { text_to_sign: text, wallet: changes.wallet ?? signer.address, wallet_sig_ts: 7 },
    });
  };
  const attempt = async (changes: Parameters<typeof askFor>[0]) => {
    const first: { status?: number; body?: unknown } = {};
    const { baseUrl, seen } = await serve(t, first, {});
    Object.assign(first, await askFor(changes, baseUrl));
    const sent = createMarketClient({ baseUrl, wallet: signer, apiKey: 'market_k' }).agents.rotateKey();
    return { sent, seen, host: new URL(baseUrl).host };
  };
  const good = await attempt({});
  await good.sent;
  const timestampMs = Number(good.seen[1]?.headers['x-market-wallet-sig-ts']);
  assert.deepEqual(signer.asked, [await custodySignedText({ host: good.host, wallet: signer.address, timestampMs, ...call })]);
  for (const changes of [{ host: 'bank.example' }, { wallet: '0x52908400098527886E0F7030069857D2E4169EE7' }, { path: '/api/agents/me' }]) {
    const bad = await attempt(changes);
    assert.equal((await failureOf(bad.sent)).code, 'custody_signature_required');
    assert.equal(bad.seen.length, 1);
  }
  assert.equal(signer.asked.length, 1);
});

test('V05: a payout field makes the client ask the wallet for a custody signature at once', async (t) => {
  const { baseUrl, seen } = await serve(t);
  const signer = freshWallet();
  const client = createMarketClient({ baseUrl, wallet: signer, apiKey: 'market_k' });
  await client.agents.updateMe({ name: 'New name' });
  await client.agents.updateMe({ payout_wallet: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK' });
  assert.deepEqual(
    seen.map(({ headers }) => headers['x-market-wallet-sig']),
    [undefined, 'signed 1'],
  );
  assert.match(signer.asked[0] ?? '', /:PATCH \/api\/agents\/me:[0-9a-f]{64}$/);
});
