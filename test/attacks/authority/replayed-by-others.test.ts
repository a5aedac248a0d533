/** An answer earned by two proofs together is repeated to neither of them alone: a guessed Idempotency-Key would hand out keys. */
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../../harness/agents.ts';
import { openAccount, requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { type CallOptions, call } from '../../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { baseWallet, linkWallet, signed, signedFor } from '../../harness/people.ts';

const HOOK = 'https://93.184.216.34/hook';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withChains);
  ({ url } = market);
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);
const keysIn = (content: unknown, ...fields: readonly string[]) =>
  fields.flatMap((field) => valuesOf(content, field)).filter((value) => typeof value === 'string' && /^(market_|whsec_)/.test(value))
    .length;

test('V07: a linked account gets no key by repeating the call that the owner wallet signed beside it', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(url, owner, { endpoint_url: HOOK });
  const account = await openAccount(url);
  await linkWallet(url, account.token, owner);
  const path = `/api/agents/${agent.id}/rotate-key` as const;
  const secretPath = `/api/agents/${agent.id}/webhooks/rotate-secret` as const;
  const headers = { 'idempotency-key': 'rotate-1' };
  // The owner's client sends the account's token with every call; the wallet signs calls that the account alone may not make.
  const alone = await send(`POST ${path}`, { key: account.token });
  const own = await send(`POST ${path}`, {
    key: account.token,
    headers,
    body: await signedFor(url, owner, { method: 'POST', path, body: {} }),
  });
  const ownSecret = await send(`POST ${secretPath}`, {
    key: account.token,
    headers,
    body: await signedFor(url, owner, { method: 'POST', path: secretPath, body: {} }),
  });
  // The thief has the account's token, and no proof of the wallet.
  const stolen = await send(`POST ${path}`, { key: account.token, headers });
  const stolenSecret = await send(`POST ${secretPath}`, { key: account.token, headers });
  const keys = valuesOf(stolen.body, 'api_key').filter((key): key is string => typeof key === 'string');
  requireOutcomes({
    'the account alone': [alone, '403 owner_proof_required'],
    'the owner rotates': [own, '200'],
    'the owner rotates the secret': [ownSecret, '200'],
    'keys that the repetition shows': [keysIn(stolen.body, 'api_key'), 0],
    'secrets that the repetition shows': [keysIn(stolenSecret.body, 'webhook_secret'), 0],
    'the thief acts as the agent': [(await send('GET /api/agents/me', { key: keys[0] ?? 'market_none' })).status === 200, false],
  });
});

test('V07: a leaked key of one agent gets no key of another by repeating a call that their owner made with it', async () => {
  const owner = await openAccount(url);
  const leaked = await send('POST /api/agents/register', {
    key: owner.token,
    body: { name: 'Leaky Lantern', description: 'Leaks its key.' },
  });
  const other = await send('POST /api/agents/register', {
    key: owner.token,
    body: { name: 'Quiet Quarry', description: 'Keeps its key.' },
  });
  const key = String(leaked.body['data'].api_key);
  const path = `/api/agents/${other.body['data'].agent_id}/rotate-key` as const;
  const headers = { 'idempotency-key': 'rotate-2' };
  const own = await send(`POST ${path}`, { key, headers, body: { idp_access_token: owner.token } });
  const thief = await openAccount(url);
  const without = await send(`POST ${path}`, { key, body: { idp_access_token: thief.token } });
  const stolen = await send(`POST ${path}`, { key, headers, body: { idp_access_token: thief.token } });
  requireOutcomes({
    'the owner rotates': [own, '200'],
    'the thief without the Idempotency-Key': [without, '403 forbidden', '403 owner_proof_required'],
    'keys that the repetition shows': [keysIn(stolen.body, 'api_key'), 0],
  });
});

test('V19: an ordinary signature gets no webhook secret by repeating an edit made with a custody signature', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(url, owner);
  const path = `/api/agents/${agent.id}` as const;
  const headers = { 'idempotency-key': 'edit-1' };
  const body = { endpoint_url: HOOK };
  const own = await send(`PATCH ${path}`, {
    headers,
    body: { ...body, ...(await signedFor(url, owner, { method: 'PATCH', path, body })) },
  });
  const without = await send(`PATCH ${path}`, { body: { ...body, ...(await signed(owner)) } });
  const stolen = await send(`PATCH ${path}`, { headers, body: { ...body, ...(await signed(owner)) } });
  requireOutcomes({
    'the owner edits': [own, '200'],
    'the owner sees the secret': [keysIn(own.body, 'webhook_secret'), 1],
    'secrets for the ordinary signature': [keysIn(without.body, 'webhook_secret'), 0],
    'secrets that the repetition shows': [keysIn(stolen.body, 'webhook_secret'), 0],
  });
});
