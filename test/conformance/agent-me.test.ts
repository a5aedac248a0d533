/** GET and PATCH /api/agents/me: every field that can be changed, and how. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { asQuery, call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, signed, solanaWallet } from '../harness/people.ts';
import { assertRecord } from './check-record.ts';
import type { FieldRow } from './spec-tables.ts';

let market: TestMarket;
let agent: TestAgent;
before(async () => {
  market = await openMarket();
  agent = await registerAgent(market.url);
});
after(() => market.close());

const patch = (body: Record<string, unknown>, key = agent.key): Promise<Reply> => call(market.url, 'PATCH /api/agents/me', { key, body });
const read = async (key = agent.key): Promise<Envelope> => (await call(market.url, 'GET /api/agents/me', { key })).body['data'];

/** Fields of the agent’s own record beyond the specification’s table. */
const furtherFields: readonly FieldRow[] = [
  { field: 'active', type: '0 or 1' },
  { field: 'source', type: 'string' },
  { field: 'completed_orders', type: 'integer' },
  { field: 'owner_wallet', type: 'string or null' },
  { field: 'idp_user_id', type: 'string or null' },
  { field: 'payout_wallet', type: 'string or null' },
  { field: 'payout_chain', type: 'string', pattern: /^(solana|base)$/ },
  { field: 'payout_address_base', type: 'string or null' },
  { field: 'solana_payout_configured', type: 'boolean' },
  { field: 'base_payout_configured', type: 'boolean' },
  { field: 'moderation', type: 'object' },
  { field: 'created_at', type: 'time' },
  { field: 'updated_at', type: 'time' },
];

test('E06: the agent’s own record has the further fields, and PATCH returns the same record as GET', async () => {
  const before = await read();
  assertRecord(before, furtherFields);
  const patched = await patch({ ai_models: ['flux-1'] });
  assert.deepEqual(patched.body['data'], await read());
});

const evm = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const evmChecksummed = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const solana = '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK';

const accepted: readonly { field: string; value: unknown; stored?: unknown }[] = [
  { field: 'name', value: 'Renamed  Heron', stored: 'Renamed Heron' },
  { field: 'description', value: 'Another honest description.' },
  { field: 'avatar_url', value: 'https://images.example.org/face.png' },
  { field: 'avatar_url', value: 'http://images.example.org/face.png' },
  { field: 'avatar_url', value: null },
  { field: 'endpoint_url', value: 'https://93.184.216.34/hook' },
  { field: 'endpoint_url', value: null },
  { field: 'capabilities', value: ['video_gen', 'ugc'] },
  { field: 'capabilities', value: [] },
  { field: 'ai_models', value: Array.from({ length: 10 }, (_, i) => `model-${i}`.padEnd(30, 'x')) },
  { field: 'ai_models', value: [] },
  { field: 'payout_wallet', value: solana },
  { field: 'payout_wallet', value: null },
  { field: 'payout_address_base', value: evm, stored: evmChecksummed },
  { field: 'payout_chain', value: 'base' },
  { field: 'payout_chain', value: 'solana' },
  { field: 'payout_address_base', value: null },
];

for (const { field, value, stored = value } of accepted) {
  test(`PATCH /api/agents/me accepts and stores ${field} ${JSON.stringify(value).slice(0, 50)}`, async () => {
    const reply = await patch({ [field]: value });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body['data'][field], stored);
    assert.deepEqual((await read())[field], stored);
  });
}

const refused: readonly { field: string; value: unknown }[] = [
  { field: 'name', value: 'No' },
  { field: 'name', value: null },
  { field: 'description', value: 'short' },
  { field: 'description', value: 'x'.repeat(501) },
  { field: 'avatar_url', value: 'javascript:alert(1)' },
  { field: 'avatar_url', value: 'data:image/png;base64,AAAA' },
  { field: 'avatar_url', value: 'https://192.168.0.1/a.png' },
  { field: 'avatar_url', value: 'http://localhost/a.png' },
  { field: 'avatar_url', value: 'face.png' },
  { field: 'capabilities', value: ['cooking'] },
  { field: 'ai_models', value: Array.from({ length: 11 }, (_, i) => `m${i}`) },
  { field: 'ai_models', value: ['x'.repeat(31)] },
  { field: 'ai_models', value: [''] },
  { field: 'ai_models', value: 'gpt' },
  { field: 'payout_wallet', value: evmChecksummed },
  { field: 'payout_wallet', value: 'not-an-address' },
  { field: 'payout_wallet', value: '1'.repeat(44) },
  { field: 'payout_address_base', value: solana },
  { field: 'payout_address_base', value: '0x123' },
  { field: 'payout_chain', value: 'alt' },
  { field: 'payout_chain', value: null },
  { field: 'payout_chain', value: 'base' },
  { field: 'owner_wallet', value: null },
  { field: 'owner_wallet', value: 'not-an-address' },
  { field: 'idp_user_id', value: 'x'.repeat(101) },
  { field: 'api_key', value: 'market_mine' },
  { field: 'webhook_secret', value: 'whsec_mine' },
  { field: 'verified', value: 1 },
  { field: 'marketable', value: true },
  { field: 'slug', value: 'mine' },
  { field: 'total_orders', value: 99 },
  { field: 'featured', value: 1 },
];

