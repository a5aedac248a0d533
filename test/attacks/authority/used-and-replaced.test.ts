/** Used or replaced custody signatures, API keys and sessions are worth nothing. Weak proofs read no secret. */
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../../harness/agents.ts';
import { copiedSignature, openAccount, requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { type CallOptions, call, type Envelope } from '../../harness/http.ts';
import { openMarket, type TestMarket } from '../../harness/market.ts';
import { asHeaders, baseWallet, openSession, signed, signedFor } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ OUTBOUND_ALLOW: '127.0.0.1' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options: CallOptions = {}) => call(market.url, route, options);
const HOOK = { endpoint_url: 'http://127.0.0.1:9/hook' };

test('V19: a custody signature recovers keys once, also when two calls show it at the same moment', async () => {
  const wallet = baseWallet();
  await registerOwnedAgent(market.url, wallet);
  const body = { owner_wallet: wallet.address };
  const proof = await signedFor(market.url, wallet, { method: 'POST', path: '/api/agents/recover', body });
  const recover = () => send('POST /api/agents/recover', { body: { ...body, ...proof } });
  const replies = await Promise.all([recover(), recover()]);
  requireOutcomes({
    'keys of the two': [replies.flatMap(({ body: answer }) => valuesOf(answer, 'api_key')).length, 1],
    again: [await recover(), '401 signature_already_used'],
  });
});

test('V07: a leaked and replaced key repeats no answer with the new key under a guessable Idempotency-Key', async () => {
  const agent = await registerAgent(market.url);
  const wallet = baseWallet();
  const body = { owner_wallet: wallet.address };
  const headers = { 'idempotency-key': 'claim-1' };
  const proof = await signedFor(market.url, wallet, { method: 'PATCH', path: '/api/agents/me', body });
  const claimed = await send('PATCH /api/agents/me', { key: agent.key, headers, body: { ...body, ...proof } });
  const repeated = await send('PATCH /api/agents/me', { key: agent.key, headers, body });
  const [owner, thief] = [await openAccount(market.url), await openAccount(market.url)];
  const owned = await registerAgent(market.url, {}, { key: owner.token });
  const rotate = ({ token }: { readonly token: string }, idempotencyKey: string, key = owned.key) =>
    send('POST /api/agents/me/rotate-key', { key, headers: { 'idempotency-key': idempotencyKey }, body: { idp_access_token: token } });
  const rotated = await rotate(owner, 'rotate-1');
  requireOutcomes({
    claimed: [claimed, '200'],
    'keys in the repeated claim': [valuesOf(repeated.body, 'api_key').length, 0],
    rotated: [rotated, '200'],
    'keys in the thief’s rotation': [valuesOf((await rotate(thief, 'rotate-1')).body, 'api_key').length, 0],
  });
  // The client whose connection broke knows the random Idempotency-Key of its own call.
  const name = randomUUID();
  const next = String(rotated.body['data'].api_key);
  const [lost, found] = [await rotate(owner, name, next), await rotate(owner, name, next)];
  requireOutcomes({ 'the lost answer': [found.body['data']?.api_key, lost.body['data'].api_key] });
});

test('V02: a signature of a wallet can end every session of it; a session ends only itself', async () => {
  const wallet = baseWallet();
  const [stolen, mine, other] = [
    await openSession(market.url, wallet),
    await openSession(market.url, wallet),
    await openSession(market.url, baseWallet()),
  ];
  const reads = async (cookie: string) => await send('GET /api/agents/my', { headers: { cookie } });
  await send('DELETE /api/auth/session', { headers: { cookie: mine } });
  requireOutcomes({
    'the ended one': [await reads(mine), '401 unauthenticated'],
    'another one of the wallet': [await reads(stolen), '200'],
  });
  const ended = await send('DELETE /api/auth/session', { headers: asHeaders(await signed(wallet)) });
  requireOutcomes({
    'ended by signature': [ended.body['data']?.ended, true],
    'the stolen one': [await reads(stolen), '401 unauthenticated'],
    'of another wallet': [await reads(other), '200'],
  });
});

test('V21: a copied signature and a linked account read no webhook secret', async () => {
  const wallet = baseWallet();
  const agent = await registerOwnedAgent(market.url, wallet, HOOK);
  const at = `/api/agents/${agent.id}` as const;
  const copy = await copiedSignature(market.url, wallet);
  const { token } = await openAccount(market.url, wallet);
  const cookie = await openSession(market.url, wallet);
  const secretOf = async (route: `${string} /${string}`, options: CallOptions) =>
    (await send(route, { body: {}, ...options })).body['data']?.webhook_secret;
  const secret = agent.answer['webhook_secret'];
  requireOutcomes({
    'an edit by the copy': [await secretOf(`PATCH ${at}`, { body: copy }), null],
    'a cancellation by the copy': [await secretOf(`DELETE ${at}/payout-change`, { headers: asHeaders(copy) }), null],
    'an edit by the linked account': [await secretOf(`PATCH ${at}`, { key: token }), null],
    'an edit by the session': [await secretOf(`PATCH ${at}`, { headers: { cookie } }), secret],
    'a read by the key': [(await send('GET /api/agents/me', { key: agent.key })).body['data']?.webhook_secret, secret],
  });
});

test('V21: the owner learns where the agent’s calls go when a leaked key or a copied signature changes it', async () => {
  const wallet = baseWallet();
  const agent = await registerOwnedAgent(market.url, wallet, HOOK);
  const changed = await send('PATCH /api/agents/me', {
    key: agent.key,
    body: { endpoint_url: 'http://127.0.0.1:7070/thief?token=secret' },
  });
  requireOutcomes({ changed: [changed, '200'] });
  const notice = await until('the notice', async () => {
    const { body } = await send('GET /api/notifications', { headers: asHeaders(await signed(wallet)) });
    return (body['data'] as readonly Envelope[]).find(({ type }) => type === 'endpoint_changed');
  });
  requireOutcomes({ 'it names the host only': [/127\.0\.0\.1:7070/.test(notice['body']) && !/secret/.test(notice['body']), true] });
});
