/** Closing an account must not reach beyond its owner: to agents that a wallet owns or disputes, or links that a wallet undid. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent, type TestAgent } from '../../harness/agents.ts';
import { type Account, openAccount, requireOutcomes } from '../../harness/authority.ts';
import { type CallOptions, call, expectCall } from '../../harness/http.ts';
import { openMarket, type TestMarket } from '../../harness/market.ts';
import { advanceClock } from '../../harness/orders.ts';
import { asHeaders, baseWallet, linkWallet, signed, signedFor, type TestWallet, tokenFor } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

const DAY = 24 * 3600 + 5;
const CLOSE = '/api/account/close';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const send = (route: `${string} /${string}`, options: CallOptions = {}) => call(market.url, route, options);

/** Signs the person in again, because yesterday's token has expired. */
const signInAgain = (account: Account, ...wallets: readonly TestWallet[]) =>
  tokenFor(market.url, { email: account.email, wallets: wallets.map(({ chain, address }) => ({ chain, address })) });

/** Links the wallet to the account, and registers an agent that both own. */
async function registerShared(wallet: TestWallet, account: Account): Promise<TestAgent> {
  await linkWallet(market.url, account.token, wallet);
  const { wallet: owner_wallet, ...proof } = await signed(wallet);
  return await registerAgent(market.url, { owner_wallet, ...proof }, { key: account.token });
}

const undo = async (wallet: TestWallet) =>
  await expectCall(market.url, 200, `DELETE /api/auth/links/${wallet.address}`, { headers: asHeaders(await signed(wallet)) });

/** Closes with the account's token and a custody signature of a wallet linked for a day. */
async function closeAtOnce(key: string, settled: TestWallet) {
  const body = { close_agents: true };
  const proof = await signedFor(market.url, settled, { method: 'POST', path: CLOSE, body });
  return await send(`POST /${CLOSE.slice(1)}`, { key, body: { ...body, ...proof } });
}

test('V01, Y10: an account alone, however long it waits, does not close an agent that a wallet owns', async () => {
  const [wallet, account] = [baseWallet(), await openAccount(market.url)];
  const agent = await registerShared(wallet, account);
  const directly = await send(`POST /api/agents/${agent.id}/close`, { key: account.token, body: {} });
  // A stolen sign-in token is enough for this request.
  const asked = await send(`POST ${CLOSE}`, { key: account.token, body: { close_agents: true } });
  await advanceClock(market.url, DAY);
  const moveId = asked.body['data']?.move_id;
  if (moveId !== undefined) {
    await until('the move ends', async () => {
      const { rows } = await market.database.pool.query('select state from delayed_moves where id = $1', [moveId]);
      return rows[0]?.state === 'waiting' ? undefined : true;
    });
  }
  requireOutcomes({
    'closing the agent itself': [directly, '401 custody_signature_required'],
    'the agent afterwards': [await send(`GET /api/agents/${agent.id}`), '200'],
    'its key afterwards': [await send('GET /api/agents/me', { key: agent.key }), '200'],
  });
});

test('V03, Y10: an account whose link a wallet undid does not close the agent that both own, not even with another wallet', async () => {
  const [wallet, own] = [baseWallet(), baseWallet()];
  const account = await openAccount(market.url, own);
  const agent = await registerShared(wallet, account);
  await advanceClock(market.url, DAY);
  await undo(wallet);
  const key = await signInAgain(account, own);
  const path = `/api/agents/${agent.id}/close` as const;
  const directly = await send(`POST ${path}`, { key, body: await signedFor(market.url, own, { method: 'POST', path, body: {} }) });
  await closeAtOnce(key, own);
  requireOutcomes({
    'closing the agent itself': [directly, '409 owner_conflict'],
    'the agent afterwards': [await send(`GET /api/agents/${agent.id}`), '200'],
    'its key afterwards': [await send('GET /api/agents/me', { key: agent.key }), '200'],
  });
});

test('V03, Y10: a link that a wallet undid stays undone when the account closes and signs in again', async () => {
  const [wallet, own] = [baseWallet(), baseWallet()];
  const account = await openAccount(market.url, wallet, own);
  await advanceClock(market.url, DAY);
  await undo(wallet);
  const linkedTo = async () => {
    const key = await signInAgain(account, wallet, own);
    const { wallets } = await expectCall(market.url, 200, 'POST /api/auth/user', { key });
    return { key, addresses: wallets.map(({ address }: { address: string }) => address) as string[] };
  };
  const before = await linkedTo();
  assert.ok(!before.addresses.includes(wallet.address), 'the claim of the provider alone links nothing');
  const closed = await closeAtOnce(before.key, own);
  assert.equal(closed.body['data']?.status, 'closed', JSON.stringify(closed.body));
  const again = await linkedTo();
  requireOutcomes({ 'linked again without the wallet': [again.addresses.includes(wallet.address), false] });
});
