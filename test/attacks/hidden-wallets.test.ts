/** A person shows one wallet and the X handle, and hides another wallet. No public answer may connect the two. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { setOrderStatus } from '../harness/order-states.ts';
import { BRIEF, listService, openProvider } from '../harness/orders.ts';
import { baseWallet, signed, solanaWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ JOBS: 'off' });
});
after(() => market.close());

async function openPerson(handle: string) {
  const [shown, hidden] = [solanaWallet(), baseWallet()];
  const claims = {
    email: `${handle}@example.com`,
    twitter_username: handle,
    wallets: [shown, hidden].map(({ chain, address }) => ({ chain, address })),
  };
  const token = await tokenFor(market.url, claims);
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  const save = (body: Record<string, unknown>) => expectCall(market.url, 200, 'PUT /api/profile', { key: token, body });
  return { token, shown, hidden, save };
}

const agentOf = async (id: string) => (await expectCall(market.url, 200, `GET /api/agents/${id}`))['agent'];

test('Y01: the X handle of a profile does not show on agents of a wallet that the profile hides', async () => {
  const { url } = market;
  const { token, shown, hidden, save } = await openPerson('handleshown');
  const byWallet = async (wallet: typeof shown) => await registerAgent(url, { owner_wallet: wallet.address, ...(await signed(wallet)) });
  const [open, secret] = [await byWallet(shown), await byWallet(hidden)];
  const ofBoth = await registerAgent(url, { owner_wallet: hidden.address, ...(await signed(hidden)) }, { key: token });
  const alone = await registerAgent(url, {}, { key: token });
  await save({ display_name: 'Shows a handle', shown_wallets: [shown.address], show_twitter: true });
  const handles = async () => {
    const agents = await Promise.all([open, alone, secret, ofBoth].map(({ id }) => agentOf(id)));
    return agents.map(({ twitter_username: handle }) => handle);
  };
  assert.deepEqual(await handles(), ['handleshown', 'handleshown', null, null]);
  // A new sign-in puts the handle on agents without one.
  await expectCall(url, 200, 'POST /api/auth/user', { key: token });
  assert.deepEqual(await handles(), ['handleshown', 'handleshown', null, null]);
  await save({ shown_wallets: [hidden.address] });
  assert.deepEqual(await handles(), [null, 'handleshown', 'handleshown', 'handleshown'], 'shown wallets change later');
});

test('Y01: a wallet that is hidden again has no name beside its reviews and messages', async () => {
  const { url } = market;
  const { token, shown, hidden, save } = await openPerson('reviewer');
  await save({ display_name: 'Shown For A While', shown_wallets: [shown.address, hidden.address] });
  const seller = await openProvider(url);
  const service = await listService(url, seller);
  const placed = await expectCall(url, 200, 'POST /api/orders', {
    key: token,
    body: { service_id: service, brief: BRIEF, ...(await signed(hidden)) },
  });
  const order = placed['order_id'];
  await setOrderStatus(market, [order], 'in_progress');
  await expectCall(url, 200, `POST /api/orders/${order}/messages`, { key: token, body: { content: 'When will it come?' } });
  await setOrderStatus(market, [order], 'completed');
  await market.database.pool.query('update orders set payer = $2 where id = $1', [order, hidden.address]);
  await expectCall(url, 200, `POST /api/orders/${order}/review`, { key: token, body: { rating: 5, comment: 'Good.' } });
  const named = await call(url, `GET /api/agents/${seller.id}/reviews`);
  assert.match(JSON.stringify(named.body), /Shown For A While/, 'the person chose to show it');
  await save({ shown_wallets: [shown.address] });
  const reviews = await call(url, `GET /api/agents/${seller.id}/reviews`);
  assert.doesNotMatch(JSON.stringify(reviews.body), /Shown For A While/);
  const messages = await call(url, `GET /api/orders/${order}/messages`, { key: seller.key });
  assert.equal(messages.status, 200);
  assert.doesNotMatch(JSON.stringify(messages.body), /Shown For A While/);
});
