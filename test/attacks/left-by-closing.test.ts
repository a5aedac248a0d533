/** What an account wrote through its links ends with the link: its X handle on agents, its id in notices of wallets. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { requireOutcomes } from '../harness/authority.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, baseWallet, linkWallet, signed, tokenFor } from '../harness/people.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ PAYOUT_CHANGE_DELAY_HOURS: '0' });
});
after(() => market.close());

let people = 0;

/** An account with a public X handle and two linked wallets. The first wallet owns an agent. */
async function openPerson() {
  people += 1;
  const handle = `quistgaard${people}`;
  const email = `${handle}@example.com`;
  const [wallet, other] = [baseWallet(), baseWallet()];
  const agent = await registerOwnedAgent(market.url, wallet);
  const token = await tokenFor(market.url, { email, twitter_username: handle });
  const { user } = await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  for (const one of [wallet, other]) await linkWallet(market.url, token, one);
  await expectCall(market.url, 200, 'PUT /api/profile', { key: token, body: { display_name: 'Q', show_twitter: true } });
  const seen = async () => {
    const { body } = await call(market.url, `GET /api/agents/${agent.id}`);
    return JSON.stringify(body).includes(handle);
  };
  const stored = async () => {
    const { rows } = await market.database.pool.query('select twitter_username from agents where id = $1', [agent.id]);
    return rows[0].twitter_username as string | null;
  };
  return { handle, id: user.idp_user_id as string, token, wallet, seen, stored };
}

test('Y10, Y01: a closing account leaves its X handle on no agent of its linked wallets', async () => {
  const { handle, id, token, wallet, stored } = await openPerson();
  assert.equal(await stored(), handle, 'the agent shows it while the wallet is linked');
  const noticesOf = async () =>
    JSON.stringify((await call(market.url, 'GET /api/notifications', { headers: asHeaders(await signed(wallet)) })).body);
  await until('the notice of the second link', async () => ((await noticesOf()).includes('as your wallet is') ? true : undefined));
  await expectCall(market.url, 200, 'POST /api/account/close', { key: token, body: {} });
  requireOutcomes({
    'the handle on the agent': [await stored(), null],
    'the id at the identity provider in the notice of a wallet': [(await noticesOf()).includes(id), false],
  });
  assert.deepEqual((await findBroken(market.database)).broken, []);
});

test('Y01: when a wallet undoes its link, the X handle of the account leaves its agents', async () => {
  const { handle, token, wallet, stored } = await openPerson();
  assert.equal(await stored(), handle);
  await expectCall(market.url, 200, `DELETE /api/auth/links/${wallet.address}`, { headers: asHeaders(await signed(wallet)) });
  const parted = await stored();
  // Removing the profile would no longer reach the agent.
  await expectCall(market.url, 200, 'DELETE /api/profile', { key: token });
  requireOutcomes({ 'after the link': [parted, null], 'after the removal of the profile': [await stored(), null] });
  assert.deepEqual((await findBroken(market.database)).broken, []);
});

test('Y01: agents of a hidden wallet do not show the X handle of its account', async () => {
  const { token, wallet, seen } = await openPerson();
  const save = (shown_wallets: readonly string[]) =>
    expectCall(market.url, 200, 'PUT /api/profile', { key: token, body: { shown_wallets } });
  const hidden = await seen();
  await save([wallet.address]);
  const shown = await seen();
  await save([]);
  requireOutcomes({
    'while the wallet is hidden': [hidden, false],
    'while it is shown': [shown, true],
    'hidden again': [await seen(), false],
  });
  assert.deepEqual((await findBroken(market.database)).broken, []);
});
