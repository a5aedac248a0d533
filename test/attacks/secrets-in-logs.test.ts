/** Sends every credential to a real process with the most verbose log; none may appear in its output. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { base58 } from '@scure/base';
import pg from 'pg';
import { loadKeyFile } from '../../packages/server/src/platform/secrets/key-file.ts';
import { createSecretBox } from '../../packages/server/src/platform/secrets/secret-box.ts';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { asQuery, type CallOptions, call } from '../harness/http.ts';
import { type ServerProcess, startServer, withChains } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { agreed, asHeaders, baseWallet, signed, signedFor, solanaWallet, tokenFor } from '../harness/people.ts';

const CANARY = 'CANARYcanaryCANARYcanaryCANARY';
const DATABASE_PASSWORD = 'database-password-of-this-test';
const MASTER_KEY = '7d'.repeat(32);

let database: TestDatabase;
let dataDir: string;
let server: ServerProcess;
let standardOutput = '';
before(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  server = await startServer({
    DATA_DIR: dataDir,
    DATABASE_URL: `${database.url}&password=${DATABASE_PASSWORD}`,
    LOG_LEVEL: 'trace',
    MASTER_KEY,
    OUTBOUND_ALLOW: '127.0.0.1',
    RATE_LIMIT_SCALE: '1000',
    ...withChains,
  });
  server.child.stdout?.on('data', (chunk: Buffer) => {
    standardOutput += chunk.toString();
  });
});
after(async () => {
  await server?.kill('SIGKILL');
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const send = (route: `${string} /${string}`, options?: CallOptions) => call(server.url, route, options);

test('K07: no API key, token, signature, session, webhook secret or master key is written to any log', async () => {
  const secrets = [
    ...(await useCredentials()),
    ...(await sendWrongCredentials()),
    ...(await hireByMachine()),
    ...(await readServerKeys()),
    MASTER_KEY,
    DATABASE_PASSWORD,
  ];
  await failInside();
  await cutConnections();
  await server.kill('SIGTERM');
  const written = server.log() + standardOutput;
  assert.ok(written.split('\n').length > 30, 'the process hardly wrote anything');
  assert.ok(
    ['/api/agents/recover', 'a request failed', 'a page could not be made', 'a database connection broke'].every((line) =>
      written.includes(line),
    ),
    written.slice(-2000),
  );
  assert.ok(
    secrets.every((secret) => secret.length >= 20),
    secrets.join(' '),
  );
  const leaks = written.split('\n').filter((line) => secrets.some((secret) => line.includes(secret)));
  assert.deepEqual(leaks, []);
});

/** Sends valid credentials in every carrier. Returns the secrets. */
async function useCredentials(): Promise<string[]> {
  const [sol, evm] = [solanaWallet(), baseWallet()];
  const token = await tokenFor(server.url, { email: 'logs@example.com', name: 'Logs' });
  await send('POST /api/auth/user', { key: token });
  await send('POST /api/auth/user', { body: { idp_access_token: token } });
  await send('GET /api/auth/whoami', { headers: { cookie: `idp-token=${token}` } });
  await send(`GET /api/auth/whoami?idp_access_token=${token}&access_token=${token}&token=${token}`);
  const bare = await registerAgent(server.url, { endpoint_url: 'http://127.0.0.1:9/hook' }, { headers: { 'idempotency-key': CANARY } });
  const owned = await registerOwnedAgent(server.url, sol);
  await registerOwnedAgent(server.url, evm);
  await send('POST /api/agents/link', { key: token, body: { api_key: bare.key } });
  await send(`GET /api/agents/me?api_key=${bare.key}`, { key: bare.key });
  const recovery = await signed(sol, Date.now() - 1);
  await send('POST /api/agents/recover', { body: recovery });
  const inQuery = await signed(evm, Date.now() - 2);
  await send(`GET /api/auth/whoami${asQuery(inQuery)}`);
  const inHeaders = await signed(sol, Date.now() - 3);
  await send('GET /api/auth/whoami', { headers: asHeaders(inHeaders) });
  const session = await send('POST /api/auth/session', { body: await agreed(server.url, sol, { action: 'session' }) });
  const cookie = /market_session=([^;]+)/.exec(session.headers.get('set-cookie') ?? '')?.[1] ?? '';
  await send('GET /api/auth/whoami', { headers: { cookie: `market_session=${cookie}` } });
  const custody = await signedFor(server.url, sol, { method: 'POST', path: '/api/agents/me/rotate-key', body: {} });
  const rotated = await send('POST /api/agents/me/rotate-key', { key: owned.key, body: custody });
  const webhookSecret = String(bare.answer['webhook_secret']);
  const signatures = [recovery, inQuery, inHeaders, custody].map(({ wallet_sig }) => wallet_sig);
  return [token, bare.key, owned.key, webhookSecret, cookie, String(rotated.body['data'].api_key), ...signatures];
}

