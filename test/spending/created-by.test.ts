/** What a limited credential creates has the same limit, and no limit restarts. On two processes throughout. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { call, cookieOf, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { MACHINE_BRIEF, offerIn, openMachineBuyer, readOffer, versionTwo } from '../harness/machine-buyers.ts';
import { callTool, connectMcp, type ToolReply } from '../harness/mcp.ts';
import { Browser, type Connected, connectFrom, connectProgram, registerProgram } from '../harness/oauth.ts';
import { agentBody, agreed, asHeaders, signed, tokenFor } from '../harness/people.ts';
import { findBroken } from '../money/find-broken.ts';
import { asOwner, hire, openSpendingStage, type SpendingStage, setPolicy, transferUsd, withKey } from './stage.ts';

const SCOPE = 'read hire work';

let stage: SpendingStage;
let ines: string;
/** The same person at the other process, because tokens are for one address. */
let inesThere: string;
before(async () => {
  stage = await openSpendingStage({ REGISTRATION_PRICE_USD: '1.00' }, { hosted: false });
  ines = await tokenFor(stage.urls[0], { email: 'ines@example.com' });
  inesThere = await tokenFor(stage.urls[1], { email: 'ines@example.com' });
});
after(() => stage.close());

const codeOf = ({ structuredContent }: ToolReply) => structuredContent['code'] ?? null;
const refusalOf = ({ status, body }: Reply) => [status, body['code'], body['data']?.subject ?? null];

async function payOver({ accessToken }: Connected, url: string): Promise<ToolReply> {
  const client = await connectMcp(url, accessToken);
  const accepted = await readOffer(stage, url, stage.serviceId, 'base-mainnet');
  const payment = { x402Version: 2, accepted, payload: await stage.owner.authorise(accepted) };
  const paid = await callTool(client, 'submit_payment', { service_id: stage.serviceId, brief: MACHINE_BRIEF }, { 'x402/payment': payment });
  await client.close();
  return paid;
}

/** Registers by signed payment, with this agent's key beside. */
async function payToRegister(agent: SpendingStage['agent'], from = stage.owner): Promise<Envelope> {
  const { name, description } = agentBody();
  const body = { name, description, pay_to_register: true };
  const offer = offerIn(stage, await call(stage.urls[0], 'POST /api/agents/register?x402Version=2', { body }), 'base-mainnet');
  const headers = withKey({ agent }, versionTwo(offer, await from.authorise(offer)));
  return await expectCall(stage.urls[0], 201, 'POST /api/agents/register', { headers, body });
}

test('V10: an agent registered by a limited key is held to the key’s policy and counts against it, on every process', async () => {
  const { urls, owner } = stage;
  const creator = await registerOwnedAgent(urls[0], owner);
  await setPolicy({ ...stage, agent: creator }, { per_day_usd: '2.50' });
  const { id, api_key: key } = await payToRegister(creator);
  const sibling = { ...creator, id, key };
  assert.equal(
    (await hire({ ...stage, agent: sibling }, {}, urls[1])).status,
    200,
    'within what is left: 1.00 for the registration, 1.10 now',
  );
  const seenBy = async (token: string) => {
    const { body } = await call(urls[0], 'GET /api/spending/recent', { key: token });
    return [...new Set((body['data'] as Envelope[]).map(({ by }) => by))];
  };
  assert.deepEqual(await seenBy(key), [`agent:${id}`], 'the registered agent reads its own payments only');
  assert.deepEqual(await seenBy(creator.key), [`agent:${creator.id}`], 'and so does the agent that registered it');
  const subject = { kind: 'agent', id: creator.id };
  assert.deepEqual(refusalOf(await hire({ ...stage, agent: sibling })), [403, 'spend_refused', subject]);
  assert.deepEqual(refusalOf(await hire({ ...stage, agent: creator }, {}, urls[1])), [403, 'spend_refused', subject]);

  // The new agent's own policy does not lift the limit.
  const own = await setPolicy({ ...stage, agent: sibling }, { per_day_usd: '100.00' });
  assert.deepEqual(own['limited_by'], [{ kind: 'agent', id: creator.id, name: creator.name }]);
  assert.equal((await hire({ ...stage, agent: sibling })).status, 403);
  // A budget session does not, either.
  const opened = await call(urls[0], 'POST /api/spending/budgets', { key, body: { amount_usd: '5.00', expires_in_seconds: 600 } });
  assert.equal((await hire({ ...stage, agent: sibling }, { 'x-budget-session': opened.body['data'].id })).status, 403);
  // Freezing the creator stops both agents.
  await asOwner(urls[0], owner, `PATCH /api/spending/policies/agent/${creator.id}`, { frozen: true });
  assert.equal((await hire({ ...stage, agent: sibling })).body['code'], 'spending_frozen');

  const lifted = await setPolicy({ ...stage, agent: sibling }, { lift_creator_limits: true });
  assert.deepEqual(lifted['limited_by'], []);
  assert.equal((await hire({ ...stage, agent: sibling })).status, 200);
});

