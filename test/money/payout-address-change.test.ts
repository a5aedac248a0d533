/** Payout address changes of an account's agent: by sign-in they wait and are announced; a wallet linked for a day changes it at once. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  type Provider,
  payOrder,
  placeOrder,
  readOrder,
  requireSoundBooks,
} from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, signedFor, type TestWallet, tokenFor } from '../harness/people.ts';
import { until } from './money.ts';

const HOUR = 3600;

let market: TestMarket;
let buyer: Buyer;
before(async () => {
  market = await openMarket(withOwnChains);
  buyer = await openBuyer(market, 'base-mainnet');
});
after(async () => {
  await requireSoundBooks(market);
  await market.close();
});

interface Owned extends Provider {
  readonly token: string;
  readonly service: string;
}

let people = 0;

/** An agent that belongs to an account with a linked wallet. */
async function openOwned(): Promise<Owned> {
  people += 1;
  const owner = baseWallet();
  const wallets = [{ chain: 'base', address: owner.address }];
  const token = await tokenFor(market.url, { email: `owner${people}@example.com`, wallets });
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  const agent = await registerAgent(market.url, {}, { key: token });
  const provider = { ...agent, owner, headers: { authorization: `Bearer ${agent.key}` } };
  return { ...provider, token, service: await listService(market.url, provider) };
}

const changeByToken = ({ id, token }: Owned, body: Record<string, unknown>): Promise<Envelope> =>
  expectCall(market.url, 200, `PATCH /api/agents/${id}`, { key: token, body });
const readOwn = ({ key }: Owned): Promise<Envelope> => expectCall(market.url, 200, 'GET /api/agents/me', { key });

/** Changes fields with the account's token and a custody signature of a wallet. */
async function changeByWallet({ id, token }: Owned, wallet: TestWallet, body: Record<string, unknown>): Promise<Envelope> {
  const custody = await signedFor(market.url, wallet, { method: 'PATCH', path: `/api/agents/${id}`, body });
  return await expectCall(market.url, 200, `PATCH /api/agents/${id}`, { key: token, headers: asHeaders(custody), body });
}

/** The agent's own wallet, which is paid while no address is set. */
async function ownAddressOf({ id }: Owned): Promise<string> {
  const { rows } = await market.database.pool.query(`select address from agent_wallets where agent_id = $1 and kind = 'evm'`, [id]);
  return rows[0].address;
}

async function titlesOf({ token }: Owned): Promise<string[]> {
  const list = (await expectCall(market.url, 200, 'GET /api/notifications', { key: token })) as unknown as { title: string }[];
  return list.map(({ title }) => title);
}

async function deliveredOrder(provider: Owned): Promise<string> {
  const order = await placeOrder(market.url, provider.service, buyer);
  await payOrder(market.url, order, buyer);
  assert.equal((await deliver(market.url, order, provider)).status, 200);
  return order;
}

/** Approves, and returns the destination of the provider's share. */
async function destinationOf(order: string): Promise<string> {
  const approved = await act(market.url, order, buyer, 'approve');
  assert.equal(approved.status, 200, JSON.stringify(approved.body));
  return (await readOrder(market.url, order, buyer)).money.payout.destination;
}

