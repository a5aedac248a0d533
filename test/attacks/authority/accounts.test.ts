/** An account sees the assets of its linked wallets. It moves, grants and recovers only its own, and never at once by token alone. */
import { after, before, test } from 'node:test';
import { fundAddress } from '../../agent-wallets/stage.ts';
import { asWallet, balanceOf, type Depositor, deposited, LEND, openDepositor, openSigner, positionOf } from '../../earn/stage.ts';
import { registerAgent, registerOwnedAgent } from '../../harness/agents.ts';
import { type Account, CUSTODY_ONLY, countRows, openAccount, requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { type CallOptions, call, expectCall, type Reply } from '../../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { usdcOn, walletOf } from '../../harness/orders.ts';
import { freshAddress } from '../../harness/payers.ts';
import { asHeaders, baseWallet, signed, type TestWallet } from '../../harness/people.ts';

let market: TestMarket;
/** Owns agents and a position in Earn. */
let victim: Depositor;
let wallet: TestWallet;
/** The identity provider asserts the victim's wallet for this account, beside the thief's. */
let account: Account;
let thief: Depositor;
before(async () => {
  market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
  victim = await openSigner(market);
  wallet = walletOf(victim.payer);
  thief = await openSigner(market, 1_000_000n);
  account = await openAccount(market.url, wallet, walletOf(thief.payer));
  await deposited(market, victim, 150);
});
after(() => market.close());

const send = (route: `${string} /${string}`, options: CallOptions) => call(market.url, route, options);
const byToken = (route: `${string} /${string}`, body: Record<string, unknown> = {}) => send(route, { key: account.token, body });

/** Funds the agent's wallet on Base with 3 USDC, and returns its address. */
async function fundedWallet(id: string, key: string): Promise<string> {
  const { evm_address: address } = await expectCall(market.url, 200, `GET /api/agents/${id}/funding`, { key });
  await fundAddress(market, 'base-mainnet', address, { usdcMicros: 3_000_000n });
  return address;
}

test('V04: an account reads positions and agents of its linked wallet, as before', async () => {
  const agent = await registerOwnedAgent(market.url, wallet);
  const [position] = valuesOf((await send('GET /api/earn/pool/positions', { key: account.token })).body, 'owned_by');
  const mine = await send('GET /api/agents/my', { key: account.token });
  requireOutcomes({
    'the position is shown': [position !== undefined, true],
    'the agent is shown': [valuesOf(mine.body, 'id').includes(agent.id), true],
    'the agent is edited': [
      await send(`PATCH /api/agents/${agent.id}`, withToken({ description: 'Does honest work, and says so.' })),
      '200',
    ],
  });
});

test('V04: an account withdraws no Earn position of a linked wallet', async () => {
  const withdrawal = await byToken('POST /api/earn/pool/withdraw', {
    ...{ all: true, key: LEND, owner_wallet: wallet.address },
    destination_wallet: thief.payer.address,
  });
  requireOutcomes({
    withdrawal: [withdrawal, ...CUSTODY_ONLY],
    'the thief has': [await paidTo(thief, withdrawal), thief.funded],
    'the wallet has its position': [(await positionOf(market, asWallet(victim))) !== undefined, true],
  });
});

/** The depositor's balance, once an accepted withdrawal has arrived. */
async function paidTo(depositor: Depositor, withdrawal: Reply): Promise<bigint> {
  for (let look = 0; withdrawal.status < 300 && look < 300 && (await balanceOf(depositor)) === depositor.funded; look++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return await balanceOf(depositor);
}

test('V04: an account neither exports, sends, redirects nor replaces keys of an agent that a linked wallet owns', async () => {
  const agent = await registerOwnedAgent(market.url, wallet, { endpoint_url: 'http://127.0.0.1:9/hook' });
  const at = `/api/agents/${agent.id}` as const;
  const evm = await fundedWallet(agent.id, agent.key);
  const to = freshAddress('base-mainnet');
  const recovered = await byToken('POST /api/agents/recover');
  requireOutcomes({
    'export of the Base key': [await byToken(`POST ${at}/export-key`, { chain: 'base' }), ...CUSTODY_ONLY],
    'export of the Solana key': [await byToken(`POST ${at}/export-key`, { chain: 'solana' }), ...CUSTODY_ONLY],
    'send from its wallet': [await byToken(`POST ${at}/wallet/send`, { chain: 'base', to, amount: 1 }), ...CUSTODY_ONLY],
    'withdraw address': [await send(`PUT ${at}/withdraw-address`, withToken({ withdraw_address_base: to })), ...CUSTODY_ONLY],
    'payout address': [await send(`PATCH ${at}`, withToken({ payout_address_base: to })), ...CUSTODY_ONLY],
    'secret of its webhooks': [await byToken(`POST ${at}/webhooks/rotate-secret`), ...CUSTODY_ONLY],
    'new key': [await byToken(`POST ${at}/rotate-key`), ...CUSTODY_ONLY],
    recovery: [recovered, '404 no_agents_found'],
    'recovered keys': [valuesOf(recovered.body, 'api_key').length, 0],
    'the agent’s key': [await send('GET /api/agents/me', { key: agent.key }), '200'],
    'entries of the custody log': [await countRows(market, 'wallet_log', 'agent_id', agent.id), 0],
    'its wallet has': [await usdcOn(market.url, 'base-mainnet', evm), '3.00'],
  });
});

const withToken = (body: Record<string, unknown>): CallOptions => ({ key: account.token, body });

test('V16: a wallet that signs beside an account’s token is paid nothing of the account’s money', async () => {
  const depositor = await openDepositor(market);
  await deposited(market, depositor, 150);
  const stranger = await openSigner(market, 1_000_000n);
  const { key } = await depositor.credentials();
  const body = { all: true, key: LEND, destination_wallet: stranger.payer.address };
  const headers = asHeaders(await signed(walletOf(stranger.payer)));
  const withdrawal = await send('POST /api/earn/pool/withdraw', { ...(key !== undefined && { key }), headers, body });
  requireOutcomes({
    withdrawal: [withdrawal, '400 earn_destination_not_yours', '400 owner_mismatch', ...CUSTODY_ONLY],
    'the stranger has': [await paidTo(stranger, withdrawal), stranger.funded],
    'the account has its position': [(await positionOf(market, depositor)) !== undefined, true],
  });
});

/** `waits` if the answer says until when; otherwise the status with the code of the refusal. */
function waitingOf({ status, body }: Reply): string {
  const isWaiting = valuesOf(body, 'status').includes('waiting') && valuesOf(body, 'effective_at').some((at) => typeof at === 'string');
  return status < 300 ? (isWaiting ? 'waits' : String(status)) : `${status} ${body['code']}`;
}

test('V23: an account token alone exports no private key at once', async () => {
  const { token } = await openAccount(market.url, baseWallet());
  const agent = await registerAgent(market.url, {}, { key: token });
  for (const chain of ['base', 'solana']) {
    const reply = await send(`POST /api/agents/${agent.id}/export-key`, { key: token, body: { chain } });
    requireOutcomes({
      [`export of the ${chain} key`]: [waitingOf(reply), 'waits', ...CUSTODY_ONLY],
      'private keys': [valuesOf(reply.body, 'private_key').filter((key) => key !== null).length, 0],
    });
  }
});

test('V23: an account token alone sends no money from an agent’s wallet to a stranger at once', async () => {
  const { token } = await openAccount(market.url, baseWallet());
  const agent = await registerAgent(market.url, {}, { key: token });
  const evm = await fundedWallet(agent.id, agent.key);
  const to = freshAddress('base-mainnet');
  const sent = await send(`POST /api/agents/${agent.id}/wallet/send`, { key: token, body: { chain: 'base', to, amount: 1 } });
  for (let look = 0; waitingOf(sent) === '200' && look < 200 && (await usdcOn(market.url, 'base-mainnet', to)) === '0.00'; look++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  requireOutcomes({
    send: [waitingOf(sent), 'waits', ...CUSTODY_ONLY],
    'the stranger has': [await usdcOn(market.url, 'base-mainnet', to), '0.00'],
    'the agent’s wallet has': [await usdcOn(market.url, 'base-mainnet', evm), '3.00'],
  });
});
