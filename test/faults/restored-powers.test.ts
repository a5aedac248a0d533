/** A restored backup must not revive what its owner had ended since: sessions, tokens, links, waiting changes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { callVouched, readMoves } from '../agent-wallets/stage.ts';
import { opened, openStream } from '../events/sse-client.ts';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { type Account, connectAgain, openAccount, requireOutcomes } from '../harness/authority.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { freePort, type ServerProcess, type SharedMarket, startServer, startServers } from '../harness/market.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import { connectMcp, listToolsAt, openListen, useTool } from '../harness/mcp.ts';
import { type Connected, connectProgram, refresh } from '../harness/oauth.ts';
import { advanceClock } from '../harness/orders.ts';
import { agentBody, asHeaders, baseWallet, linkWallet, openSession, signed, solanaWallet, type TestWallet } from '../harness/people.ts';
import { openReceiver } from '../harness/receiver.ts';
import { until } from '../money/money.ts';

const DAY = 24 * 3600;
let shared: SharedMarket;
let server: ServerProcess;
before(async () => {
  // Tokens name the address, so the port stays the same.
  shared = await startServers(1, { PORT: String(await freePort()), OUTBOUND_ALLOW: '127.0.0.1' });
  [server] = shared.servers as [ServerProcess];
});
after(async () => {
  await server.kill('SIGKILL');
  await shared.close();
});

const send = (route: `${string} /${string}`, options: CallOptions = {}) => call(server.url, route, options);

async function query(statement: string, values: unknown[] = [], database?: string): Promise<Envelope[]> {
  const client = new pg.Client({ ...shared.database.connection, ...(database !== undefined && { database }) });
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** Stops the service and copies its books. `restore` stops it, restores the copy and starts two processes at the same moment. */
async function backUp(): Promise<{ restore(): Promise<void> }> {
  const { database } = shared.database.connection;
  const copy = `${database}_${randomBytes(4).toString('hex')}`;
  await server.kill('SIGTERM');
  await query(`create database ${copy} template ${database}`, [], 'postgres');
  server = await startServer(shared.settings);
  return {
    async restore() {
      await server.kill('SIGTERM');
      await query(`drop database ${database} with (force)`, [], 'postgres');
      await query(`alter database ${copy} rename to ${database}`, [], 'postgres');
      const [first, second] = await startTogether();
      server = first;
      await second.kill('SIGTERM');
    },
  };
}

