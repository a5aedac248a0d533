/** A backup revives an old key of an agent and an old payout address: both wait a day, announced, and can be stopped. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  callSigned,
  fundAddress,
  fundWallet,
  type OwnedAgent,
  openOwnedAgent,
  readMoves,
  send,
  untilEnded,
} from '../agent-wallets/stage.ts';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { callAsAsked } from '../harness/authority.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import {
  act,
  advanceClock,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
} from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, type TestWallet, tokenFor } from '../harness/people.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { chainOf, requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { holdsFor, reconcile, untilHurried } from './restored-stage.ts';

const NETWORK = 'base-mainnet';
const OPERATOR = 'boss@example.com';
const settings = { ADMIN_EMAILS: OPERATOR, OUTBOUND_ALLOW: '127.0.0.1' };

/** An agent with an order that its buyer has yet to approve. */
interface Work {
  readonly provider: Provider;
  readonly order: string;
  readonly buyer: Buyer;
}

let shared: SharedMoney;
let server: ServerProcess;
let endpoint: Receiver;
/** An agent without an owner in the backup, whose key strangers hold. */
let lone: TestAgent;
/** Another such agent, which the operator stops. */
let stopped: TestAgent;
let untouched: OwnedAgent;
let plain: Work;
/** The owner replaced the payout address after the backup. */
let replaced: Work;
/** The owner keeps the payout address, and signs it again. */
let kept: Work;
/** The owner does nothing. */
let left: Work;
const leaked = baseWallet().address;
const keptAddress = baseWallet().address;
const leftAddress = baseWallet().address;
const thief = baseWallet();
const before24h = 24 * 3600 - 600;

const at = () => ({ ...shared, url: server.url });
const usdcAt = async (address: string) => (await chainOf(shared, NETWORK).readBalances(address)).usdcMicros;

async function openWork(payout?: string): Promise<Work> {
  const provider = await openProvider(server.url, NETWORK);
  if (payout !== undefined) requireDone(await setPayout(provider, payout));
  const service = await listService(server.url, provider, { price_usd: '5.00' });
  const buyer = await openBuyer(shared, NETWORK);
  const order = await placeOrder(server.url, service, buyer);
  await payOrder(server.url, order, buyer, 'final');
  requireDone(await deliver(server.url, order, provider));
  return { provider, order, buyer };
}

const setPayout = ({ id, owner }: Pick<Provider, 'id' | 'owner'>, address: string) =>
  callSigned(server.url, owner, `PATCH /api/agents/${id}`, { payout_address_base: address });

/** Claims with key and wallet together, as every first owner does. */
const claim = ({ key }: TestAgent, wallet: TestWallet, more: Record<string, unknown> = {}): Promise<Reply> =>
  callAsAsked(server.url, wallet, 'PATCH /api/agents/me', { key, body: { owner_wallet: wallet.address, ...more } });

function requireDone({ status, body }: Reply): void {
  assert.equal(status, 200, JSON.stringify(body));
}

const asThief = async () => ({ headers: asHeaders(await signed(thief)) });
const walletOf = async ({ id }: TestAgent, key: string) =>
  (await expectCall(server.url, 200, `GET /api/agents/${id}/funding`, { key }))['evm_address'] as string;
const sendAll = (agent: TestAgent, to: string) =>
  callSigned(server.url, thief, `POST /api/agents/${agent.id}/wallet/send`, { chain: 'base', to, asset: 'usdc', amount: '5' });
const payoutOf = async ({ order, provider }: Work): Promise<Envelope> =>
  (await expectCall(server.url, 200, `GET /api/orders/${order}`, { headers: asHeaders(await signed(provider.owner)) }))['money'].payout;

before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
  endpoint = await openReceiver(undefined, { only: 'agent.owned' });
  server = await shared.startServer(settings);
  lone = await registerAgent(server.url, { endpoint_url: `${endpoint.url}/hook` });
  stopped = await registerAgent(server.url);
  for (const agent of [lone, stopped]) await fundAddress(shared, NETWORK, await walletOf(agent, agent.key), { usdcMicros: 20n * USDC });
  untouched = await openOwnedAgent(server.url);
  await fundWallet(at(), untouched, NETWORK, { usdcMicros: 20n * USDC });
  [plain, replaced, kept, left] = [await openWork(), await openWork(leaked), await openWork(keptAddress), await openWork(leftAddress)];
  await server.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  server = await shared.startServer(settings);
  for (const agent of [lone, stopped]) requireDone(await claim(agent, baseWallet()));
  requireDone(await setPayout(replaced.provider, baseWallet().address));
  await server.kill('SIGTERM');
  await backup.restore();

  const { code, output } = await reconcile(shared, settings);
  assert.equal(code, 0, output);
  server = await shared.startServer(settings);
});
after(async () => {
  await endpoint.close();
  await shared.close();
});

