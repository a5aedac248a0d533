/** An ordinary signature copied from a query string creates nothing that outlives its request: no link, no session, no owner. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Depositor, deposited, LEND, openSigner, positionOf } from '../../earn/stage.ts';
import { registerOwnedAgent, type TestAgent } from '../../harness/agents.ts';
import {
  type Account,
  copiedSignature,
  countRows,
  openAccount,
  openWalletSession,
  requireOutcomes,
  STRANGER,
} from '../../harness/authority.ts';
import { type CallOptions, call } from '../../harness/http.ts';
import { transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { listService, openProvider, walletOf } from '../../harness/orders.ts';
import { asHeaders, baseWallet, signed, solanaWallet, type TestWallet } from '../../harness/people.ts';

const MESSAGE = '401 sign_in_message_required';

let market: TestMarket;
/** Owns an agent and a position in Earn. */
let victim: Depositor;
let wallet: TestWallet;
let agent: TestAgent;
/** The thief's service; it costs a machine 5.50. */
let bait: string;
before(async () => {
  market = await openMarket(withChains);
  victim = await openSigner(market);
  wallet = walletOf(victim.payer);
  await deposited(market, victim, 150);
  agent = await registerOwnedAgent(market.url, wallet);
  bait = await listService(market.url, await openProvider(market.url), { price_usd: '5.00', title: 'Nothing at all' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(market.url, route, options);

const rowsWith = (table: string, column: string, value: string) => countRows(market, table, column, value);

/** Asks last whether the victim's key still works: rotation would have replaced it. */
async function stealWith({ token }: Account, victims: TestAgent) {
  const all = { all: true, key: LEND, owner_wallet: wallet.address };
  return {
    withdraw: await send('POST /api/earn/pool/withdraw', { key: token, body: all }),
    export: await send(`POST /api/agents/${victims.id}/export-key`, { key: token, body: { chain: 'base' } }),
    rotate: await send(`POST /api/agents/${victims.id}/rotate-key`, { key: token, body: {} }),
    recover: await send('POST /api/agents/recover', { key: token, body: {} }),
    owner: await send('GET /api/agents/me', { key: victims.key }),
  };
}

test('V01: a copied ordinary signature links no wallet, and the thief gets neither deposit, keys nor transfers', async () => {
  const thief = await openAccount(market.url);
  const link = await send('POST /api/auth/wallets', { key: thief.token, body: await copiedSignature(market.url, wallet) });
  const reference = await victim.payer.pay(victim.payer.chain.treasury, 5_500_000n);
  const hire = await send(`POST /api/x402/pay?service_id=${bait}`, {
    key: thief.token,
    headers: transferProof('base-mainnet', reference),
    body: { brief: 'All of it for me.' },
  });
  const stolen = await stealWith(thief, agent);
  requireOutcomes({
    link: [link, MESSAGE],
    withdraw: [stolen.withdraw, ...STRANGER],
    export: [stolen.export, ...STRANGER],
    rotate: [stolen.rotate, ...STRANGER],
    recover: [stolen.recover, '404 no_agents_found'],
    'the owner’s key': [stolen.owner, '200'],
    'hire with the victim’s transfer': [hire, '409 payment_reserved'],
    'links of the wallet': [await rowsWith('user_wallets', 'address', wallet.address), 0],
    'exports of the agent’s keys': [await rowsWith('wallet_log', 'agent_id', agent.id), 0],
    'purchases with the transfer': [await rowsWith('payment_claims', 'reference', reference), 0],
    'the victim has a position': [(await positionOf(market, victim)) !== undefined, true],
  });
});

test('V01: the refusal of a link shows the message to sign, with host, action and account', async () => {
  const { token, id } = await openAccount(market.url);
  const own = baseWallet();
  const refused = await send('POST /api/auth/wallets', { key: token, body: await signed(own) });
  requireOutcomes({ link: [refused, MESSAGE] });
  const text = String(refused.body['data'].message);
  assert.match(text, new RegExp(`^${new URL(market.url).host} wants you to sign in with your Ethereum account:\n${own.address}\n`));
  assert.match(text, new RegExp(`\nRequest ID: link_wallet:${id}$`));
});

test('V02: a copied ordinary signature opens no session', async () => {
  for (const one of [wallet, solanaWallet()]) {
    const opened = await send('POST /api/auth/session', { body: await copiedSignature(market.url, one) });
    const inHeaders = await send('POST /api/auth/session', { headers: asHeaders(await signed(one)), body: {} });
    requireOutcomes({
      [`a ${one.chain} signature`]: [opened, MESSAGE],
      'the cookie': [opened.headers.get('set-cookie'), null],
      'in headers': [inHeaders, MESSAGE],
      sessions: [await rowsWith('sessions', 'wallet', one.address), 0],
    });
  }
});

const OWNER_REFUSALS = [MESSAGE, '401 custody_signature_required', '403 owner_proof_required', '403 owner_already_set'];

test('V03: a leaked key and a copied signature make no account an owner, and export nothing', async () => {
  const victims = await registerOwnedAgent(market.url, wallet);
  const thief = await openAccount(market.url);
  const link = await send('POST /api/agents/link', {
    key: thief.token,
    body: { api_key: victims.key, ...(await copiedSignature(market.url, wallet)) },
  });
  const { rotate: _rotate, ...stolen } = await stealWith(thief, victims);
  requireOutcomes({
    link: [link, ...OWNER_REFUSALS],
    export: [stolen.export, ...STRANGER],
    recover: [stolen.recover, '404 no_agents_found'],
    'account that owns the agent': [await ownerAccountOf(victims), null],
    'exports of its keys': [await rowsWith('wallet_log', 'agent_id', victims.id), 0],
  });
});

test('V03: a leaked key and a copied signature name no account as owner in an edit of the agent', async () => {
  const victims = await registerOwnedAgent(market.url, wallet);
  const thief = await openAccount(market.url);
  const body = { idp_user_id: thief.id, idp_access_token: thief.token, ...(await copiedSignature(market.url, wallet)) };
  const edit = await send('PATCH /api/agents/me', { key: victims.key, body });
  const taken = await send(`POST /api/agents/${victims.id}/export-key`, { key: thief.token, body: { chain: 'solana' } });
  const owner = await ownerAccountOf(victims);
  requireOutcomes({ edit: [edit, ...OWNER_REFUSALS], export: [taken, ...STRANGER], 'account that owns the agent': [owner, null] });
});

test('V03: a leaked key and a session cookie make no account an owner', async () => {
  const victims = await registerOwnedAgent(market.url, wallet);
  const thief = await openAccount(market.url);
  const headers = { cookie: await openWalletSession(market.url, wallet) };
  const link = await send('POST /api/agents/link', { key: thief.token, headers, body: { api_key: victims.key } });
  const body = { idp_user_id: thief.id, idp_access_token: thief.token };
  const edit = await send('PATCH /api/agents/me', { key: victims.key, headers, body });
  const taken = await send(`POST /api/agents/${victims.id}/export-key`, { key: thief.token, body: { chain: 'base' } });
  requireOutcomes({
    link: [link, ...OWNER_REFUSALS],
    edit: [edit, ...OWNER_REFUSALS],
    export: [taken, ...STRANGER],
    'account that owns the agent': [await ownerAccountOf(victims), null],
  });
});

async function ownerAccountOf({ id }: TestAgent): Promise<string | null> {
  const { rows } = await market.database.pool.query('select owner_user_id from agents where id = $1', [id]);
  return rows[0]?.owner_user_id;
}