/** Sends credentials in the wrong place or of the wrong kind, which reach error paths. Returns the texts to look for. */
async function sendWrongCredentials(): Promise<string[]> {
  const key = `market_${CANARY}`;
  for (const authorization of [`Bearer ${key}`, `Bearer ${CANARY}.${CANARY}.${CANARY}`, `Basic ${CANARY}`, `Token ${CANARY}`]) {
    await send('GET /api/agents/me', { headers: { authorization } });
  }
  await send('GET /api/auth/whoami', { headers: { cookie: `market_session=${CANARY}; idp-token=${CANARY}` } });
  await send('POST /api/auth/session', { body: { wallet: solanaWallet().address, wallet_sig: CANARY, wallet_sig_ts: Date.now() } });
  await send(`GET /api/agents/me?wallet_sig=${CANARY}&wallet_sig_ts=1`);
  await send(`GET /nowhere?wallet%5Fsig=${CANARY}&WALLET_SIG=${CANARY}`);
  await send(`GET /nowhere?api_key=${CANARY}`);
  await send(`GET /nowhere?a=1;wallet_sig=${CANARY}`);
  await send('POST /api/agents/link', { body: { api_key: key }, key: CANARY });
  await send('POST /api/agents/register', { raw: `{"api_key":"${CANARY}",` });
  await send('POST /api/agents/register', { body: { webhook_secret: CANARY, wallet_sig: { a: CANARY } } });
  return [CANARY];
}

/** Hires by standard payment. Returns the payment headers and the token of the order. */
async function hireByMachine(): Promise<string[]> {
  const provider = await openProvider(server.url);
  const service = await listService(server.url, provider, { price_usd: '1.00' });
  const sent = [
    `${CANARY}payment`,
    Buffer.from(JSON.stringify({ x402Version: 2, payload: { signature: `0x${'5d'.repeat(65)}` } })).toString('base64'),
  ];
  for (const header of ['x-payment', 'payment-signature']) {
    for (const value of sent) {
      await send(`POST /api/x402/pay?service_id=${service}`, { headers: { [header]: value }, body: { brief: 'A logo for a bakery.' } });
      await send(`GET /api/x402/discover/${service}?${header}=${value}`, { headers: { [header]: value } });
    }
  }
  const token = `order_${'6e'.repeat(24)}`;
  await send('GET /api/orders/ord_1700000000000_nobodyhas', { key: token });
  await send(`GET /api/orders/ord_1700000000000_nobodyhas?token=${token}&read_token=${token}`, { key: token });
  for (const address of ['/api/orders/ord_1700000000000_nobodyhas', '/api/events', '/orders/ord_1700000000000_nobodyhas', '/nowhere'])
    await send(`GET ${address}?read_token=${token}` as `GET /${string}`);
  return [...sent, token];
}

/** The keys with which this deployment and its agents' wallets sign, in every likely spelling. */
async function readServerKeys(): Promise<string[]> {
  const box = createSecretBox({ current: Buffer.from(MASTER_KEY, 'hex'), previous: [] });
  const files = await Promise.all(
    ['treasury-solana', 'treasury-evm', 'sponsor-solana', 'sponsor-evm'].map((name) => loadKeyFile(dataDir, name)),
  );
  const keys = [...files];
  await withDatabase(async (client) => {
    const { rows } = await client.query<Record<'agent_id' | 'kind' | 'address' | 'sealed_key', string>>('select * from agent_wallets');
    for (const { agent_id, kind, address, sealed_key } of rows)
      keys.push(Buffer.from(box.open(sealed_key, `agent_wallets/${agent_id}/${kind}/${address}`), 'hex'));
  });
  assert.ok(keys.length > files.length, 'agents have wallets');
  return keys.flatMap((key) => [key.toString('hex'), key.toString('base64'), base58.encode(key)]);
}

async function withDatabase(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ ...database.connection });
  await client.connect();
  await work(client);
  await client.end();
}

/** Causes an internal error, which is logged with its cause, but must not include the request. */
async function failInside(): Promise<void> {
  await withDatabase((client) => client.query('alter table agents rename column slug to slug_hidden'));
  const body = { name: 'Canary Agent', description: 'Registered while the database is broken.' };
  assert.equal((await send('POST /api/agents/register', { body })).status, 500);
  await send('POST /api/agents/register', { body: { ...body, idp_access_token: CANARY } });
  await send('GET /api/agents/anything', { headers: { cookie: `market_session=${CANARY}` } });
  // A page that fails is logged with its address, which may hold a sign-in code, a signature or a file grant.
  const query = ['code', 'wallet_sig', 'idp_access_token', 'grant'].map((name) => `${name}=${CANARY}`).join('&');
  for (const page of ['/agents/anything', '/agents', '/services', '/'])
    await send(`GET ${page}?${query}` as `GET /${string}`, { headers: { accept: 'text/html' } });
  await withDatabase((client) => client.query('alter table agents rename column slug_hidden to slug'));
}

/** Cuts connections, which logs the driver's error with all its properties. */
async function cutConnections(): Promise<void> {
  await withDatabase((client) =>
    client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'),
  );
  await sleep(500);
}

test('K07: a broken database connection is one short log line, without the driver’s internals', () => {
  const lines = server
    .log()
    .split('\n')
    .filter((line) => line.includes('a database connection broke'));
  assert.ok(lines.length > 0);
  for (const line of lines)
    assert.ok(line.length < 4_000 && !line.includes('secretKey'), `${line.length} characters: ${line.slice(0, 600)}`);
});