test('V10: the owner of a created agent cannot lift the limits of a creator that belongs to another owner', async () => {
  const { urls, owner } = stage;
  const creator = await registerOwnedAgent(urls[0], owner);
  await setPolicy({ ...stage, agent: creator }, { per_day_usd: '1.50' });
  const other = await openMachineBuyer(stage, 'base-mainnet');
  const { id } = await payToRegister(creator, other);
  const kept = await setPolicy({ ...stage, owner: other, agent: { ...creator, id } }, { lift_creator_limits: true });
  assert.deepEqual(kept['limited_by'], [{ kind: 'agent', id: creator.id, name: creator.name }]);
});

test('V08: a program may pay a registration from its own wallet: the person owns the agent, and that payment reads no key', async () => {
  const { urls, chains } = stage;
  const { accessToken } = await connectProgram(urls[0], ines, { scope: SCOPE });
  const theirs = await openMachineBuyer(stage, 'base-mainnet');
  const client = await connectMcp(urls[0], accessToken);
  const { name, description } = agentBody();
  const args = { name, description, pay_to_register: true };
  const { structuredContent: challenge } = await callTool(client, 'register_agent', args);
  const accepted = challenge['accepts'].find(({ network }: Envelope) => network === chains.get('base-mainnet')?.caip2);
  const payment = { x402Version: 2, accepted, payload: await theirs.authorise(accepted) };
  const made = await callTool(client, 'register_agent', args, { 'x402/payment': payment });
  assert.equal(made.isError ?? false, false, JSON.stringify(made.structuredContent));
  const { id, api_key: shown } = made.structuredContent['data'];
  assert.equal(shown, null);
  const { rows } = await stage.database.pool.query('select owner_wallet, owner_user_id is not null as owned from agents where id = $1', [
    id,
  ]);
  assert.deepEqual(rows, [{ owner_wallet: null, owned: true }]);
  const again = await call(urls[1], 'POST /api/agents/register', { headers: versionTwo(accepted, payment.payload), body: args });
  assert.equal(again.body['data']?.api_key ?? null, null, JSON.stringify(again.body));
  assert.ok(!JSON.stringify(again.body).includes('market_'), JSON.stringify(again.body));
  const recovered = await call(urls[0], 'POST /api/agents/recover', { body: await signed(theirs) });
  assert.ok(!JSON.stringify(recovered.body).includes(id));
  await client.close();
});

test('V10: an agent registered by a limited program is held to the program’s limit, also after Disconnect', async () => {
  const { urls } = stage;
  const program = await connectProgram(urls[0], ines, { scope: SCOPE, daily_limit_usd: '1.50' });
  const client = await connectMcp(urls[0], program.accessToken);
  const { name, description } = agentBody();
  await callTool(client, 'register_agent', { name, description });
  await client.close();
  const { agents } = await expectCall(urls[0], 200, 'POST /api/agents/recover', { key: ines, body: { agent_name: name } });
  const agent = { ...stage.agent, id: agents[0].id, key: agents[0].api_key };
  assert.equal((await hire({ ...stage, agent })).status, 200);
  await expectCall(urls[0], 200, `DELETE /api/connections/${program.connectionId}?keep_agents=true`, { key: ines });
  const refused = await hire({ ...stage, agent }, {}, urls[1]);
  assert.deepEqual(refusalOf(refused), [403, 'spend_refused', { kind: 'connection', id: program.connectionId }]);
  await expectCall(urls[0], 200, `PUT /api/spending/policies/agent/${agent.id}`, { key: ines, body: { lift_creator_limits: true } });
  assert.equal((await hire({ ...stage, agent })).status, 200);
});

test('V11: spending of a program stays counted over Disconnect, a new consent and a second installation', async () => {
  const { urls } = stage;
  const first = await connectProgram(urls[0], ines, { scope: SCOPE, daily_limit_usd: '1.50' });
  assert.equal((await payOver(first, urls[0])).isError ?? false, false);
  const replaced = await connectProgram(urls[1], inesThere, { scope: SCOPE, clientId: first.clientId, daily_limit_usd: '1.50' });
  assert.equal(codeOf(await payOver(replaced, urls[1])), 'spend_refused');
  await expectCall(urls[0], 200, `DELETE /api/connections/${replaced.connectionId}`, { key: ines });
  const again = await connectProgram(urls[0], ines, { scope: SCOPE, clientId: first.clientId });
  const refused = await payOver(again, urls[0]);
  assert.equal(codeOf(refused), 'spend_refused', 'neither limit nor count went with the connection');
  assert.deepEqual(refused.structuredContent['data'].subject, { kind: 'connection', id: again.connectionId });
  const shown = (await expectCall(urls[0], 200, 'GET /api/spending/policies', { key: ines })) as unknown as Envelope[];
  assert.partialDeepStrictEqual(
    shown.find(({ id }) => id === again.connectionId),
    { per_day_usd: '1.50', spent_day_usd: '1.10', left_day_usd: '0.40' },
  );
});

