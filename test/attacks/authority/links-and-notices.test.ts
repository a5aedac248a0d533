/** A link that was undone stays undone, every new link is announced, and a stolen account cannot silence wallets that watch it. */
import { after, before, test } from 'node:test';
import { registerAgent } from '../../harness/agents.ts';
import { openAccount, requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../../harness/http.ts';
import { openMarket, type TestMarket } from '../../harness/market.ts';
import { advanceClock } from '../../harness/orders.ts';
import { asHeaders, baseWallet, linkWallet, signed, type TestWallet, tokenFor } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

const DAY = 24 * 3600;
let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const send = (route: `${string} /${string}`, options: CallOptions = {}) => call(market.url, route, options);
const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });
async function unlink(token: string, { address }: TestWallet): Promise<void> {
  const { wallets } = await expectCall(market.url, 200, 'GET /api/auth/user', { key: token });
  const link = (wallets as readonly Envelope[]).find((one) => one['address'] === address);
  await expectCall(market.url, 200, `DELETE /api/auth/wallets/${String(link?.['id'])}`, { key: token });
}
/** The account asks for another withdraw address; the change waits. */
const askMove = async (token: string, agentId: string) => {
  const body = { withdraw_address_base: baseWallet().address };
  return await send(`PUT /api/agents/${agentId}/withdraw-address`, { key: token, body });
};
/** The body of the wallet's notice of this type that contains the text; waits until there is one. */
const noticed = async (wallet: TestWallet, type: string, text: string): Promise<string> =>
  await until(`the notice ${type}`, async () => {
    const { body } = await send('GET /api/notifications', await by(wallet));
    const rows = body['data'] as readonly Envelope[];
    return rows.find((row) => row['type'] === type && String(row['body']).includes(text))?.['body'] as string | undefined;
  });

test('V01: a link that the wallet undid comes back only by its own message, not when the identity provider asserts it again', async () => {
  const wallet = baseWallet();
  const person = { email: `asserted-${process.pid}@example.com`, wallets: [{ chain: 'base', address: wallet.address }] };
  const signIn = async () => await send('POST /api/auth/user', { key: await tokenFor(market.url, person) });
  const first = await signIn();
  requireOutcomes({ 'asserted at first': [valuesOf(first.body, 'address').includes(wallet.address), true] });
  await noticed(wallet, 'wallet_linked', wallet.address);
  const undone = await send(`DELETE /api/auth/links/${wallet.address}`, await by(wallet));
  const second = await signIn();
  const token = await tokenFor(market.url, person);
  await linkWallet(market.url, token, wallet);
  requireOutcomes({
    undone: [undone, '200'],
    'signed in again': [second, '200'],
    'linked again by the provider': [valuesOf(second.body, 'address').length, 0],
    'linked again by the wallet': [valuesOf((await signIn()).body, 'address').includes(wallet.address), true],
  });
});

test('V23: a wallet that a thief links to a stolen account is announced to the account’s other wallets', async () => {
  const [owner, thief] = [baseWallet(), baseWallet()];
  const account = await openAccount(market.url);
  await linkWallet(market.url, account.token, owner);
  await linkWallet(market.url, account.token, thief);
  await noticed(owner, 'wallet_linked', `${thief.address} was linked to the account`);
});

test('V23: a wallet that a stolen account unlinked still learns of the account’s moves, and cancels them', async () => {
  const owner = baseWallet();
  const account = await openAccount(market.url);
  await linkWallet(market.url, account.token, owner);
  const agent = await registerAgent(market.url, {}, { key: account.token });
  await advanceClock(market.url, DAY + 60);
  await unlink(account.token, owner);
  await noticed(owner, 'wallet_link_undone', owner.address);
  const address = baseWallet().address;
  const asked = await send(`PUT /api/agents/${agent.id}/withdraw-address`, {
    key: account.token,
    body: { withdraw_address_base: address },
  });
  const [id] = valuesOf(asked.body, 'move_id');
  await noticed(owner, 'move_waiting', address);
  const stranger = await send(`DELETE /api/moves/${id}`, await by(baseWallet()));
  const cancelled = await send(`DELETE /api/moves/${id}`, await by(owner));
  requireOutcomes({
    asked: [asked, '200'],
    'a stranger cancels': [stranger, '404 move_not_found'],
    'the unlinked wallet cancels': [cancelled, '200'],
    'it is': [cancelled.body['data']?.status, 'cancelled'],
  });
});

