/** Story: a developer registers an agent without an account, gives it an owner, and recovers from a leaked key. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, signed, signedFor, solanaWallet } from '../harness/people.ts';

const ME = '/api/agents/me';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const expect = (status: number, route: `${string} /${string}`, options: CallOptions = {}): Promise<Envelope> =>
  expectCall(market.url, status, route, options);
const isListed = async (id: string): Promise<boolean> =>
  (await call(market.url, 'GET /api/agents?limit=100')).body['data'].some((agent: Envelope) => agent['id'] === id);

test('an agent registers, gets an owner, loses its key to a thief and keeps its owner and money', async (story) => {
  const owner = baseWallet();
  let id = '';
  let key = '';
  let secret = '';

  await story.test('the developer registers the agent without owner; its key works at once, but it is not listed', async () => {
    const body = { name: 'Lantern Tally', description: 'Counts what others overlook.', capabilities: ['analytics'] };
    const registered = await expect(201, 'POST /api/agents/register', { body });
    [id, key] = [registered['agent_id'], registered['api_key']];
    assert.deepEqual([registered['marketable'], registered['webhook_secret']], [false, null]);
    assert.equal((await expect(200, `GET ${ME}`, { key }))['name'], 'Lantern Tally');
    assert.equal(await isListed(id), false);
  });

  await story.test('a repeated registration creates no second agent, and the answer names the first one', async () => {
    const body = { name: 'Lantern Tally', description: 'Counts what others overlook.', capabilities: ['analytics'] };
    const refused = await expect(409, 'POST /api/agents/register', { body });
    assert.equal(refused['existing_agent'].agent_id, id);
  });

  await story.test('the agent sets a webhook endpoint and receives the signing secret', async () => {
    await expect(400, `PATCH ${ME}`, { key, body: { endpoint_url: 'http://localhost:3000/hook' } });
    const record = await expect(200, `PATCH ${ME}`, { key, body: { endpoint_url: 'https://93.184.216.34/hook' } });
    secret = record['webhook_secret'];
    assert.match(secret, /^whsec_/);
  });

  await story.test('the owner signs the claim, and the agent is listed', async () => {
    const body = { owner_wallet: owner.address };
    const hint = await expect(401, `PATCH ${ME}`, { key, body: { ...body, ...(await signed(owner)) } });
    const { text_to_sign, wallet_sig_ts } = hint['data'];
    const proof = { wallet: owner.address, wallet_sig: await owner.sign(text_to_sign), wallet_sig_ts };
    const record = await expect(200, `PATCH ${ME}`, { key, body: { ...body, ...proof } });
    assert.deepEqual([record['owner_wallet'], record['marketable']], [owner.address, true]);
    // A new owner replaces the key: earlier holders lose access.
    await expect(401, `GET ${ME}`, { key });
    key = record['api_key'];
    assert.equal(await isListed(id), true);
  });

  await story.test('a thief with the leaked key can take neither the agent nor its income', async () => {
    const thief = solanaWallet();
    const body = { owner_wallet: thief.address };
    const claim = await signedFor(market.url, thief, { method: 'PATCH', path: ME, body });
    await expect(403, `PATCH ${ME}`, { key, body: { ...body, ...claim } });
    await expect(403, `PATCH ${ME}`, { key, body: { payout_wallet: thief.address } });
    await expect(403, `POST ${ME}/rotate-key`, { key });
    await expect(404, 'POST /api/agents/recover', { body: await signed(thief) });
  });

  await story.test('the owner rotates the key; the stolen one fails, the webhook secret is unchanged', async () => {
    const path = `${ME}/rotate-key`;
    const rotated = await expect(200, `POST ${path}`, {
      key,
      body: await signedFor(market.url, owner, { method: 'POST', path, body: {} }),
    });
    await expect(401, `GET ${ME}`, { key });
    key = rotated['api_key'];
    const record = await expect(200, `GET ${ME}`, { key });
    assert.deepEqual([record['id'], record['webhook_secret']], [id, secret]);
  });

  await story.test('the developer loses the new key; the owner recovers the same key', async () => {
    const { agents } = await expect(200, 'POST /api/agents/recover', { body: { agent_name: 'lantern tally', ...(await signed(owner)) } });
    assert.deepEqual(
      agents.map((agent: Envelope) => agent['api_key']),
      [key],
    );
  });

  await story.test('the owner changes the payout address to another own wallet', async () => {
    const path = `/api/agents/${id}` as const;
    const body = { payout_chain: 'base', payout_address_base: baseWallet().address };
    const record = await expect(200, `PATCH ${path}`, {
      body: { ...body, ...(await signedFor(market.url, owner, { method: 'PATCH', path, body })) },
    });
    assert.deepEqual([record['payout_chain'], record['payout_address_base']], [body.payout_chain, body.payout_address_base]);
  });

  await story.test('the agent is deactivated with its key disabled, and reactivated unchanged', async () => {
    await expect(200, `PATCH /api/agents/${id}/active`, { key, body: { active: false } });
    assert.equal(await isListed(id), false);
    await expect(401, `GET ${ME}`, { key });
    await expect(404, `GET /api/agents/${id}`);
    await expect(200, `PATCH /api/agents/${id}/active`, { body: { active: true, ...(await signed(owner)) } });
    assert.equal(await isListed(id), true);
    assert.equal((await expect(200, `GET ${ME}`, { key }))['payout_chain'], 'base');
  });
});
