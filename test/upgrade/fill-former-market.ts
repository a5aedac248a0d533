/**
 * Made the stored market of this folder, by the code before the table of authority. To make it again:
 * `git worktree add ../former 7b9b756d`, copy this file and `former-people.ts` to `test/upgrade` there, and run it there with a new folder for the
 * market's data. It writes `former-market.json.gz` beside itself. With `demo` as well it makes the demo's content, too, and stores nothing.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { openConfiguredChains } from '../../packages/server/src/boot/open-configured-chains.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/local-postgres/embedded-postgres.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { type Depositor, deposit } from '../earn/depositors.ts';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call, cookieOf, type Envelope, expectCall } from '../harness/http.ts';
import {
  hireWith,
  type MachineBuyer,
  openMachineBuyer,
  readOffer,
  requireHired,
  transferProof,
  versionTwo,
} from '../harness/machine-buyers.ts';
import { startServer, withOwnChains } from '../harness/market.ts';
import { callTool, connectMcp } from '../harness/mcp.ts';
import { connectProgram } from '../harness/oauth.ts';
import { BRIEF, deliver, listService, openProvider, payOrder, placeOrder } from '../harness/orders.ts';
import type { EvmPayer, PayableMarket } from '../harness/payers.ts';
import { asHeaders, signed, tokenFor } from '../harness/people.ts';
import {
  emailOf,
  type FormerAgent,
  type Kept,
  NETWORK,
  type PersonName,
  secretOf,
  solanaWalletNamed,
  walletNamed,
} from './former-people.ts';
import { storeMarket } from './stored-market.ts';

const LEND = 'lend_a:usdc';
const [dataDir = '', option = ''] = process.argv.slice(2);
const STORED = path.join(import.meta.dirname, 'former-market.json.gz');
mkdirSync(dataDir, { recursive: true });

const settings = {
  ...withOwnChains,
  DATA_DIR: dataDir,
  MASTER_KEY: 'a1'.repeat(32),
  LOG_LEVEL: 'warn',
  RATE_LIMIT_SCALE: '10000',
  SANDBOX_DEMO: option === 'demo' ? 'on' : 'off',
};
const server = await startServer(settings);
const { url } = server;
process.once('uncaughtException', (error) => {
  server.child.kill('SIGKILL');
  throw error;
});
const opened = await openConfiguredChains(
  readConfig({ environment: settings, terminal: false }),
  createLogger({ level: 'silent', pretty: false }),
);
const market: PayableMarket = opened;
const treasury = market.chains.get(NETWORK)?.treasury ?? '';

const buyer = async (name: PersonName): Promise<MachineBuyer> => await openMachineBuyer(market, NETWORK, 500_000_000n, secretOf(name));
const kept = ({ id, slug, name, key }: TestAgent): FormerAgent => ({ id, slug, name, key });
const send = async ({ payer }: MachineBuyer, micros: bigint) => transferProof(NETWORK, await payer.pay(treasury, micros));
const account = async (name: PersonName, more: object = {}) => {
  const token = await tokenFor(url, { email: emailOf(name), ...more });
  await expectCall(url, 200, 'POST /api/auth/user', { key: token });
  return token;
};

// The seller.
const seller = await openProvider(url, NETWORK, walletNamed('seller'));
const services = {
  one: await listService(url, seller, { price_usd: '1.00' }),
  five: await listService(url, seller, { price_usd: '5.00' }),
};

// A link by an ordinary signature, which paid an order of the account.
const ines = await buyer('ines');
const inesToken = await account('ines');
await expectCall(url, 200, 'POST /api/auth/wallets', { key: inesToken, body: await signed(ines) });
const { order_id: linked } = await expectCall(url, 200, 'POST /api/orders', {
  key: inesToken,
  body: { service_id: services.five, brief: BRIEF },
});
const paid = await expectCall(url, 200, `PATCH /api/orders/${linked}`, {
  key: inesToken,
  body: { action: 'pay', escrow_tx_hash: await ines.payer.pay(treasury, 5_000_000n), payment_chain: 'base' },
});
assert.ok(paid);
// A wallet that the identity provider names.
const paula = await buyer('paula');
const paulaToken = await account('paula', { wallets: [{ chain: 'base', address: paula.address }] });

// A session by an ordinary signature, and an order of the wallet that waits for approval.
const sam = await buyer('sam');
const cookie = cookieOf(await call(url, 'POST /api/auth/session', { body: await signed(sam) }));
const session = await placeOrder(url, services.five, sam);
await payOrder(url, session, sam);
assert.equal((await deliver(url, session, seller)).status, 200);

// An agent whose key paid from its owner's wallet within a limit, another without a limit, and a payment that waits for approval.
const olga = await buyer('olga');
const limited = await registerOwnedAgent(url, olga);
const unlimited = await registerOwnedAgent(url, olga);
const policy = async (body: Envelope) =>
  await expectCall(url, 200, `PUT /api/spending/policies/agent/${limited.id}`, {
    headers: asHeaders(await signed(olga)),
    body: { frozen: false, ...body },
  });
await policy({ per_day_usd: '10.00' });
const byKey = { authorization: `Bearer ${limited.key}` };
await requireHired(hireWith(url, services.one, { ...(await send(olga, 1_100_000n)), ...byKey }));
await requireHired(hireWith(url, services.one, { ...(await send(olga, 1_100_000n)), ...byKey }));
await policy({ per_day_usd: '4.00', approve_above_usd: '2.00' });
const asked = await hireWith(url, services.five, { ...(await send(olga, 5_500_000n)), ...byKey });
assert.equal(asked.status, 403, JSON.stringify(asked.body));
await policy({ per_day_usd: '20.00', approve_above_usd: '2.00' });
const asksOwner = await hireWith(url, services.five, { ...(await send(olga, 5_500_000n)), ...byKey });
assert.equal(asksOwner.body['code'], 'approval_required', JSON.stringify(asksOwner.body));
await policy({ per_day_usd: '4.00', approve_above_usd: '2.00' });

// A wallet and an account that both own an agent, but are not linked.
const wandaToken = await account('wanda');
const disputed = await registerAgent(
  url,
  { owner_wallet: walletNamed('wanda').address, ...(await signed(walletNamed('wanda'))) },
  { key: wandaToken },
);

// Agents of an account: one changes its withdraw address, one only works.
const accounts = await registerAgent(url, {}, { key: inesToken });
const withdrawAddress = (address: string) =>
  expectCall(url, 200, `PUT /api/agents/${accounts.id}/withdraw-address`, { key: inesToken, body: { withdraw_address_solana: address } });
await withdrawAddress(solanaWalletNamed('ines').address);
const withdrawTo = solanaWalletNamed('paula').address;
await withdrawAddress(withdrawTo);
const owned = await registerOwnedAgent(url, walletNamed('sam'));
// An agent of a wallet and its account: the account alone asked for another withdraw address.
const both = await registerAgent(url, { owner_wallet: paula.address, ...(await signed(paula)) }, { key: paulaToken });
for (const address of [solanaWalletNamed('paula').address, solanaWalletNamed('sam').address])
  await expectCall(url, 200, `PUT /api/agents/${both.id}/withdraw-address`, {
    key: paulaToken,
    body: { withdraw_address_solana: address },
  });

// A program that paid within the limit of its consent.
const program = await connectProgram(url, inesToken, { scope: 'read hire', daily_limit_usd: '2.00' });
const client = await connectMcp(url, program.accessToken);
const offer = await readOffer(market, url, services.one, NETWORK);
const hired = await callTool(
  client,
  'submit_payment',
  { service_id: services.one, brief: BRIEF },
  { 'x402/payment': { x402Version: 2, accepted: offer, payload: await ines.authorise(offer) } },
);
assert.notEqual(hired.isError, true, JSON.stringify(hired.structuredContent));
await client.close();

// Positions in Earn: by signature, and by an account.
const depositor = (who: MachineBuyer, credentials: Depositor['credentials']): Depositor => ({
  kind: 'wallet',
  payer: who.payer as EvmPayer,
  funded: 0n,
  credentials,
});
const dora = await buyer('dora');
await deposit(
  url,
  depositor(dora, async () => ({ headers: asHeaders(await signed(dora)) })),
  LEND,
  120_000_000n,
);
await deposit(
  url,
  depositor(ines, async () => ({ key: inesToken })),
  LEND,
  9_000_000n,
);

// Purchases by a standard payment and by bare transfers: two contestable ones, a small one and a registration.
const bare = await buyer('bare');
const standard = await requireHired(hireWith(url, services.five, await payByStandard(paula, services.five)));
const small = await requireHired(hireWith(url, services.one, await send(bare, 1_100_000n)));
const registered = await expectCall(url, 201, 'POST /api/agents/register', {
  headers: await send(await buyer('newcomer'), 1_000_000n),
  body: { name: 'Bare Registration', description: 'Registered by a payment that nobody signed for.' },
});
const delivered = await requireHired(hireWith(url, services.five, await send(bare, 5_500_000n)));
assert.equal((await deliver(url, delivered.orderId, seller)).status, 200);
const undelivered = await requireHired(hireWith(url, services.five, await send(bare, 5_500_000n)));

async function payByStandard(who: MachineBuyer, serviceId: string) {
  const wanted = await readOffer(market, url, serviceId, NETWORK);
  return versionTwo(wanted, await who.authorise(wanted));
}

const token = (of: { token: string | null }) => of.token ?? assert.fail('no token');
const all: Kept = {
  services,
  agents: {
    seller: kept(seller),
    limited: kept(limited),
    unlimited: kept(unlimited),
    disputed: kept(disputed),
    owned: kept(owned),
    accounts: kept(accounts),
    both: kept(both),
    registered: { id: registered['agent_id'], slug: registered['slug'], name: 'Bare Registration', key: registered['api_key'] },
  },
  cookie,
  program: { clientId: program.clientId, refreshToken: program.refreshToken, connectionId: program.connectionId },
  orders: {
    linked,
    session,
    undelivered: undelivered.orderId,
    delivered: delivered.orderId,
    standard: standard.orderId,
    small: small.orderId,
  },
  tokens: { undelivered: token(undelivered), delivered: token(delivered), standard: token(standard), small: token(small) },
  approval: asksOwner.body['data'].approval_id,
  withdrawTo,
};
writeFileSync(path.join(dataDir, 'kept.json'), `${JSON.stringify(all, null, 2)}\n`);
await new Promise((resolve) => setTimeout(resolve, option === 'demo' ? 90_000 : 3_000));
await opened.close();
assert.equal(await server.kill('SIGTERM'), 0, server.log());
if (option === '') {
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  const pool = new pg.Pool({ ...postgres.connection, max: 1 });
  await storeMarket(pool, dataDir, all, STORED);
  await pool.end();
  await postgres.stop();
}