for (const { field, value } of refused) {
  test(`PATCH /api/agents/me refuses ${field} ${JSON.stringify(value).slice(0, 50)} with 400 and changes nothing`, async () => {
    const before = await read();
    const reply = await patch({ [field]: value });
    assert.equal(reply.status, 400, JSON.stringify(reply.body));
    assert.deepEqual(await read(), before);
  });
}

test('one invalid field refuses the whole edit of an agent', async () => {
  const before = await read();
  assert.equal((await patch({ description: 'A perfectly good description.', ai_models: 'gpt' })).status, 400);
  assert.deepEqual(await read(), before);
});

test('payout_chain base and its address may be set in one edit, and the address cannot be cleared while base is chosen', async () => {
  const { key } = await registerAgent(market.url);
  assert.equal((await patch({ payout_chain: 'base', payout_address_base: evm }, key)).status, 200);
  const cleared = await patch({ payout_address_base: null }, key);
  assert.deepEqual([cleared.status, cleared.body['code']], [400, 'payout_address_missing']);
});

test('renaming an agent to a taken or look-alike name is 409', async () => {
  await registerAgent(market.url, { name: 'Siskin Loop' });
  for (const name of ['Siskin Loop', 'siskin-loop', 'S1skin L00p']) {
    const reply = await patch({ name });
    assert.deepEqual([reply.status, reply.body['code']], [409, 'name_taken'], name);
  }
  const own = await read();
  assert.equal((await patch({ name: own['name'].toUpperCase() })).status, 200);
});

test('an empty edit of an agent is 200 and leaves updated_at alone', async () => {
  const before = await read();
  assert.equal((await patch({})).status, 200);
  assert.deepEqual(await read(), before);
});

test('text that promises returns hides the agent with a reason; a corrected text shows it again', async () => {
  const owned = await registerOwnedAgent(market.url, solanaWallet());
  const listed = async (): Promise<boolean> => {
    const { body } = await call(market.url, `GET /api/agents?search=${encodeURIComponent(owned.name)}`);
    return body['data'].some((item: Envelope) => item['id'] === owned.id);
  };
  assert.equal(await listed(), true);
  const flagged = await patch({ description: 'Guaranteed profit on every trade, always.' }, owned.key);
  assert.equal(flagged.body['data'].moderation.status, 'review');
  assert.ok(flagged.body['data'].moderation.reason.length > 5);
  assert.equal(await listed(), false);
  const mended = await patch({ description: 'Trades carefully and explains each one.' }, owned.key);
  assert.deepEqual(mended.body['data'].moderation, { status: 'ok', reason: null });
  assert.equal(await listed(), true);
});

test('the payout configuration follows the owner wallet until an address is set', async () => {
  const bySolana = await read((await registerOwnedAgent(market.url, solanaWallet())).key);
  assert.deepEqual([bySolana['solana_payout_configured'], bySolana['base_payout_configured']], [true, false]);
  const byBase = await read((await registerOwnedAgent(market.url, baseWallet())).key);
  assert.deepEqual([byBase['solana_payout_configured'], byBase['base_payout_configured']], [false, true]);
});

test('an agent owned by a Base wallet may be paid on base without an address: the owner wallet receives', async () => {
  const owner = baseWallet();
  const { key } = await registerOwnedAgent(market.url, owner);
  const body = { payout_chain: 'base' };
  const asked = await patch({ ...body, ...(await signed(owner)) }, key);
  assert.equal(asked.status, 401);
  const at = Date.now();
  const text = String(asked.body['data'].text_to_sign).replace(/:\d{13}:/, `:${at}:`);
  const reply = await patch({ ...body, wallet: owner.address, wallet_sig: await owner.sign(text), wallet_sig_ts: at }, key);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
});

test('/api/agents/me accepts an API key only: without credentials 401, with a token or signature 403', async () => {
  assert.equal((await call(market.url, 'GET /api/agents/me')).status, 401);
  assert.equal((await call(market.url, `GET /api/agents/me${asQuery(await signed(solanaWallet()))}`)).status, 403);
});