test('B09: sends and payouts of owners from before the backup leave at once when outflow is open again', async () => {
  const to = baseWallet().address;
  const sent = await send(server.url, untouched, { chain: 'base', to, asset: 'usdc', amount: '5' });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  assert.equal(sent.body['data'].status === 'waiting', false);
  await until('the send', async () => ((await usdcAt(to)) === 5n * USDC ? true : undefined));
  requireDone(await act(server.url, plain.order, plain.buyer, 'approve'));
  await until('the payout', async () => ((await usdcAt(plain.provider.owner.address)) > 0n ? true : undefined));
});

test('B09: a payout address of the backup is paid a day after the restore, or at once if the owner signs it or another', async () => {
  for (const { order, buyer } of [replaced, kept, left]) requireDone(await act(server.url, order, buyer, 'approve'));
  await holdsFor(shared, 4_000, async () => {
    for (const address of [leaked, keptAddress, leftAddress]) assert.equal(await usdcAt(address), 0n);
  });
  const waiting = await payoutOf(replaced);
  assert.match(JSON.stringify(waiting), /restored from a backup/);
  const own = baseWallet().address;
  requireDone(await setPayout(replaced.provider, own));
  requireDone(await setPayout(kept.provider, keptAddress));
  for (const address of [own, keptAddress]) await until('the payout', async () => ((await usdcAt(address)) > 0n ? true : undefined));
  assert.equal(await usdcAt(leaked), 0n);
  assert.equal(await usdcAt(leftAddress), 0n);
  await advanceClock(server.url, 24 * 3600 + 60);
  await untilHurried(shared, 'the payout a day later', async () => ((await usdcAt(leftAddress)) > 0n ? true : undefined));
  assert.equal(await usdcAt(leaked), 0n);
});

test('B09, V07: an old key that claims its agent after a restore moves nothing for a day, and an operator stops it', async () => {
  const moved = await claim(lone, thief, { endpoint_url: `${endpoint.url}/elsewhere` });
  assert.equal(moved.status, 400, JSON.stringify(moved.body));
  const claimed = await claim(lone, thief);
  assert.equal(claimed.status, 200, JSON.stringify(claimed.body));
  requireDone(await claim(stopped, thief));
  const to = baseWallet().address;
  const sent = await sendAll(lone, to);
  assert.deepEqual([sent.status, sent.body['data']?.status], [200, 'waiting'], JSON.stringify(sent.body));
  const path = `/api/agents/${lone.id}` as const;
  const exported = await callSigned(server.url, thief, `POST ${path}/export-key`, { chain: 'base' });
  assert.deepEqual([exported.body['data']?.status, exported.body['data']?.private_key], ['waiting', null], JSON.stringify(exported.body));
  const address = await callSigned(server.url, thief, `PUT ${path}/withdraw-address`, { withdraw_address_base: to });
  assert.equal(address.body['data']?.status, 'waiting', JSON.stringify(address.body));
  const payout = await callSigned(server.url, thief, `PATCH ${path}`, { payout_address_base: to });
  assert.notEqual(payout.body['data']?.pending_payout ?? null, null, JSON.stringify(payout.body));
  for (const { waits_because: why } of [sent, exported, address].map(({ body }) => body['data']))
    assert.match(String(why), /restored from a backup/);

  await until('the notice to the endpoint', async () => (endpoint.received.length > 0 ? true : undefined));
  assert.equal(endpoint.received[0]?.json['data']?.owner_wallet, thief.address);
  const { rows } = await shared.database.pool.query(`select body from notifications where type = 'agent_owned'`);
  assert.match(rows[0]?.body, /after a backup was restored/);

  const ofStopped = (await sendAll(stopped, to)).body['data'];
  const verdict = { kind: 'agent', id: stopped.id, status: 'spam', reason: 'Claimed by an old key.' };
  const operator = await tokenFor(server.url, { email: OPERATOR });
  requireDone(await call(server.url, 'POST /api/admin/moderation', { key: operator, body: verdict }));
  const kinds = (await readMoves(server.url, await asThief())).map(({ kind }) => kind).sort();
  assert.deepEqual(kinds, ['key_export', 'payout_change', 'wallet_send', 'wallet_send', 'withdraw_address']);

  await advanceClock(server.url, before24h);
  await holdsFor(shared, 3_000, async () => assert.equal(await usdcAt(to), 0n));
  assert.equal((await sendAll(lone, to)).body['data']?.status, 'waiting');
  await advanceClock(server.url, 1200);
  const cancelled = await untilEnded(server.url, await asThief(), ofStopped.move_id);
  assert.deepEqual([cancelled['status'], cancelled['reason']], ['cancelled', 'An operator has stopped the agent.']);
  await until('the send that waited', async () => ((await usdcAt(to)) === 5n * USDC ? true : undefined));
  assert.equal((await sendAll(stopped, to)).body['data']?.status, 'waiting', 'a stopped agent moves nothing at once either');
  assert.notEqual((await sendAll(lone, baseWallet().address)).body['data']?.status, 'waiting');
  await requireSound(shared.money);
});