test('V23: a wallet that undid its link itself sees no later move of the account', async () => {
  const former = baseWallet();
  const account = await openAccount(market.url);
  await linkWallet(market.url, account.token, former);
  const agent = await registerAgent(market.url, {}, { key: account.token });
  await expectCall(market.url, 200, `DELETE /api/auth/links/${former.address}`, await by(former));
  const body = { withdraw_address_base: baseWallet().address };
  const asked = await send(`PUT /api/agents/${agent.id}/withdraw-address`, { key: account.token, body });
  const seen = await send('GET /api/moves', await by(former));
  requireOutcomes({ asked: [asked, '200'], 'moves it sees': [seen.body['data']?.length, 0] });
});

test('V01, V23: a wallet that a thief links is announced to the wallets that the thief unlinked first', async () => {
  const { token } = await openAccount(market.url);
  const [owner, thief] = [baseWallet(), baseWallet()];
  await linkWallet(market.url, token, owner);
  await advanceClock(market.url, DAY + 60);
  await unlink(token, owner);
  await linkWallet(market.url, token, thief);
  requireOutcomes({
    'the wallet that was unlinked learns of the new one': [
      (await noticed(owner, 'wallet_linked', thief.address)).includes(thief.address),
      true,
    ],
  });
});

test('V23: a wallet that was linked for less than a day neither sees nor cancels moves after the account unlinked it', async () => {
  const tried = baseWallet();
  const account = await openAccount(market.url);
  await linkWallet(market.url, account.token, tried);
  const agent = await registerAgent(market.url, {}, { key: account.token });
  await advanceClock(market.url, DAY - 60);
  await unlink(account.token, tried);
  const asked = await askMove(account.token, agent.id);
  const [id] = valuesOf(asked.body, 'move_id');
  const seen = await send('GET /api/moves', await by(tried));
  requireOutcomes({
    asked: [asked, '200'],
    'moves it sees': [seen.body['data']?.length, 0],
    'it cancels': [await send(`DELETE /api/moves/${id}`, await by(tried)), '404 move_not_found'],
  });
});

test('V23: a wallet that was linked for a day still watches after the account unlinks its new link, too, until the wallet undoes it', async () => {
  const owner = baseWallet();
  const account = await openAccount(market.url);
  await linkWallet(market.url, account.token, owner);
  const agent = await registerAgent(market.url, {}, { key: account.token });
  await advanceClock(market.url, DAY + 60);
  await unlink(account.token, owner);
  await linkWallet(market.url, account.token, owner);
  await unlink(account.token, owner);
  const first = await askMove(account.token, agent.id);
  const [id] = valuesOf(first.body, 'move_id');
  const cancelled = await send(`DELETE /api/moves/${id}`, await by(owner));
  await linkWallet(market.url, account.token, owner);
  await expectCall(market.url, 200, `DELETE /api/auth/links/${owner.address}`, await by(owner));
  const second = await askMove(account.token, agent.id);
  const seen = await send('GET /api/moves', await by(owner));
  requireOutcomes({
    asked: [first, '200'],
    'the unlinked wallet cancels': [cancelled, '200'],
    'asked again': [second, '200'],
    'moves it sees after it undid the link': [seen.body['data']?.length, 0],
  });
});

test('V04, V23: an account that recovers a key writes an event; the account, the agent and the linked wallet learn of it', async () => {
  const owner = baseWallet();
  const account = await openAccount(market.url);
  await linkWallet(market.url, account.token, owner);
  const agent = await registerAgent(market.url, {}, { key: account.token });
  const recovered = await send('POST /api/agents/recover', { key: account.token, body: {} });
  const events = (await send('GET /api/events', { key: agent.key })).body['data'] as readonly Envelope[];
  await noticed(owner, 'agent_key_recovered', agent.name);
  const ofAccount = (await send('GET /api/notifications', { key: account.token })).body['data'] as readonly Envelope[];
  requireOutcomes({
    recovered: [recovered, '200'],
    events: [events.filter(({ event }) => event === 'agent.key_recovered').length, 1],
    'notices of the account': [ofAccount.filter(({ type }) => type === 'agent_key_recovered').length, 1],
  });
});
