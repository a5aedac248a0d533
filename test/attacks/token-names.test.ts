/** Names of tokens: as the mint says, unlike anybody else's, and marked where only the owner names them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readNames } from '../../packages/server/src/features/tokens/read-names.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { registerAgent } from '../harness/agents.ts';
import { png, upload } from '../harness/files.ts';
import { call, expectCall } from '../harness/http.ts';
import { connectMcp, useTool } from '../harness/mcp.ts';
import { tokenFor } from '../harness/people.ts';
import { type MadeToken, makeToken } from '../harness/tokens.ts';
import { openTokenStage, outcomeOf, type TokenStage } from '../tokens/stage.ts';

let stage: TokenStage;
before(async () => {
  stage = await openTokenStage();
});
after(() => stage.market.close());

const named = (name: string, symbol: string) => makeToken(stage.maker, { form: 'metadata', named: { name, symbol } });
const as = (token: MadeToken, name: string, symbol: string) => stage.body(token, { token_name: name, token_symbol: symbol });

test('Y08: a token is registered under its mint’s own name and symbol only; the refusal says which', async () => {
  const agent = await stage.ownAgent();
  const token = await named('Garden Fork', 'FORK');
  for (const [name, symbol] of [
    ['Golden Fork', 'FORK'],
    ['Garden Fork', 'GOLD'],
    ['garden fork', 'FORK'],
  ] as const) {
    const { status, body } = await stage.register(agent, as(token, name, symbol));
    assert.deepEqual([status, body['code']], [400, 'token_name_differs'], `${name} ${symbol}`);
    assert.match(body['error'], /the name "Garden Fork" and the symbol "FORK"/);
    assert.deepEqual(body['data'], { mint_name: 'Garden Fork', mint_symbol: 'FORK' });
  }
  assert.equal((await stage.read(agent))['token_mint'], null);
  const { status, body } = await stage.register(agent, as(token, 'Garden Fork', 'FORK'));
  assert.deepEqual([status, body['data'].token_named_by], [200, 'mint']);
});

test('Y08: the marketplace’s name suffix may be on the mint or in the request', async () => {
  const [onMint, given] = [await named('Harbour Bell by Mercato', 'BELL'), await named('Lantern Moth', 'MOTH')];
  for (const [token, name, symbol] of [
    [onMint, 'Harbour Bell', 'BELL'],
    [given, 'Lantern Moth by Mercato', 'MOTH'],
  ] as const) {
    const { status, body } = await stage.register(await stage.ownAgent(), as(token, name, symbol));
    assert.deepEqual([status, body['data']?.token_named_by], [200, 'mint'], JSON.stringify(body));
  }
});

test('Y08: USDC, SOL and look-alikes cannot be registered as tokens, even if the mint has that name', async () => {
  const agent = await stage.ownAgent();
  for (const [name, symbol] of [
    ['USD Coin', 'USDC'],
    ['Garden Rake', 'USDC'],
    ['Garden Rake', 'U5DC'],
    ['USDC by Circle', 'RAKE'],
    ['Garden Rake', 'S0L'],
    ['So1ana', 'RAKE'],
    ['Wrapped SOL', 'RAKE'],
  ] as const)
    for (const token of [await makeToken(stage.maker), await named(name, symbol)])
      assert.deepEqual(outcomeOf(await stage.register(agent, as(token, name, symbol))), [400, 'token_name_reserved'], `${name} ${symbol}`);
  // Letters of other alphabets, as in agents’ names.
  for (const [name, symbol] of [
    ['\u0422allyho', 'HO'],
    ['Tallyho', '\u041dO'],
  ] as const)
    assert.deepEqual(outcomeOf(await stage.register(agent, as(await makeToken(stage.maker), name, symbol))), [400, 'invalid_input']);
});

test('Y08: a token’s name or symbol on record cannot be registered again, nor a look-alike; of two at once one succeeds', async () => {
  const [first, second] = [await stage.ownAgent(), await stage.ownAgent()];
  const mine = await named('Quarry Hound', 'QHND');
  assert.equal((await stage.register(first, as(mine, 'Quarry Hound', 'QHND'))).status, 200);
  for (const [name, symbol] of [
    ['Quarry-H0und', 'OTHR'],
    ['Quarry Hound by Mercato', 'OTHR'],
    ['Other Dog', 'Q HND'],
    ['QHND', 'OTHR'],
  ] as const)
    assert.deepEqual(
      outcomeOf(await stage.register(second, as(await makeToken(stage.maker), name, symbol))),
      [400, 'token_name_reserved'],
      name,
    );
  const agents = await Promise.all([second, stage.ownAgent(), stage.ownAgent()]);
  const rivals = await Promise.all(agents.map(async (agent) => ({ agent, token: await makeToken(stage.maker) })));
  const replies = await Promise.all(rivals.map(({ agent, token }) => stage.register(agent, as(token, 'Sudden Rush', 'RUSH'))));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400]);
  // After an operator cleared it, the name is free again.
  await expectCall(stage.market.url, 200, `DELETE /api/agents/${first.id}/token`, stage.admin);
  assert.equal((await stage.register(first, as(mine, 'Quarry Hound', 'QHND'))).status, 200);
});

test('Y08: nobody takes the name of another agent for a token, even before that agent has one', async () => {
  const { url } = stage.market;
  await registerAgent(url, { name: 'Mellow Drummer' }, { key: await tokenFor(url, { email: 'drummer@example.com' }) });
  const reply = await stage.register(await stage.ownAgent(), as(await makeToken(stage.maker), 'Me11ow Drummer', 'MDRM'));
  assert.deepEqual(outcomeOf(reply), [400, 'token_name_reserved']);
});

test('Y08: nobody takes another agent’s name as a symbol, which would keep that agent from launching under it', async () => {
  const { url } = stage.market;
  const key = await tokenFor(url, { email: 'weaver@example.com', twitter_username: 'weaver' });
  await expectCall(url, 200, 'POST /api/auth/user', { key });
  const agent = await registerAgent(url, { name: 'Wovenly' }, { key });
  for (const symbol of ['WOVENLY', 'W0VEN-LY']) {
    const reply = await stage.register(await stage.ownAgent(), as(await makeToken(stage.maker), 'Plain Cloth', symbol));
    assert.deepEqual(outcomeOf(reply), [400, 'token_name_reserved'], symbol);
  }
  const image_url = (await upload(url, key, { content: png(8, 8), name: 'b.png' })).body['data'].url;
  const launch = await call(url, `POST /api/agents/${agent.id}/token/launch`, { key, body: { symbol: 'WVN', image_url } });
  assert.deepEqual(outcomeOf(launch), [402, 'agent_wallet_underfunded'], 'only money is missing');
});

test('Y08: a mint without metadata is shown as named by its owner, on token and agent, also in MCP results', async () => {
  const { url } = stage.market;
  const agent = await stage.ownAgent();
  const token = await makeToken(stage.maker);
  const { status, body } = await stage.register(agent, stage.body(token));
  assert.deepEqual([status, body['data']?.token_named_by], [200, 'owner'], JSON.stringify(body));
  assert.equal((await expectCall(url, 200, `GET /api/agents/${agent.id}`))['agent'].token.named_by, 'owner');
  const client = await connectMcp(url, agent.key);
  const shown = await useTool(client, 'get_token', { agent_id: agent.id });
  await client.close();
  assert.equal(shown.token_named_by, 'owner');
});

test('Y08: tokens of earlier versions count as named by their owner until their mint is read, and after if it says another name', async () => {
  const { market, maker } = stage;
  const [honest, forged, bare] = [await stage.ownAgent(), await stage.ownAgent(), await stage.ownAgent()];
  const mints = [await named('Patient Otter', 'POTR'), await named('Cloudy Finch', 'FNCH'), await makeToken(maker)];
  const names = ['Patient Otter', 'Cloudy Finch', 'Bare Branch'];
  for (const [at, agent] of [honest, forged, bare].entries()) {
    const { mint } = mints[at] as MadeToken;
    await market.database.pool.query(
      `update agents set token_mint = $2, token_name = $3, token_symbol = $4, token_mode = 'byot', token_creator_wallet = $5, token_created_at = market_now()
       where id = $1`,
      [agent.id, mint, at === 1 ? 'USD Coin' : names[at], at === 1 ? 'USDC' : ['POTR', '', 'BRCH'][at], stage.owner.address],
    );
    assert.equal((await stage.read(agent))['token_named_by'], 'owner');
  }
  const log = createLogger({ level: 'silent', pretty: false });
  await readNames({ database: market.database, chains: market.chains, serviceName: 'Mercato', log });
  const shown = await Promise.all([honest, forged, bare].map(async (agent) => (await stage.read(agent))['token_named_by']));
  assert.deepEqual(shown, ['mint', 'owner', 'owner']);
});

test('Y08: a launch refuses a symbol that is on record or reserved', async () => {
  const { url } = stage.market;
  const key = await tokenFor(url, { email: 'launcher@example.com', twitter_username: 'launcher' });
  await expectCall(url, 200, 'POST /api/auth/user', { key });
  const agent = await registerAgent(url, {}, { key });
  const image_url = (await upload(url, key, { content: png(8, 8), name: 'a.png' })).body['data'].url;
  const other = await stage.ownAgent();
  assert.equal((await stage.register(other, as(await makeToken(stage.maker), 'Silver Pike', 'PIKE'))).status, 200);
  for (const symbol of ['PIKE', 'P1KE', 'USDC', 'SOL', 'S0L']) {
    const reply = await call(url, `POST /api/agents/${agent.id}/token/launch`, { key, body: { symbol, image_url } });
    assert.deepEqual(outcomeOf(reply), [400, 'token_name_reserved'], symbol);
  }
});