test('M26: a payout change by sign-in waits 24 hours and is announced; payouts until then go to the old address', async () => {
  const provider = await openOwned();
  const next = baseWallet().address;
  const [early, late] = [await deliveredOrder(provider), await deliveredOrder(provider)];
  const answer = await changeByToken(provider, { payout_address_base: next });
  assert.equal(answer['payout_address_base'], null);
  assert.equal(answer['pending_payout'].payout_address_base, next);
  assert.match(answer['pending_payout'].effective_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.deepEqual((await readOwn(provider))['pending_payout'], answer['pending_payout']);
  await until('the notice', async () => ((await titlesOf(provider)).includes('Payout address will change') ? true : undefined));
  assert.equal(await destinationOf(early), await ownAddressOf(provider));

  await advanceClock(market.url, 23 * HOUR);
  assert.equal((await readOwn(provider))['payout_address_base'], null);
  await advanceClock(market.url, HOUR + 5);
  await until('the change', async () => ((await readOwn(provider))['payout_address_base'] === next ? true : undefined));
  assert.equal((await readOwn(provider))['pending_payout'], null);
  assert.equal(await destinationOf(late), next);
  await until('the word', async () => ((await titlesOf(provider)).includes('Payout address changed') ? true : undefined));
});

test('M26: the owner can cancel a waiting payout change, key and strangers cannot, and then its timer changes nothing', async () => {
  const provider = await openOwned();
  const waiting = (await changeByToken(provider, { payout_address_base: baseWallet().address }))['pending_payout'];
  const route = `DELETE /api/agents/${provider.id}/payout-change` as const;
  assert.equal((await call(market.url, route)).status, 401);
  assert.equal((await call(market.url, route, { key: provider.key })).status, 403);
  assert.equal((await call(market.url, route, { headers: asHeaders(await signed(baseWallet())) })).status, 403);
  assert.deepEqual((await readOwn(provider))['pending_payout'], waiting);
  const answer = await expectCall(market.url, 200, route, { key: provider.token });
  assert.deepEqual([answer['pending_payout'], answer['payout_address_base']], [null, null]);
  await expectCall(market.url, 200, route, { key: provider.token });
  await advanceClock(market.url, 25 * HOUR);
  await until('the timer', async () => {
    const { rows } = await market.database.pool.query(`select 1 from jobs where payload ->> 'agent_id' = $1 and kind like 'agent.apply%'`, [
      provider.id,
    ]);
    return rows.length === 0 ? true : undefined;
  });
  assert.equal((await readOwn(provider))['payout_address_base'], null);
  assert.equal((await titlesOf(provider)).filter((title) => title === 'Change of the payout cancelled').length, 1);
});

test('M26: a payout change signed by a wallet linked for a day takes effect at once and replaces a waiting one', async () => {
  const provider = await openOwned();
  const [thiefs, owners] = [baseWallet().address, baseWallet().address];
  // A link made today, or a wallet that is not linked, proves nothing here.
  for (const wallet of [provider.owner, baseWallet()]) {
    const held = await changeByWallet(provider, wallet, { payout_address_base: thiefs });
    assert.deepEqual([held['payout_address_base'], held['pending_payout'].payout_address_base], [null, thiefs]);
  }
  await advanceClock(market.url, 12 * HOUR);
  await changeByToken(provider, { payout_address_base: thiefs });
  await advanceClock(market.url, 12 * HOUR + 5);
  const answer = await changeByWallet(provider, provider.owner, { payout_address_base: owners });
  assert.deepEqual([answer['payout_address_base'], answer['pending_payout']], [owners, null]);
  assert.equal(await destinationOf(await deliveredOrder(provider)), owners);
  await advanceClock(market.url, 25 * HOUR);
  assert.equal((await readOwn(provider))['payout_address_base'], owners);
});

test('M26: a second payout change by sign-in restarts the wait, and naming the present address cancels it', async () => {
  const provider = await openOwned();
  const [first, second] = [baseWallet().address, baseWallet().address];
  await changeByToken(provider, { payout_address_base: first });
  await advanceClock(market.url, 20 * HOUR);
  await changeByToken(provider, { payout_address_base: second });
  await advanceClock(market.url, 5 * HOUR);
  const waiting = await readOwn(provider);
  assert.deepEqual([waiting['payout_address_base'], waiting['pending_payout']?.payout_address_base], [null, second]);
  const back = await changeByToken(provider, { payout_address_base: null });
  assert.deepEqual([back['payout_address_base'], back['pending_payout']], [null, null]);
});

test('V04: the account that an owner wallet is linked to does not change the payout of the wallet’s agent', async () => {
  const { owner, token } = await openOwned();
  const agent = await registerAgent(market.url, { owner_wallet: owner.address, ...(await signed(owner)) });
  const body = { payout_address_base: baseWallet().address };
  const path = `/api/agents/${agent.id}` as const;
  const byAccount = await call(market.url, `PATCH ${path}`, { key: token, body });
  assert.deepEqual([byAccount.status, byAccount.body['code']], [403, 'owner_proof_required']);
  const custody = asHeaders(await signedFor(market.url, owner, { method: 'PATCH', path, body }));
  const changed = await expectCall(market.url, 200, `PATCH ${path}`, { headers: custody, body });
  assert.deepEqual([changed['payout_address_base'], changed['pending_payout']], [body.payout_address_base, null]);
});

test('V04: a waiting payout change of an account ends if the agent belongs to a wallet at its time', async () => {
  const provider = await openOwned();
  await changeByToken(provider, { payout_address_base: baseWallet().address });
  // The state that releases before the authority table left.
  await market.database.pool.query('update agents set owner_wallet = $2 where id = $1', [provider.id, provider.owner.address]);
  await advanceClock(market.url, 25 * HOUR);
  await until('the end of the wait', async () => ((await readOwn(provider))['pending_payout'] === null ? true : undefined));
  assert.equal((await readOwn(provider))['payout_address_base'], null);
  await until('the notice', async () => ((await titlesOf(provider)).includes('Change of the payout cancelled') ? true : undefined));
});

test('M26: selecting another payout chain with known addresses does not wait, nor does a change by an ownerless agent’s key', async () => {
  const provider = await openOwned();
  await changeByToken(provider, { payout_address_base: baseWallet().address });
  await advanceClock(market.url, 25 * HOUR);
  await until('the change', async () => ((await readOwn(provider))['pending_payout'] === null ? true : undefined));
  assert.deepEqual((await changeByToken(provider, { payout_chain: 'base' }))['pending_payout'], null);
  const alone = await registerAgent(market.url);
  const next = baseWallet().address;
  const answer = await expectCall(market.url, 200, 'PATCH /api/agents/me', { key: alone.key, body: { payout_address_base: next } });
  assert.deepEqual([answer['payout_address_base'], answer['pending_payout']], [next, null]);
});
