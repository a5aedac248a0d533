/** A proof that was made for one purpose, or that its owner has ended, works for no other. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signInText } from '../../../packages/server/src/access/sign-in-message.ts';
import { registerAgent, registerOwnedAgent } from '../../harness/agents.ts';
import { copiedSignature, openAccount, openWalletSession, requireOutcomes, type Steps, valuesOf } from '../../harness/authority.ts';
import { type CallOptions, call, expectCall } from '../../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { agreed, asSignInHeader, baseWallet, linkWallet, openSession, signed, signedFor, type TestWallet } from '../../harness/people.ts';

const HOOK = 'https://93.184.216.34/hook';
const THIEFS = 'https://93.184.216.34/thief';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withChains);
  ({ url } = market);
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);

test('V03: the message by which a wallet became owner of one agent edits no other agent of the wallet', async () => {
  const victim = baseWallet();
  const own = await registerOwnedAgent(url, victim, { endpoint_url: HOOK });
  const bait = await registerAgent(url);
  const steps: Record<string, Steps[string]> = {};
  for (const asked of [{ action: 'own_agent', agent_id: bait.id }, { action: 'session' }] as const) {
    const message = await agreed(url, victim, asked);
    const body = { owner_wallet: victim.address, endpoint_url: THIEFS };
    const reply = await send(`PATCH /api/agents/${own.id}`, { body: { ...body, ...message } });
    steps[`${asked.action} edits`] = [reply, '401 invalid_signature'];
    steps[`${asked.action} reads the secret`] = [valuesOf(reply.body, 'webhook_secret').length, 0];
  }
  const record = await expectCall(url, 200, 'GET /api/agents/me', { key: own.key });
  requireOutcomes({ ...steps, 'webhooks go to': [record['endpoint_url'], HOOK] });
});

test('V19: a copied signature and a linked account read no webhook secret', async () => {
  const victim = baseWallet();
  const agent = await registerOwnedAgent(url, victim, { endpoint_url: HOOK });
  const secret = String(agent.answer['webhook_secret']);
  const { token } = await openAccount(url);
  await linkWallet(url, token, victim);
  const cookie = await openSession(url, victim);
  const shows = (content: unknown) => JSON.stringify(content).includes(secret);
  const path = `/api/agents/${agent.id}` as const;
  const copied = await copiedSignature(url, victim);
  const byCopy = await send(`PATCH ${path}`, { body: { ...copied } });
  const byCancel = await send(`DELETE ${path}/payout-change`, { body: { ...copied } });
  const byLink = await send(`PATCH ${path}`, { key: token, body: {} });
  const bySession = await send(`PATCH ${path}`, { headers: { cookie, origin: url }, body: {} });
  const byKey = await send('GET /api/agents/me', { key: agent.key });
  requireOutcomes({
    'a copied signature edits': [byCopy, '200'],
    'and reads the secret': [shows(byCopy.body), false],
    'a cancellation with it reads the secret': [shows(byCancel.body), false],
    'a linked account edits': [byLink, '200'],
    'a linked account reads the secret': [shows(byLink.body), false],
    'the owner’s session reads it': [shows(bySession.body), true],
    'the agent’s key reads it': [shows(byKey.body), true],
  });
});

test('V19: a custody signature that recovered keys recovers them no second time', async () => {
  const victim = baseWallet();
  await registerOwnedAgent(url, victim);
  const path = '/api/agents/recover' as const;
  const body = await signedFor(url, victim, { method: 'POST', path, body: {} });
  const first = await send(`POST ${path}`, { body });
  const copy = await send(`POST ${path}`, { body });
  requireOutcomes({
    'the owner': [first, '200'],
    'a copy': [copy, '401 signature_already_used'],
    'keys for the copy': [valuesOf(copy.body, 'api_key').length, 0],
  });
});

/** The address's sign-in challenge, signed. Its text promises that nothing is moved. */
async function signedIn(wallet: TestWallet, route: `${string} /${string}`): Promise<Record<string, string>> {
  const { headers } = await send(route, route.startsWith('POST') ? { body: {} } : {});
  const required = JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString());
  const { info } = required.extensions['sign-in-with-x'];
  const message = { ...info, address: wallet.address, chainId: 'eip155:8453', type: 'eip191', signature: '' };
  const signature = await wallet.sign(signInText(message, wallet.address));
  return { 'sign-in-with-x': Buffer.from(JSON.stringify({ ...message, signature })).toString('base64') };
}

test('V19: a sign-in for orders recovers no key and registers no agent', async () => {
  const victim = baseWallet();
  await registerOwnedAgent(url, victim);
  const recovered = await send('POST /api/agents/recover', { headers: await signedIn(victim, 'GET /api/orders'), body: {} });
  const { name, description } = { name: 'Borrowed Sign In', description: 'Registered with a sign-in that was made for orders.' };
  const registered = await send('POST /api/agents/register', {
    headers: await signedIn(victim, 'GET /api/orders'),
    body: { name, description },
  });
  const read = await send('GET /api/orders', { headers: await signedIn(victim, 'GET /api/orders') });
  const honest = await send('POST /api/agents/recover', { headers: await signedIn(victim, 'POST /api/agents/recover'), body: {} });
  requireOutcomes({
    'recovery with it': [recovered, '401 invalid_signature'],
    'keys that came': [valuesOf(recovered.body, 'api_key').length, 0],
    'registration with it': [registered, '401 invalid_signature'],
    'it reads orders': [read, '200'],
    'a sign-in for the recovery itself': [honest, '200'],
  });
});

test('V02: a stolen session ends when its wallet signs out everywhere', async () => {
  const victim = baseWallet();
  const [stolen, other] = [await openWalletSession(url, victim), await openWalletSession(url, victim)];
  const stranger = await openWalletSession(url, baseWallet());
  const reads = (cookie: string) => send('GET /api/orders', { headers: { cookie } });
  assert.equal((await reads(stolen)).status, 200);
  const ended = await send('DELETE /api/auth/session', { body: await signed(victim) });
  requireOutcomes({
    'the wallet signs out everywhere': [ended, '200'],
    'the stolen cookie': [await reads(stolen), '401 unauthenticated'],
    'another session of the wallet': [await reads(other), '401 unauthenticated'],
    'a session of another wallet': [await reads(stranger), '200'],
  });
});

test('V02: one message opens one session, also when it comes twenty times at once', async () => {
  const wallet = baseWallet();
  const message = await agreed(url, wallet, { action: 'session' });
  const header = asSignInHeader(message, wallet);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0
        ? send('POST /api/auth/session', { body: message })
        : send('POST /api/auth/session', { headers: { 'sign-in-with-x': header } }),
    ),
  );
  assert.equal(
    replies.filter(({ status }) => status === 200).length,
    1,
    JSON.stringify(replies.map(({ status, body }) => [status, body['code']])),
  );
});
