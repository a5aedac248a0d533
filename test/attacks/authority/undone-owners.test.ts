/** A wallet and an account own one agent, and their link is undone: neither decides alone until the wallet has chosen. */
import { after, before, test } from 'node:test';
import { registerAgent, type TestAgent } from '../../harness/agents.ts';
import { type Account, openAccount, requireOutcomes } from '../../harness/authority.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../../harness/http.ts';
import { openMarket, type TestMarket } from '../../harness/market.ts';
import { agreed, asHeaders, baseWallet, linkWallet, signed, signedFor, type TestWallet } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ OUTBOUND_ALLOW: '127.0.0.1' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options: CallOptions = {}) => call(market.url, route, options);

interface Shared {
  readonly wallet: TestWallet;
  readonly account: Account;
  /** Owned by wallet and account. */
  readonly agent: TestAgent;
}

async function openShared(): Promise<Shared> {
  const wallet = baseWallet();
  const account = await openAccount(market.url);
  await linkWallet(market.url, account.token, wallet);
  const { wallet: owner_wallet, ...proof } = await signed(wallet);
  const fields = { owner_wallet, ...proof, endpoint_url: 'http://127.0.0.1:9/hook' };
  return { wallet, account, agent: await registerAgent(market.url, fields, { key: account.token }) };
}

/** Sends the call with a custody signature of the wallet. */
async function byWallet({ wallet }: Shared, route: `${string} /${string}`, body: Envelope = {}) {
  const [method = '', path = ''] = route.split(' ');
  return await send(route, { headers: asHeaders(await signedFor(market.url, wallet, { method, path, body })), body });
}

const undoings: Readonly<Record<string, (shared: Shared) => Promise<unknown>>> = {
  'the wallet undid': async ({ wallet }) =>
    await expectCall(market.url, 200, `DELETE /api/auth/links/${wallet.address}`, { headers: asHeaders(await signed(wallet)) }),
  'the account undid': async ({ account }) => {
    const { wallets } = await expectCall(market.url, 200, 'GET /api/auth/user', { key: account.token });
    return await expectCall(market.url, 200, `DELETE /api/auth/wallets/${wallets[0].id}`, { key: account.token });
  },
};

const secretShownTo = async (options: CallOptions, { id }: TestAgent) =>
  (await send(`PATCH /api/agents/${id}`, { ...options, body: { ai_models: ['one'] } })).body['data']?.webhook_secret;

for (const [who, undo] of Object.entries(undoings)) {
  test(`V01, V03: after a link that ${who}, account and wallet neither move, grant nor recover their agent; its work goes on`, async () => {
    const shared = await openShared();
    const { account, agent, wallet } = shared;
    const byAccount = { key: account.token };
    const at = `/api/agents/${agent.id}` as const;
    requireOutcomes({ 'recovered before': [await send('POST /api/agents/recover', { ...byAccount, body: {} }), '200'] });
    await undo(shared);
    const payout = { payout_address_base: baseWallet().address };
    const policy = { per_day_usd: '1.00' };
    requireOutcomes({
      'the account recovers the key': [await send('POST /api/agents/recover', { ...byAccount, body: {} }), '409 owner_conflict'],
      'the account replaces the key': [await send(`POST ${at}/rotate-key`, byAccount), '409 owner_conflict'],
      'the account sets limits': [
        await send(`PUT /api/spending/policies/agent/${agent.id}`, { ...byAccount, body: policy }),
        '409 owner_conflict',
      ],
      'the account changes the payout': [await send(`PATCH ${at}`, { ...byAccount, body: payout }), '409 owner_conflict'],
      'the account exports': [await send(`POST ${at}/export-key`, { ...byAccount, body: { chain: 'base' } }), '409 owner_conflict'],
      'the account reads the webhook secret': [await secretShownTo(byAccount, agent), null],
      'the wallet recovers the key': [await send('POST /api/agents/recover', { body: await signed(wallet) }), '409 owner_conflict'],
      'the wallet replaces the key': [await byWallet(shared, `POST ${at}/rotate-key`), '409 owner_conflict'],
      'the wallet changes the payout': [await byWallet(shared, `PATCH ${at}`, payout), '409 owner_conflict'],
      'the key works': [await send('GET /api/agents/me', { key: agent.key }), '200'],
    });
    const notice = await until('the notice', async () => {
      const notices = (await expectCall(market.url, 200, 'GET /api/notifications', byAccount)) as unknown as readonly Envelope[];
      return notices.find(({ type, title }) => type === 'owner_conflict' && String(title).includes(agent.name));
    });
    const ofWallet = (await send('GET /api/notifications', { headers: asHeaders(await signed(wallet)) })).body['data'] as Envelope[];
    requireOutcomes({
      'the notice says how the wallet decides': [String(notice['body']).includes(`PATCH ${at} with idp_user_id null`), true],
      'the wallet reads it': [ofWallet.some(({ type }) => type === 'owner_conflict'), true],
    });
  });
}

test('V03: after the undone link the wallet removes the account and decides alone', async () => {
  const shared = await openShared();
  const { account, agent } = shared;
  await undoings['the account undid']?.(shared);
  const removed = await byWallet(shared, `PATCH /api/agents/${agent.id}`, { idp_user_id: null });
  requireOutcomes({
    'the wallet removes the account': [removed, '200'],
    'the account replaces the key': [await send(`POST /api/agents/${agent.id}/rotate-key`, { key: account.token }), '403 forbidden'],
    'the account recovers the key': [await send('POST /api/agents/recover', { key: account.token, body: {} }), '404 no_agents_found'],
    'the wallet replaces the key': [await byWallet(shared, `POST /api/agents/${agent.id}/rotate-key`), '200'],
  });
});

test('V03: after the undone link a new link decides nothing; the message link_agent of the wallet does', async () => {
  const shared = await openShared();
  const { account, agent, wallet } = shared;
  await undoings['the wallet undid']?.(shared);
  await linkWallet(market.url, account.token, wallet);
  const rotate = () => send(`POST /api/agents/${agent.id}/rotate-key`, { key: account.token });
  const linkedOnly = await rotate();
  const proof = await agreed(market.url, wallet, { action: 'link_agent', agent_id: agent.id }, account.token);
  const decided = await send('POST /api/agents/link', { key: account.token, body: { api_key: agent.key, ...proof } });
  requireOutcomes({
    'the account with a new link': [linkedOnly, '409 owner_conflict'],
    'the wallet signs link_agent': [decided, '200'],
    'the account then': [await rotate(), '200'],
  });
});

test('V03: an undone link leaves agents of the wallet alone, of the account alone, and of another account as they were', async () => {
  const shared = await openShared();
  const { account, wallet } = shared;
  const { wallet: owner_wallet, ...proof } = await signed(wallet);
  const ofWallet = await registerAgent(market.url, { owner_wallet, ...proof });
  const ofAccount = await registerAgent(market.url, {}, { key: account.token });
  await undoings['the wallet undid']?.(shared);
  requireOutcomes({
    'the wallet replaces the key of its agent': [await byWallet(shared, `POST /api/agents/${ofWallet.id}/rotate-key`), '200'],
    'the account replaces the key of its agent': [await send(`POST /api/agents/${ofAccount.id}/rotate-key`, { key: account.token }), '200'],
  });
});
