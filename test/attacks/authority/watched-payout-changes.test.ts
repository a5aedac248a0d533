/** Payout changes of a stolen account wait like its other moves: the wallets that watch the account are notified, see and cancel them. */
import { after, before, test } from 'node:test';
import { registerAgent } from '../../harness/agents.ts';
import { openAccount, requireOutcomes } from '../../harness/authority.ts';
import { type CallOptions, call, type Envelope, expectCall, type Reply } from '../../harness/http.ts';
import { openMarket, type TestMarket } from '../../harness/market.ts';
import { advanceClock } from '../../harness/orders.ts';
import { asHeaders, baseWallet, linkWallet, signed, solanaWallet, type TestWallet } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ OUTBOUND_ALLOW: '127.0.0.1' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options: CallOptions = {}) => call(market.url, route, options);
const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });
const rowsOf = ({ body }: Reply) => body['data'] as readonly Envelope[];

const noticesOf = async (options: CallOptions, type: string, text: string): Promise<readonly Envelope[]> =>
  rowsOf(await send('GET /api/notifications', options)).filter((row) => row['type'] === type && String(row['body']).includes(text));
const noticed = async (wallet: TestWallet, type: string, text: string): Promise<Envelope> =>
  await until(`the notice ${type}`, async () => (await noticesOf(await by(wallet), type, text))[0]);
const movesOf = async (wallet: TestWallet, query = '') => rowsOf(await send(`GET /api/moves${query}`, await by(wallet)));

/** An account with a linked wallet and an agent, and a thief with its token who asks for another payout address. */
async function openRobbed() {
  const owner = baseWallet();
  const account = await openAccount(market.url);
  await linkWallet(market.url, account.token, owner);
  const agent = await registerAgent(market.url, { endpoint_url: 'http://127.0.0.1:9/hook' }, { key: account.token });
  const thief = solanaWallet().address;
  const ask = async (payout_wallet = thief) =>
    await expectCall(market.url, 200, `PATCH /api/agents/${agent.id}`, { key: account.token, body: { payout_wallet } });
  const read = async () => await expectCall(market.url, 200, 'GET /api/agents/me', { key: agent.key });
  const cancelRoute = `DELETE /api/agents/${agent.id}/payout-change` as const;
  return { owner, account, agent, thief, ask, read, cancelRoute };
}

async function unlink(token: string): Promise<void> {
  const { wallets } = await expectCall(market.url, 200, 'GET /api/auth/user', { key: token });
  await expectCall(market.url, 200, `DELETE /api/auth/wallets/${wallets[0].id}`, { key: token });
}

test('V23: a linked wallet learns of a payout change that a stolen account asks for, and cancels it', async () => {
  const { owner, account, agent, thief, ask, read, cancelRoute } = await openRobbed();
  await ask();
  const notice = await noticed(owner, 'payout_change_requested', thief);
  const stranger = await send(cancelRoute, await by(baseWallet()));
  const cancelled = await send(cancelRoute, await by(owner));
  const again = await send(cancelRoute, await by(owner));
  const ofAccount = await send(cancelRoute, { key: account.token });
  await noticed(owner, 'payout_change_cancelled', '');
  await advanceClock(market.url, 24 * 3600 + 60);
  await until('the job', async () => {
    const { rows } = await market.database.pool.query(`select 1 from jobs where payload ->> 'agent_id' = $1 and kind like 'agent.apply%'`, [
      agent.id,
    ]);
    return rows.length === 0 ? true : undefined;
  });
  requireOutcomes({
    'the notice names the call that cancels': [String(notice['body']).includes(cancelRoute), true],
    'the notice leads to': [notice['link'], '/sell/wallet'],
    'notices that the account reads': [(await noticesOf({ key: account.token }, 'payout_change_requested', thief)).length, 1],
    'a stranger cancels': [stranger, '403 forbidden'],
    'the linked wallet cancels': [cancelled, '200'],
    'what the wallet reads': [Object.keys(cancelled.body['data'] ?? {}).join(), 'id,agent_id,name,pending_payout'],
    'it cancels again': [again, '404 payout_change_not_found'],
    'the account cancels again': [ofAccount, '200'],
    'the account reads its agent': [ofAccount.body['data']?.endpoint_url, 'http://127.0.0.1:9/hook'],
    'the endpoint of the agent': [(await read())['endpoint_url'], 'http://127.0.0.1:9/hook'],
    'where the agent is paid a day later': [(await read())['payout_wallet'], null],
  });
});