/** Starts two processes that both notice the restore before either has ended anything. */
async function startTogether(): Promise<[ServerProcess, ServerProcess]> {
  const holding = new pg.Client(shared.database.connection);
  await holding.connect();
  await holding.query('begin; select 1 from known_place for update');
  const starting = Promise.all([startServer(shared.settings), startServer({ ...shared.settings, PORT: '0' })]);
  try {
    await until('both processes waiting', async () => {
      const waiting = await query(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return waiting.length === 2 ? true : undefined;
    });
  } finally {
    await holding.end();
  }
  return await starting;
}

/** Powers of one person, which a stranger may have obtained. */
interface Powers {
  readonly owner: Account;
  readonly agent: TestAgent;
  /** A wallet linked to the account. */
  readonly linked: TestWallet;
  /** A wallet with a session. */
  readonly wallet: TestWallet;
  readonly cookie: string;
  readonly program: Connected;
}

async function openPowers(): Promise<Powers> {
  const owner = await openAccount(server.url);
  const [linked, wallet] = [baseWallet(), baseWallet()];
  await linkWallet(server.url, owner.token, linked);
  const agent = await registerAgent(server.url, {}, { key: owner.token });
  const program = await connectProgram(server.url, owner.token, { scope: 'read hire' });
  return { owner, agent, linked, wallet, cookie: await openSession(server.url, wallet), program };
}

/** Asks for a change that waits for a day. */
const askPayout = ({ agent, owner }: Powers) =>
  send(`PATCH /api/agents/${agent.id}`, { key: owner.token, body: { payout_wallet: solanaWallet().address } });

/** Asks for the private key with the account and its linked wallet; a wallet that vouches gets it at once. */
const askExport = ({ agent, owner, linked }: Powers, chain: string) =>
  callVouched(server.url, { token: owner.token, owner: linked }, `POST /api/agents/${agent.id}/export-key`, { chain });

const readAgent = async ({ agent }: Powers) => (await send('GET /api/agents/me', { key: agent.key })).body['data'];
const useSession = ({ cookie }: Powers) => send('GET /api/agents/my', { headers: { cookie } });
const useProgram = ({ program }: Pick<Powers, 'program'>) => listToolsAt(server.url, new URL(server.url).host, program.accessToken);
const useRefresh = async ({ program }: Powers) => (await refresh(server.url, program.clientId, program.refreshToken)).status;

async function noticesOf(options: CallOptions): Promise<Envelope[]> {
  const list = (await expectCall(server.url, 200, 'GET /api/notifications?limit=100', options)) as unknown as Envelope[];
  return list.filter(({ type }) => type === 'market_restored');
}

/** Waits for the notices of both people. */
async function requireNotified({ owner, wallet, linked }: Powers, times: number): Promise<void> {
  const ofAccount = { key: owner.token };
  await until('the notification', async () => ((await noticesOf(ofAccount)).length >= times ? true : undefined));
  const ofWallet = { headers: asHeaders(await signed(wallet)) };
  assert.deepEqual([(await noticesOf(ofAccount)).length, (await noticesOf(ofWallet)).length], [times, times]);
  const ofLinked = await query(`select 1 from notifications where type = 'market_restored' and wallet = $1`, [linked.address]);
  assert.equal(ofLinked.length, times);
  assert.match(
    (await noticesOf(ofAccount))[0]?.['body'],
    /Owners of agents, API keys, .* payout .* limits .* Check them and replace API keys/s,
  );
}

test('B09, V02, V07, V09, V23: powers that owners ended since the backup stay ended, are asked for again, or wait a day', async () => {
  const powers = await openPowers();
  const { owner, agent, linked, wallet, program } = powers;
  const unowned = await registerAgent(server.url);
  await advanceClock(server.url, DAY + 60);
  const exported = await askExport(powers, 'base');
  const asked = await askPayout(powers);
  const backup = await backUp();
  const ended = {
    cancelled: [await send(`DELETE /api/agents/${agent.id}/payout-change`, { key: owner.token }), '200'],
    rotated: [await send(`POST /api/agents/${agent.id}/rotate-key`, { key: owner.token }), '200'],
    'signed out': [await send('DELETE /api/auth/session', { headers: asHeaders(await signed(wallet)) }), '200'],
    undone: [await send(`DELETE /api/auth/links/${linked.address}`, { body: await signed(linked) }), '200'],
    disconnected: [await send(`DELETE /api/connections/${program.connectionId}`, { key: owner.token }), '200'],
  } as const;
  await backup.restore();
  const late = await askExport(powers, 'solana');
  requireOutcomes({
    asked: [asked, '200'],
    'exported by the wallet that had been linked for a day': [typeof exported.body['data']?.private_key, 'string'],
    ...ended,
    'the change that waits after the restore': [(await readAgent(powers)).pending_payout, null],
    'the session after the restore': [await useSession(powers), '401 unauthenticated'],
    'the access token after the restore': [await useProgram(powers), 401],
    'the refresh token after the restore': [await useRefresh(powers), 400],
    // The restored books cannot know that the owner replaced this key.
    'the replaced key after the restore': [await send('GET /api/agents/me', { key: agent.key }), '200'],
    'the undone link after the restore': [late.body['data']?.status, 'waiting'],
    'the private key after the restore': [late.body['data']?.private_key, null],
  });
  await requireNotified(powers, 1);
  assert.equal((await noticesOf({ key: unowned.key })).length, 1);
  // Two processes noticed the restore at the same moment.
  const doubled = await query(`select subject_id from events where type = 'market.restored' group by 1 having count(*) > 1`);
  assert.deepEqual(doubled, []);
  await advanceClock(server.url, DAY + 60);
  await until('the job of the change', async () => {
    const due = await query(`select 1 from jobs where kind = 'agent.apply_payout_change' and state = 'ready'`);
    return due.length === 0 ? true : undefined;
  });
  assert.equal((await readAgent(powers)).payout_wallet, null);
});

test('B09, V11: after a restore a program is connected again by its person and keeps its limit', async () => {
  const powers = await openPowers();
  const { owner, program } = powers;
  await expectCall(server.url, 200, `PATCH /api/connections/${program.connectionId}`, {
    key: owner.token,
    body: { daily_limit_usd: '7.00' },
  });
  const backup = await backUp();
  await backup.restore();
  assert.equal(await useProgram(powers), 401);
  const [listed] = (await expectCall(server.url, 200, 'GET /api/connections', { key: owner.token })) as unknown as Envelope[];
  assert.deepEqual([listed?.['id'], listed?.['daily_limit_usd']], [program.connectionId, '7.00']);
  const chosen = { scope: 'read hire', daily_limit_usd: '7.00' };
  const again = await connectAgain(server.url, { 'idp-token': owner.token }, program.clientId, chosen);
  assert.equal(await useProgram({ ...powers, program: again }), 200);
  const connections = (await expectCall(server.url, 200, 'GET /api/connections', { key: owner.token })) as unknown as Envelope[];
  assert.deepEqual(
    connections.map(({ id, daily_limit_usd: limit }) => [id, limit]),
    [[again.connectionId, '7.00']],
  );
});

test('B09, Y12: after a restore in place, market reconcile --restored ends sessions, tokens and streams; without the option it does not', async () => {
  const powers = await openPowers();
  await advanceClock(server.url, DAY + 60);
  const [asked, exporting] = [
    await askPayout(powers),
    await send(`POST /api/agents/${powers.agent.id}/export-key`, { key: powers.owner.token, body: { chain: 'base' } }),
  ];
  const stream = await opened(await openStream(server.url, { cookie: powers.cookie }));
  const listening = await openListen(server.url, powers.program.accessToken);
  const before = (await noticesOf({ key: powers.owner.token })).length;

  const reconcile = async (...options: string[]) => {
    const command = runMarketCommand(['reconcile', ...options], shared.settings);
    assert.equal(await command.ended, 0, command.output());
    return command.output();
  };
  const plain = await reconcile();
  requireOutcomes({
    asked: [asked, '200'],
    'the export waits': [exporting.body['data']?.status, 'waiting'],
    'what the plain command ended': [/Ended:/.test(plain), false],
    'the session after the plain command': [await useSession(powers), '200'],
    'the access token after the plain command': [await useProgram(powers), 200],
    'notices after the plain command': [(await noticesOf({ key: powers.owner.token })).length, before],
  });

  const output = await reconcile('--restored');
  assert.match(
    output,
    /Ended: [1-9]\d* sessions, the tokens of [1-9]\d* connections, 1 payout changes, [1-9]\d* moves, 0 sweeps into Earn\. Links that count as new: [1-9]/,
  );
  await Promise.all([stream.ended, listening.ended]);
  const [move] = await readMoves(server.url, { key: powers.owner.token });
  requireOutcomes({
    'the session': [await useSession(powers), '401 unauthenticated'],
    'the access token': [await useProgram(powers), 401],
    'the refresh token': [await useRefresh(powers), 400],
    'the change that waits': [(await readAgent(powers)).pending_payout, null],
    'the move that waits': [move?.['status'], 'cancelled'],
    'why the move ended': [move?.['reason'], 'The marketplace was restored from a backup. Ask again.'],
    'an export by the linked wallet': [(await askExport(powers, 'solana')).body['data']?.status, 'waiting'],
  });
  await requireNotified(powers, before + 1);
});

test('B09, V23: a process that has not noticed the restore applies no payout change requested in another database', async () => {
  const [here, elsewhere] = [await openPowers(), await openPowers()];
  for (const powers of [here, elsewhere]) assert.equal((await askPayout(powers)).status, 200);
  await query(
    `update jobs set payload = payload || '{"place": "another"}' where kind = 'agent.apply_payout_change' and payload->>'agent_id' = $1`,
    [elsewhere.agent.id],
  );
  await advanceClock(server.url, DAY + 60);
  const read = (powers: Powers) =>
    until('the end of the change', async () => {
      const data = await readAgent(powers);
      return data.pending_payout === null ? data : undefined;
    });
  assert.notEqual((await read(here)).payout_wallet, null);
  assert.equal((await read(elsewhere)).payout_wallet, null);
});

test('B09, V23: a wallet linked before the restore still watches when a stolen account unlinks it right after', async () => {
  const powers = await openPowers();
  const { owner, linked } = powers;
  await advanceClock(server.url, DAY + 60);
  const backup = await backUp();
  await backup.restore();
  const { wallets } = await expectCall(server.url, 200, 'GET /api/auth/user', { key: owner.token });
  const unlinked = await send(`DELETE /api/auth/wallets/${wallets[0].id}`, { key: owner.token });
  const asked = await askPayout(powers);
  const cancelled = await send(`DELETE /api/agents/${powers.agent.id}/payout-change`, { headers: asHeaders(await signed(linked)) });
  requireOutcomes({ unlinked: [unlinked, '200'], asked: [asked, '200'], 'the unlinked wallet cancels': [cancelled, '200'] });
});

/** Registers an agent by a program, with an endpoint of the program. */
async function registerBy({ accessToken }: Connected, endpoint: string): Promise<string> {
  const client = await connectMcp(server.url, accessToken);
  const made = await useTool(client, 'register_agent', agentBody({ endpoint_url: endpoint }));
  await client.close();
  return String(made['id']);
}

test('B09, V09: agents and webhooks of a program disconnected since the backup stop until the person connects it again', async (t) => {
  const { token } = await openAccount(server.url);
  const sink = await openReceiver();
  t.after(() => sink.close());
  const connect = async () => await connectProgram(server.url, token, { scope: 'read work' });
  const programs = [await connect(), await connect(), await connect()] as const;
  const [again, kept, ended] = programs;
  const agents = await Promise.all(programs.map((program) => registerBy(program, sink.url)));
  const [id = '', keptId = '', endedId = ''] = agents;
  const [stoppedId, taken] = [await registerBy(again, sink.url), await registerBy(again, sink.url)];
  const change = (agent: string, route: string, body: Envelope) =>
    expectCall(server.url, 200, `PATCH /api/agents/${agent}${route}`, { key: token, body });
  await change(stoppedId, '/active', { active: false });
  await change(taken, '', { endpoint_url: `${sink.url}/person` });
  const ping = (agent: string) => send(`POST /api/agents/${agent}/webhooks/ping`, { key: token });
  const mine = async (agent: string) => (await send(`GET /api/agents/my?agent=${agent}`, { key: token })).body['data']?.[0];
  const stateOf = async (agent: string) => `${(await mine(agent)).active} ${(await mine(agent)).endpoint_url}`;
  const backup = await backUp();
  for (const { connectionId } of programs) await expectCall(server.url, 200, `DELETE /api/connections/${connectionId}`, { key: token });
  await backup.restore();
  const connections = (await expectCall(server.url, 200, 'GET /api/connections', { key: token })) as unknown as Envelope[];
  const made = connections.find((one) => one['id'] === kept.connectionId)?.['made_agents'] as Envelope[];
  requireOutcomes({
    'what strangers see': [await send(`GET /api/agents/${id}`), '404 agent_not_found'],
    'a webhook': [await ping(id), '400 endpoint_missing'],
    'the agent': [await stateOf(id), '0 null'],
    'an agent with an endpoint of the person': [await stateOf(taken), `0 ${sink.url}/person`],
    'agents that the person may keep': [made.map((one) => one['id']).join(), keptId],
  });

  const chosen = { scope: 'read work', agent_id: id };
  const connected = await connectAgain(server.url, { 'idp-token': token }, again.clientId, chosen);
  const pinged = await ping(id);
  await until('the webhook', async () => (sink.received.length > 0 ? true : undefined));
  const keeping = await send(`DELETE /api/connections/${kept.connectionId}?keep_agents=true`, { key: token });
  const ending = await send(`DELETE /api/connections/${ended.connectionId}`, { key: token });
  await connectAgain(server.url, { 'idp-token': token }, ended.clientId, { scope: 'read work' });
  requireOutcomes({
    'a webhook after the program was connected': [pinged, '200'],
    'the agent then': [await stateOf(id), `1 ${sink.url}`],
    'the program acts as the agent': [await useProgram({ program: connected }), 200],
    'an agent that its person had stopped': [await stateOf(stoppedId), `0 ${sink.url}`],
    'an agent with an endpoint of the person then': [await stateOf(taken), `1 ${sink.url}/person`],
    'disconnected, keeping the agent': [keeping, '200'],
    'the kept agent': [await stateOf(keptId), '1 null'],
    'disconnected again': [ending, '200'],
    'its agent, after the program was connected again': [await stateOf(endedId), '0 null'],
  });
});
