/** A connected program acts for its person only, gets no key, spends none of their transfers, and loses everything with its connection. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  connectAgain,
  countRows,
  disconnect,
  openAccount,
  openWalletSession,
  outcomeOf,
  outcomeOfTool,
  requireOutcomes,
  valuesOf,
} from '../../harness/authority.ts';
import { type CallOptions, call } from '../../harness/http.ts';
import { hireWith, MACHINE_BRIEF, type MachineBuyer, openMachineBuyer, readOffer, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { callTool, connectMcp, type ToolReply } from '../../harness/mcp.ts';
import { connectProgram, registerProgram } from '../../harness/oauth.ts';
import { type Buyer, deliver, listService, openBuyer, openProvider, type Provider } from '../../harness/orders.ts';
import { agentBody, baseWallet, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';

let market: TestMarket;
let url: string;
let provider: Provider;
/** A service that costs a machine 1.10. */
let service: string;
before(async () => {
  market = await openMarket(withChains);
  ({ url } = market);
  provider = await openProvider(url);
  service = await listService(url, provider, { price_usd: '1.00' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);
const pays = (buyer: Buyer) => buyer.payer.pay(buyer.payer.chain.treasury, 1_100_000n);
const spent = (reference: string) => countRows(market, 'payment_claims', 'reference', reference);

async function useTool(accessToken: string, tool: string, args: Record<string, unknown>, meta?: object): Promise<ToolReply> {
  const client = await connectMcp(url, accessToken);
  try {
    return await callTool(client, tool, args, meta);
  } finally {
    await client.close();
  }
}

async function paySigned(accessToken: string, payer: MachineBuyer): Promise<ToolReply> {
  const accepted = await readOffer(market, url, service, NETWORK);
  const payment = { x402Version: 2, accepted, payload: await payer.authorise(accepted) };
  return await useTool(accessToken, 'submit_payment', { service_id: service, brief: MACHINE_BRIEF }, { 'x402/payment': payment });
}

test('V08, V09: a program registers no agent with a wallet of its own, and never gets a key that spends its person’s money', async () => {
  const wallet = await openBuyer(market, NETWORK);
  const person = await openAccount(url, wallet);
  const connected = await connectProgram(url, person.token, { scope: 'read work' });
  const own = baseWallet();
  const { wallet: owner_wallet, ...proof } = await signed(own);
  const made = await useTool(connected.accessToken, 'register_agent', { ...agentBody(), owner_wallet, ...proof });
  const recovered = await send('POST /api/agents/recover', { body: await signed(own) });
  const [key] = valuesOf(recovered.body, 'api_key') as readonly string[];
  const [first, second] = [await pays(wallet), await pays(wallet)];
  const hire = async (reference: string) =>
    key === undefined
      ? 'no key'
      : outcomeOf(await hireWith(url, service, { ...transferProof(NETWORK, reference), authorization: `Bearer ${key}` }));
  const connectedHire = await hire(first);
  await disconnect(url, person.token, connected);
  requireOutcomes({
    registration: [outcomeOfTool(made), 'owner_mismatch'],
    recovery: [recovered, '404 no_agents_found'],
    'hire with a transfer of the person': [connectedHire, 'no key'],
    'hire after Disconnect': [await hire(second), 'no key'],
    'transfers spent': [[await spent(first), await spent(second)].join(), '0,0'],
    'agents of the program’s wallet': [await countRows(market, 'agents', 'owner_wallet', own.address), 0],
  });
});

test('V09: an agent that a program registered for its person stops when the person disconnects the program', async () => {
  const person = await openAccount(url);
  const connected = await connectProgram(url, person.token, { scope: 'read work' });
  const made = await useTool(connected.accessToken, 'register_agent', agentBody());
  assert.equal(outcomeOfTool(made), 'ok', JSON.stringify(made.structuredContent));
  const keys = valuesOf(made.structuredContent, 'api_key').filter((key) => key !== null);
  const offer = {
    agent_id: made.structuredContent['data'].agent_id,
    ...{ category: 'custom', title: 'Sold by a program', price_usd: '1.00', price_type: 'fixed' },
    description: 'Work that a program offers in the name of its person.',
  };
  const listed = await useTool(connected.accessToken, 'create_service', offer);
  assert.equal(outcomeOfTool(listed), 'ok', JSON.stringify(listed.structuredContent));
  const path = `/api/x402/discover/${listed.structuredContent['data'].id}` as const;
  requireOutcomes({ 'keys for the program': [keys.length, 0], 'offered while connected': [(await send(`GET ${path}`)).status, 402] });
  await disconnect(url, person.token, connected);
  requireOutcomes({ 'offered after Disconnect': [(await send(`GET ${path}`)).status === 402, false] });
});

test('V09: after Disconnect the order token of a program neither reads nor acts', async () => {
  const person = await openAccount(url);
  const connected = await connectProgram(url, person.token, { scope: 'read hire' });
  const paid = await paySigned(connected.accessToken, await openMachineBuyer(market, NETWORK));
  assert.equal(outcomeOfTool(paid), 'ok', JSON.stringify(paid.structuredContent));
  const { order_id: id, read_token: token } = paid.structuredContent['data'];
  assert.match(token, /^order_/);
  assert.equal((await deliver(url, id, provider)).status, 200);
  requireOutcomes({ 'read while connected': [await send(`GET /api/orders/${id}`, { key: token }), '200'] });
  await disconnect(url, person.token, connected);
  const ended = '401 invalid_order_token';
  requireOutcomes({
    'read after Disconnect': [await send(`GET /api/orders/${id}`, { key: token }), ended],
    'read by query': [await send(`GET /api/orders/${id}?read_token=${token}`), ended],
    'messages after Disconnect': [await send(`GET /api/orders/${id}/messages`, { key: token }), ended],
    'approval after Disconnect': [await send(`PATCH /api/orders/${id}`, { key: token, body: { action: 'approve' } }), ended],
  });
});

test('V11: the daily limit of a program counts what it spent before it was connected again', async () => {
  const person = await openAccount(url);
  const payer = await openMachineBuyer(market, NETWORK);
  const clientId = await registerProgram(url);
  const limited = { scope: 'read hire', daily_limit_usd: '1.50' };
  const connect = () => connectAgain(url, { 'idp-token': person.token }, clientId, limited);
  const first = await connect();
  const paid = await paySigned(first.accessToken, payer);
  assert.equal(outcomeOfTool(paid), 'ok', JSON.stringify(paid.structuredContent));
  const left = await payer.payer.chain.readBalances(payer.address);
  const second = await connect();
  const beside = await paySigned(second.accessToken, payer);
  await disconnect(url, person.token, second);
  const third = await connect();
  const anew = await paySigned(third.accessToken, payer);
  requireOutcomes({
    'beside the first connection': [outcomeOfTool(beside), 'spend_refused'],
    'after Disconnect': [outcomeOfTool(anew), 'spend_refused'],
    'money taken': [left.usdcMicros - (await payer.payer.chain.readBalances(payer.address)).usdcMicros, 0n],
  });
});

const SESSION_COOKIE = 'market_session';

for (const who of ['account', 'wallet'] as const) {
  test(`V24: a program without an agent spends no transfer of its person, who connected it by ${who}`, async () => {
    const wallet = await openBuyer(market, NETWORK);
    const cookies =
      who === 'account'
        ? { 'idp-token': (await openAccount(url, wallet)).token }
        : { [SESSION_COOKIE]: (await openWalletSession(url, wallet)).slice(SESSION_COOKIE.length + 1) };
    const { accessToken } = await connectAgain(url, cookies, await registerProgram(url), { scope: 'read hire' });
    const reference = await pays(wallet);
    const args = { service_id: service, brief: MACHINE_BRIEF, tx_signature: reference, chain: 'base' };
    const hired = await useTool(accessToken, 'submit_payment', args);
    requireOutcomes({
      hire: [outcomeOfTool(hired), 'payment_reserved'],
      'transfers spent': [await spent(reference), 0],
    });
  });
}
