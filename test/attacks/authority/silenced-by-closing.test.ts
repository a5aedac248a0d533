/** A closing removes what one person wrote. It must not remove notices that others rely on. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fundWallet, openAccountAgent } from '../../agent-wallets/stage.ts';
import { registerAgent } from '../../harness/agents.ts';
import { openAccount, requireOutcomes } from '../../harness/authority.ts';
import { type CallOptions, call, type Envelope, expectCall, type Reply } from '../../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { advanceClock } from '../../harness/orders.ts';
import { freshAddress } from '../../harness/payers.ts';
import { asHeaders, baseWallet, linkWallet, signed, signedFor, type TestWallet } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket(withOwnChains);
});
after(() => market.close());

const send = (route: `${string} /${string}`, options: CallOptions = {}) => call(market.url, route, options);
const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });
const rowsOf = ({ body }: Reply) => body['data'] as readonly Envelope[];

const noticesOf = async (options: CallOptions): Promise<string> =>
  JSON.stringify(rowsOf(await send('GET /api/notifications', options)).map(({ title, body }) => `${title}: ${body}`));

test('V23: a stolen account does not erase notices of its waiting moves by closing a wallet that the thief linked', async () => {
  const owner = baseWallet();
  const account = await openAccount(market.url);
  await linkWallet(market.url, account.token, owner);
  const agent = await registerAgent(market.url, {}, { key: account.token });
  const { token } = account;

  // The thief has the account's token and a wallet of its own.
  const [tool, loot] = [baseWallet(), baseWallet().address];
  await linkWallet(market.url, token, tool);
  const asked = await expectCall(market.url, 200, `PUT /api/agents/${agent.id}/withdraw-address`, {
    key: token,
    body: { withdraw_address_base: loot },
  });
  await expectCall(market.url, 200, `PATCH /api/agents/${agent.id}`, { key: token, body: { payout_address_base: loot } });
  await expectCall(market.url, 200, 'POST /api/agents/recover', { key: token, body: {} });
  await until('the notices', async () => {
    const seen = await noticesOf(await by(owner));
    return seen.includes(loot) && seen.includes('linked') && (seen.match(/[Kk]ey/g) ?? []).length > 0 ? true : undefined;
  });
  const ofOwnerBefore = await noticesOf(await by(owner));

  const body = {};
  const proof = await signedFor(market.url, tool, { method: 'POST', path: '/api/account/close', body });
  const closed = await send('POST /api/account/close', { body: { ...body, ...proof } });
  const [ofOwner, ofAccount] = [await noticesOf(await by(owner)), await noticesOf({ key: token })];
  const events = JSON.stringify((await send('GET /api/events?limit=100', await by(owner))).body);
  requireOutcomes({
    'the move': [asked['status'], 'waiting'],
    'the closing of the thief’s wallet': [closed.body['data']?.status, 'closed'],
    'the owner’s wallet still reads where the money will go': [ofOwner.includes(loot), true],
    'the account still reads it': [ofAccount.includes(loot), true],
    'the owner’s wallet still reads of the new link': [ofOwner.includes(tool.address), ofOwnerBefore.includes(tool.address)],
    'events still say what waits': [events.includes(loot), true],
  });
});

test('V23: the only notice of money that leaves in a day stays, even if a wallet that the thief linked closes', async () => {
  const owner = baseWallet();
  const agent = await openAccountAgent(market.url, owner);
  await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 5_000_000n });
  // The thief has the account's token, and needs it once.
  const [tool, loot] = [baseWallet(), freshAddress('base-mainnet')];
  await linkWallet(market.url, agent.token, tool);
  const asked = await send(`POST /api/agents/${agent.id}/wallet/send`, { key: agent.token, body: { chain: 'base', to: loot } });
  const about = async (options: CallOptions) => (await noticesOf(options)).includes(loot);
  await until('the notice', async () => ((await about(await by(owner))) ? true : undefined));
  const proof = await signedFor(market.url, tool, { method: 'POST', path: '/api/account/close', body: {} });
  const closed = await send('POST /api/account/close', { body: proof });
  const [ofWallet, ofAccount, ofAgent] = [
    await about(await by(owner)),
    await about({ key: agent.token }),
    await send('GET /api/events', { key: agent.key }),
  ];
  await advanceClock(market.url, 24 * 3600 + 5);
  const arrived = await until('the end of the move', async () => {
    const { rows } = await market.database.pool.query('select state from delayed_moves where id = $1', [asked.body['data']?.move_id]);
    if (rows[0]?.state !== 'done') return undefined;
    return (await market.chains.get('base-mainnet')?.readBalances(loot))?.usdcMicros || undefined;
  });
  assert.equal(arrived, 5_000_000n, 'what the thief has a day later');
  requireOutcomes({
    'the move': [asked.body['data']?.status, 'waiting'],
    'the closing of the thief’s wallet': [closed.body['data']?.status, 'closed'],
    'the owner’s wallet reads where the money will go': [ofWallet, true],
    'the account reads it': [ofAccount, true],
    'the agent reads it in its events': [JSON.stringify(ofAgent.body).includes(loot), true],
  });
});

test('V23: an account without a wallet keeps its notices when the first wallet, which a thief linked, closes', async () => {
  const account = await openAccount(market.url);
  const { token } = account;
  const agent = await registerAgent(market.url, {}, { key: token });
  const [tool, loot] = [baseWallet(), baseWallet().address];
  await linkWallet(market.url, token, tool);
  const asked = await expectCall(market.url, 200, `PUT /api/agents/${agent.id}/withdraw-address`, {
    key: token,
    body: { withdraw_address_base: loot },
  });
  const payout = baseWallet().address;
  const change = await send(`PATCH /api/agents/${agent.id}`, { key: token, body: { payout_address_base: payout } });
  await until('the notices', async () => {
    const seen = await noticesOf({ key: token });
    return [loot, payout, tool.address].every((address) => seen.includes(address)) ? true : undefined;
  });
  const proof = await signedFor(market.url, tool, { method: 'POST', path: '/api/account/close', body: {} });
  const closed = await send('POST /api/account/close', { body: proof });
  const left = await noticesOf({ key: token });
  requireOutcomes({
    'the move': [asked['status'], 'waiting'],
    'the closing of the thief’s wallet': [closed.body['data']?.status, 'closed'],
    'the change of the payout': [change, '200'],
    'the account reads where the money will go': [left.includes(loot), true],
    'the account reads where the agent will be paid': [left.includes(payout), true],
    'the account reads of the new link': [left.includes(tool.address), true],
    'the closed wallet reads nothing': [(await noticesOf(await by(tool))).includes(loot), false],
  });
});
