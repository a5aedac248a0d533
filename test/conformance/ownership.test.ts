/** Agent ownership: claimed once, proven by the owner, and never changed by an API key alone. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agreed, baseWallet, signed, signedFor, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const ME = '/api/agents/me';
const patch = (key: string, body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Reply> =>
  call(market.url, `PATCH ${ME}`, { key, body, headers });
const read = async (key: string): Promise<Envelope> => (await call(market.url, `GET ${ME}`, { key })).body['data'];
const outcome = ({ status, body }: Reply): [number, string | undefined] => [status, body['code']];
const claim = async (agent: TestAgent, wallet: TestWallet, spelling = wallet.address): Promise<Reply> => {
  const body = { owner_wallet: spelling };
  return await patch(agent.key, { ...body, ...(await signedFor(market.url, wallet, { method: 'PATCH', path: ME, body })) });
};

let people = 0;
async function person(more: Record<string, unknown> = {}): Promise<{ token: string; id: string }> {
  people += 1;
  const token = await tokenFor(market.url, { email: `owner${people}@example.com`, ...more });
  const { body } = await call(market.url, 'POST /api/auth/user', { key: token });
  return { token, id: body['data'].user.idp_user_id };
}

describe('claiming for a wallet', () => {
  for (const makeWallet of [solanaWallet, baseWallet]) {
    test(`key and custody signature of a ${makeWallet.name} together attach it as owner, and the agent is listed`, async () => {
      const [agent, wallet] = [await registerAgent(market.url), makeWallet()];
      const reply = await claim(agent, wallet);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.deepEqual([reply.body['data'].owner_wallet, reply.body['data'].marketable], [wallet.address, true]);
      const { body } = await call(market.url, `GET /api/agents?search=${encodeURIComponent(agent.name)}`);
      assert.equal(body['total'], 1);
    });
  }

  test('claiming an agent with the key alone, an ordinary signature, or another wallet’s signature is 401', async () => {
    const [agent, wallet] = [await registerAgent(market.url), solanaWallet()];
    const body = { owner_wallet: wallet.address };
    assert.equal((await patch(agent.key, body)).status, 401);
    assert.deepEqual(outcome(await patch(agent.key, { ...body, ...(await signed(wallet)) })), [401, 'custody_signature_required']);
    const other = await signedFor(market.url, solanaWallet(), { method: 'PATCH', path: ME, body });
    assert.equal((await patch(agent.key, { ...body, ...other })).status, 401);
    assert.equal((await read(agent.key))['owner_wallet'], null);
  });

  test('claiming an owned agent for a second wallet with valid proof is 403 owner_already_set', async () => {
    const owner = solanaWallet();
    const agent = await registerOwnedAgent(market.url, owner);
    assert.deepEqual(outcome(await claim(agent, solanaWallet())), [403, 'owner_already_set']);
    assert.equal((await read(agent.key))['owner_wallet'], owner.address);
  });

  test('an agent owned by an account cannot be claimed by a wallet: 403', async () => {
    const agent = await registerAgent(market.url, {}, { key: (await person()).token });
    assert.deepEqual(outcome(await claim(agent, solanaWallet())), [403, 'owner_already_set']);
  });

  test('claiming an agent for its present owner changes nothing', async () => {
    const owner = baseWallet();
    const agent = await registerOwnedAgent(market.url, owner);
    assert.equal((await patch(agent.key, { owner_wallet: owner.address.toLowerCase() })).status, 200);
  });

  test('of ten wallets that claim an agent in parallel exactly one becomes owner', async () => {
    const agent = await registerAgent(market.url);
    const replies = await Promise.all(Array.from({ length: 10 }, () => claim(agent, solanaWallet())));
    // The claim replaces the key, so a later claim may find its key retired.
    const [won, ...lost] = replies.map(({ status }) => status).sort();
    assert.equal(won, 200);
    assert.ok(
      lost.every((status) => status === 403 || status === 401),
      String(lost),
    );
  });
});

describe('claiming for an account', () => {
  test('key and token together attach the account as owner, with its X handle, by body field or cookie', async () => {
    for (const carrier of ['body', 'cookie'] as const) {
      const agent = await registerAgent(market.url);
      const { token, id } = await person({ twitter_username: `claimer_${carrier}` });
      const reply =
        carrier === 'body'
          ? await patch(agent.key, { idp_user_id: id, idp_access_token: token })
          : await patch(agent.key, { idp_user_id: id }, { cookie: `idp-token=${token}` });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const { idp_user_id, marketable, twitter_username } = reply.body['data'];
      assert.deepEqual([idp_user_id, marketable, twitter_username], [id, true, `claimer_${carrier}`]);
    }
  });

  test('claiming an agent for an account without its own token is 403', async () => {
    const agent = await registerAgent(market.url);
    const [one, two] = [await person(), await person()];
    assert.deepEqual(outcome(await patch(agent.key, { idp_user_id: one.id })), [403, 'owner_proof_required']);
    const byOther = await patch(agent.key, { idp_user_id: one.id, idp_access_token: two.token });
    assert.deepEqual(outcome(byOther), [403, 'owner_proof_required']);
    assert.equal((await read(agent.key))['idp_user_id'], null);
  });

  test('an agent of another account cannot be claimed for an account: 403', async () => {
    const [owner, other] = [await person(), await person()];
    const agent = await registerAgent(market.url, {}, { key: owner.token });
    const claimed = await patch(agent.key, { idp_user_id: other.id, idp_access_token: other.token });
    assert.deepEqual(outcome(claimed), [403, 'owner_already_set']);
  });

  test('V03: claiming a wallet’s agent for an account needs that wallet’s message, although the wallet is linked to the account', async () => {
    const wallet = solanaWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    const { token, id } = await person({ wallets: [{ chain: 'solana', address: wallet.address }] });
    const claimed = await patch(agent.key, { idp_user_id: id, idp_access_token: token });
    assert.deepEqual(outcome(claimed), [401, 'sign_in_message_required']);
    const wallet_sig = await wallet.sign(claimed.body['data'].message);
    const proof = { wallet: wallet.address, wallet_sig, signed_message: claimed.body['data'].message };
    const agreedTo = await patch(agent.key, { idp_user_id: id, idp_access_token: token, ...proof });
    assert.deepEqual([agreedTo.status, agreedTo.body['data']?.idp_user_id], [200, id], JSON.stringify(agreedTo.body));
  });
});

describe('POST /api/agents/link', () => {
  const link = (token: string, api_key: string, proof: object = {}): Promise<Reply> =>
    call(market.url, 'POST /api/agents/link', { key: token, body: { api_key, ...proof } });

  test('POST /api/agents/link attaches an ownerless agent to the account, and reports when it was attached before', async () => {
    const agent = await registerAgent(market.url);
    const { token, id } = await person({ twitter_username: 'linker' });
    const first = await link(token, agent.key);
    const { api_key: fresh, ...rest } = first.body['data'];
    assert.deepEqual(rest, { agent: { id: agent.id, slug: agent.slug, name: agent.name, avatar_url: null }, already_linked: false });
    assert.match(fresh, /^market_[0-9a-f]{48}$/);
    assert.notEqual(fresh, agent.key);
    const again = await link(token, fresh);
    assert.deepEqual([again.body['data'].already_linked, again.body['data'].api_key], [true, null]);
    const record = await read(fresh);
    assert.deepEqual([record['idp_user_id'], record['marketable'], record['twitter_username']], [id, true, 'linker']);
  });

  test('V03: POST /api/agents/link accepts an agent owned by a wallet only with that wallet’s message, linked or not', async () => {
    const wallet = solanaWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    const stranger = await person();
    const owner = await person({ wallets: [{ chain: 'solana', address: wallet.address }] });
    for (const { token } of [stranger, owner]) {
      assert.deepEqual(outcome(await link(token, agent.key)), [401, 'sign_in_message_required']);
      const ordinary = await link(token, agent.key, await signed(wallet));
      assert.deepEqual(outcome(ordinary), [401, 'sign_in_message_required']);
      assert.match(ordinary.body['data'].message, new RegExp(`^Request ID: link_agent:${agent.id}:`, 'm'));
    }
    const proof = await agreed(market.url, wallet, { action: 'link_agent', agent_id: agent.id }, owner.token);
    assert.deepEqual(outcome(await link(stranger.token, agent.key, proof)), [401, 'sign_in_message_required']);
    const own = await agreed(market.url, wallet, { action: 'link_agent', agent_id: agent.id }, owner.token);
    const linked = await link(owner.token, agent.key, own);
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    assert.equal((await call(market.url, `GET ${ME}`, { key: agent.key })).status, 401, 'V07: the key was replaced');
    assert.equal((await read(linked.body['data'].api_key))['idp_user_id'], owner.id);
  });

  test('POST /api/agents/link with an unknown key is 401, with a missing one 400', async () => {
    const { token } = await person();
    assert.equal((await link(token, `market_${'0'.repeat(48)}`)).status, 401);
    assert.equal((await call(market.url, 'POST /api/agents/link', { key: token, body: {} })).status, 400);
  });
});

describe('payout fields of an owned agent', () => {
  const evm = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
  const changes = [
    { payout_wallet: solanaWallet().address },
    { payout_wallet: null },
    { payout_address_base: evm },
    { payout_chain: 'solana' },
  ];

  for (const body of changes) {
    test(`changing ${Object.keys(body)} of an owned agent by key alone is 403, on both routes`, async () => {
      const agent = await registerOwnedAgent(market.url, solanaWallet());
      assert.deepEqual(outcome(await patch(agent.key, body)), [403, 'owner_proof_required']);
      const byId = await call(market.url, `PATCH /api/agents/${agent.id}`, { key: agent.key, body });
      assert.deepEqual(outcome(byId), [403, 'owner_proof_required']);
    });
  }

  test('the owning account changes payout fields by token, by id or together with the key', async () => {
    const { token } = await person();
    const agent = await registerAgent(market.url, {}, { key: token });
    const body = { payout_address_base: evm, payout_chain: 'base' };
    assert.equal((await call(market.url, `PATCH /api/agents/${agent.id}`, { key: token, body })).status, 200);
    assert.equal((await patch(agent.key, { payout_chain: 'solana', idp_access_token: token })).status, 200);
  });

  test('the owner wallet changes payout fields by id with a custody signature alone', async () => {
    const wallet = baseWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    const path = `/api/agents/${agent.id}` as const;
    const body = { payout_address_base: evm };
    const reply = await call(market.url, `PATCH ${path}`, {
      body: { ...body, ...(await signedFor(market.url, wallet, { method: 'PATCH', path, body })) },
    });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.equal(reply.body['data'].payout_address_base, evm);
  });
});

describe('rotating the key', () => {
  const path = '/api/agents/me/rotate-key';
  const rotate = (key: string, body: Record<string, unknown> = {}): Promise<Reply> => call(market.url, `POST ${path}`, { key, body });

  test('an ownerless agent rotates its key by that key; the old key stops at once', async () => {
    const agent = await registerAgent(market.url);
    const reply = await rotate(agent.key);
    assert.equal(reply.status, 200);
    const fresh: string = reply.body['data'].api_key;
    assert.match(fresh, /^market_[0-9a-f]{48}$/);
    assert.notEqual(fresh, agent.key);
    assert.equal((await call(market.url, `GET ${ME}`, { key: agent.key })).status, 401);
    assert.equal((await read(fresh))['api_key'], `market_...${fresh.slice(-4)}`);
  });

  test('rotating the key of an owned agent needs its owner: the key alone is 403, an ordinary signature 401', async () => {
    const wallet = solanaWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    assert.deepEqual(outcome(await rotate(agent.key)), [403, 'owner_proof_required']);
    assert.deepEqual(outcome(await rotate(agent.key, { ...(await signed(wallet)) })), [401, 'custody_signature_required']);
    const stranger = await person();
    assert.equal((await rotate(agent.key, { idp_access_token: stranger.token })).status, 403);
    assert.equal((await call(market.url, `GET ${ME}`, { key: agent.key })).status, 200);
  });

  test('a custody signature or the owner’s token rotates the key, and recovery then returns the new key', async () => {
    const wallet = solanaWallet();
    const byWallet = await registerOwnedAgent(market.url, wallet);
    const rotated = await rotate(byWallet.key, { ...(await signedFor(market.url, wallet, { method: 'POST', path, body: {} })) });
    assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
    const recovered = await call(market.url, 'POST /api/agents/recover', { body: await signed(wallet) });
    assert.deepEqual(recovered.body['data'].agents[0].api_key, rotated.body['data'].api_key);
    const { token } = await person();
    const byToken = await registerAgent(market.url, {}, { key: token });
    assert.equal((await rotate(byToken.key, { idp_access_token: token })).status, 200);
  });

  test('rotating a key again under the same random Idempotency-Key after a lost answer returns the new key, not 401', async () => {
    const agent = await registerAgent(market.url);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await call(market.url, `POST ${path}`, { key: agent.key, headers });
    assert.equal(first.status, 200);
    const retry = await call(market.url, `POST ${path}`, { key: agent.key, headers });
    assert.deepEqual([retry.status, retry.body['data']], [200, first.body['data']]);
  });
});