test('V11: installations that share one client id have one limit together; parallel payments on two processes never pass it', async () => {
  const { urls, database } = stage;
  const shared = 'https://assistant.example/spending.json';
  await database.pool.query(
    `insert into oauth_clients (id, metadata, expires_at)
     select $1, metadata || jsonb_build_object('client_id', $1::text), expires_at from oauth_clients where id = $2`,
    [shared, await registerProgram(urls[0])],
  );
  const one = await connectProgram(urls[0], ines, { scope: SCOPE, clientId: shared, daily_limit_usd: '3.50' });
  const other = await connectProgram(urls[1], inesThere, { scope: SCOPE, clientId: shared });
  const paid = await Promise.all([1, 2, 3, 4].flatMap(() => [payOver(one, urls[0]), payOver(other, urls[1])]));
  const outcomes = paid.map((reply) => codeOf(reply) ?? 'paid').sort();
  assert.deepEqual(outcomes, ['paid', 'paid', 'paid', ...Array.from({ length: 5 }, () => 'spend_refused')]);
});

test('V24: a program never spends a transfer of the wallet that connected it, or of one linked to the account', async () => {
  const { urls, owner } = stage;
  const opened = await call(urls[0], 'POST /api/auth/session', { body: await agreed(urls[0], owner, { action: 'session' }) });
  const [name = '', value = ''] = cookieOf(opened).split('=');
  const byWallet = await connectFrom(new Browser(urls[0], { [name]: value }), urls[0], { scope: SCOPE });
  const linked = await openMachineBuyer(stage, 'base-mainnet');
  const key = await tokenFor(urls[0], { email: 'linked@example.com' });
  const link = await agreed(urls[0], linked, { action: 'link_wallet' }, key);
  await expectCall(urls[0], 200, 'POST /api/auth/wallets', { key, body: link });
  const byAccount = await connectProgram(urls[0], key, { scope: SCOPE });
  for (const [program, payer] of [
    [byWallet, owner],
    [byAccount, linked],
  ] as const) {
    const transfer = await transferUsd(stage, 1_100_000n, payer);
    const client = await connectMcp(urls[0], program.accessToken);
    const args = { service_id: stage.serviceId, brief: MACHINE_BRIEF, chain: 'base', tx_signature: transfer };
    const hired = await callTool(client, 'submit_payment', args);
    assert.deepEqual([hired.isError, codeOf(hired)], [true, 'payment_reserved'], JSON.stringify(hired.structuredContent));
    await client.close();
    const claimed = await stage.database.pool.query('select 1 from payment_claims where reference = $1', [transfer]);
    assert.equal(claimed.rowCount, 0);
  }
});

test('V21: only the owner of a policy approves its payments: no ordinary signature, no linked account, no key', async () => {
  const { urls } = stage;
  const wallet = await openMachineBuyer(stage, 'base-mainnet');
  const agent = await registerOwnedAgent(urls[0], wallet);
  const mine = { ...stage, owner: wallet, agent };
  await setPolicy(mine, { approve_above_usd: '1.00' });
  const key = await tokenFor(urls[0], { email: 'friend@example.com' });
  await expectCall(urls[0], 200, 'POST /api/auth/wallets', { key, body: await agreed(urls[0], wallet, { action: 'link_wallet' }, key) });
  const { approval_id: id } = (await hire(mine)).body['data'];
  const route = `POST /api/spending/approvals/${id}` as const;
  const body = { decision: 'approve' };
  const ordinary = await call(urls[0], route, { headers: asHeaders(await signed(wallet)), body });
  assert.deepEqual([ordinary.status, ordinary.body['code']], [401, 'custody_signature_required']);
  const seen = await expectCall(urls[0], 200, 'GET /api/spending/approvals', { key });
  assert.ok(JSON.stringify(seen).includes(id), 'a linked account sees it');
  const byLink = await call(urls[0], route, { key, body });
  assert.deepEqual([byLink.status, byLink.body['code'], byLink.body['data']], [403, 'owner_proof_required', { wallet: wallet.address }]);
  assert.equal((await call(urls[0], route, { key: agent.key, body })).status, 403);
  assert.equal((await hire(mine)).body['code'], 'approval_required');
  assert.equal((await asOwner(urls[1], wallet, route, body)).status, 200);
  assert.equal((await hire(mine)).status, 200);
});

test('the audit finds nothing wrong with the spending of created agents', async () => {
  assert.deepEqual((await findBroken(stage.database)).broken, []);
});