test('V23: a waiting payout change is in the list of moves of the account and its linked wallet, which cancels it there', async () => {
  const { owner, account, agent, thief, ask, read } = await openRobbed();
  const body = { withdraw_address_base: baseWallet().address };
  await expectCall(market.url, 200, `PUT /api/agents/${agent.id}/withdraw-address`, { key: account.token, body });
  await advanceClock(market.url, 60);
  await ask();
  const [first, second, ...others] = await movesOf(owner, '?status=open');
  const page = await send('GET /api/moves?limit=1', await by(owner));
  const next = await movesOf(owner, `?limit=1&cursor=${page.body['next_cursor']}`);
  const ofAccount = rowsOf(await send('GET /api/moves', { key: account.token }));
  const route = `DELETE /api/moves/${first?.['id']}` as const;
  const stranger = await send(route, await by(baseWallet()));
  const byKey = await send(route, { key: agent.key });
  // A newer change is a new move.
  await advanceClock(market.url, 60);
  await ask(solanaWallet().address);
  const replaced = await send(route, await by(owner));
  const [newer] = await movesOf(owner, '?status=open');
  const cancelled = await send(`DELETE /api/moves/${newer?.['id']}`, await by(owner));
  const pending = (await read())['pending_payout'];
  requireOutcomes({
    'kinds, the newest first': [[first?.['kind'], second?.['kind'], others.length].join(), 'payout_change,withdraw_address,0'],
    summary: [String(first?.['summary']).startsWith(`Pay “${first?.['agent_name']}” to ${thief}`), true],
    agent: [first?.['agent_id'], agent.id],
    'total of a page': [page.body['total'], 2],
    'the pages': [[...rowsOf(page), ...next].map(({ id }) => id).join(), [first?.['id'], second?.['id']].join()],
    'the account sees': [ofAccount.map(({ id }) => id).join(), [first?.['id'], second?.['id']].join()],
    'a stranger cancels': [stranger, '404 move_not_found'],
    'the agent’s key cancels': [byKey.status, 403],
    'the replaced one': [replaced, '404 move_not_found'],
    'the linked wallet cancels': [cancelled, '200'],
    'it is': [cancelled.body['data']?.status, 'cancelled'],
    'what waits then': [pending, null],
    'open moves then': [(await movesOf(owner, '?status=open')).length, 1],
  });
});

test('V23: a wallet that a stolen account unlinked cancels its payout change; one that undid its link sees none', async () => {
  const [silenced, former] = [await openRobbed(), await openRobbed()];
  await advanceClock(market.url, 24 * 3600 + 60);
  await unlink(silenced.account.token);
  await expectCall(market.url, 200, `DELETE /api/auth/links/${former.owner.address}`, await by(former.owner));
  // One hour before the week after unlinking ends, so that the move's wait outlasts it.
  await advanceClock(market.url, 7 * 86_400 - 3600);
  await silenced.ask();
  await former.ask();
  await noticed(silenced.owner, 'payout_change_requested', silenced.thief);
  await advanceClock(market.url, 2 * 3600);
  requireOutcomes({
    'the unlinked wallet sees': [(await movesOf(silenced.owner)).length, 1],
    'the unlinked wallet cancels': [await send(silenced.cancelRoute, await by(silenced.owner)), '200'],
    'a week after that': [await send(silenced.cancelRoute, await by(silenced.owner)), '403 forbidden'],
    'the former wallet sees': [(await movesOf(former.owner)).length, 0],
    'its notices': [(await noticesOf(await by(former.owner), 'payout_change_requested', former.thief)).length, 0],
    'the former wallet cancels': [await send(former.cancelRoute, await by(former.owner)), '403 forbidden'],
  });
});
