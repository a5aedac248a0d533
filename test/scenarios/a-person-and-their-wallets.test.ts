/** Story: a person signs in, links wallets and agents to one account, and unlinks a wallet again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CallOptions, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, agreed, baseWallet, signed, solanaWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const expect = (status: number, route: `${string} /${string}`, options: CallOptions = {}): Promise<Envelope> =>
  expectCall(market.url, status, route, options);
const idsOf = (agents: readonly Envelope[]): string[] => agents.map((agent) => agent['id']).sort();

test('a person collects their agents and wallets under one account', async (story) => {
  const phantom = solanaWallet();
  const metamask = baseWallet();
  const person = { email: 'mara@example.com', name: 'Mara Vance', twitter_username: 'maravance' };
  let token = '';
  let username = '';
  const agents: Record<string, { id: string; key: string }> = {};

  await story.test('a wallet registers an agent before any account exists', async () => {
    const registered = await expect(201, 'POST /api/agents/register', { body: agentBody(await signed(metamask)) });
    agents['early'] = { id: registered['agent_id'], key: registered['api_key'] };
    assert.equal(registered['twitter_username'], null);
  });

  await story.test('the first sign-in creates the account and links the wallet named by the provider', async () => {
    token = await tokenFor(market.url, { ...person, wallets: [{ chain: 'solana', address: phantom.address }] });
    const { user, wallets, is_new } = await expect(200, 'POST /api/auth/user', { key: token });
    assert.equal(is_new, true);
    assert.deepEqual(
      wallets.map((wallet: Envelope) => wallet['address']),
      [phantom.address],
    );
    username = user.username;
    assert.match(username, /^user_[a-z0-9]{10}$/);
  });

  await story.test('linking another wallet by signature adds the agent it owns', async () => {
    const linked = await expect(200, 'POST /api/auth/wallets', {
      key: token,
      body: await agreed(market.url, metamask, { action: 'link_wallet' }, token),
    });
    assert.deepEqual(linked['backfilled'], { agents: 1 });
    assert.equal(linked['wallet'].is_primary, 1);
    const edited = await expect(200, `PATCH /api/agents/${agents['early']?.id}`, { key: token, body: { ai_models: ['llama-4'] } });
    assert.deepEqual(edited['ai_models'], ['llama-4']);
  });

  await story.test('the next sign-in sets the X handle on that agent', async () => {
    await expect(200, 'POST /api/auth/user', { key: token });
    const record = await expect(200, 'GET /api/agents/me', { key: agents['early']?.key ?? '' });
    assert.equal(record['twitter_username'], 'maravance');
  });

  await story.test('the account registers an agent by token alone, and links a bare one by its key', async () => {
    const registered = await expect(201, 'POST /api/agents/register', { key: token, body: agentBody() });
    assert.deepEqual([registered['marketable'], registered['twitter_username']], [true, 'maravance']);
    agents['second'] = { id: registered['agent_id'], key: registered['api_key'] };
    const bare = await expect(201, 'POST /api/agents/register', { body: agentBody() });
    const linked = await expect(200, 'POST /api/agents/link', { key: token, body: { api_key: bare['api_key'] } });
    assert.equal(linked['already_linked'], false);
    assert.notEqual(linked['api_key'], bare['api_key'], 'V07: a new owner replaces the key');
    agents['third'] = { id: bare['agent_id'], key: linked['api_key'] };
  });

  await story.test('account and wallet each recover the keys of their own agents; the public page shows all three', async () => {
    const { agents: recovered } = await expect(200, 'POST /api/agents/recover', { key: token });
    const keysOf = (list: Envelope[]) => list.map((agent) => agent['api_key']).sort();
    assert.deepEqual(keysOf(recovered), [agents['second']?.key, agents['third']?.key].sort());
    const byWallet = await expect(200, 'POST /api/agents/recover', { body: await signed(metamask) });
    assert.deepEqual(keysOf(byWallet['agents']), [agents['early']?.key]);
    await expect(404, `GET /api/profile/${username}`);
    await expect(200, 'PUT /api/profile', { key: token, body: { shown_wallets: [phantom.address, metamask.address] } });
    const page = await expect(200, `GET /api/profile/${username}`);
    assert.deepEqual(
      idsOf(page['agents']),
      Object.values(agents)
        .map(({ id }) => id)
        .sort(),
    );
    assert.equal(page['wallets'].length, 2);
  });

  await story.test('a profile edit appears on both wallets that show', async () => {
    await expect(200, 'PUT /api/profile', { key: token, body: { display_name: 'Mara', bio: 'Keeps three agents.' } });
    for (const { address } of [phantom, metamask]) {
      const profile = await expect(200, `GET /api/profile?wallet=${address}`);
      assert.deepEqual([profile['display_name'], profile['bio']], ['Mara', 'Keeps three agents.']);
    }
  });

  await story.test('after unlinking a wallet its agent belongs to the wallet only', async () => {
    const { wallets } = await expect(200, 'GET /api/auth/user', { key: token });
    const link = wallets.find((wallet: Envelope) => wallet['address'] === metamask.address);
    await expect(200, `DELETE /api/auth/wallets/${link.id}`, { key: token });
    await expect(403, `PATCH /api/agents/${agents['early']?.id}`, { key: token, body: { ai_models: [] } });
    await expect(200, `PATCH /api/agents/${agents['early']?.id}`, { body: { ai_models: [], ...(await signed(metamask)) } });
    const { agents: recovered } = await expect(200, 'POST /api/agents/recover', { key: token });
    assert.equal(recovered.length, 2);
  });
});
