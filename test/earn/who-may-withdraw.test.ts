/** Who withdraws from Earn, and where to: the wallet itself, the account after a day, the agent to its own wallets. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { fundWallet, type OwnedAgent, openAccountAgent, openOwnedAgent } from '../agent-wallets/stage.ts';
import { type CallOptions, call, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { requireSoundBooks, walletOf } from '../harness/orders.ts';
import { freshAddress } from '../harness/payers.ts';
import { agreed, asHeaders, baseWallet, signed, signedFor, type TestWallet } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { asWallet, balanceOf, type Depositor, deposited, LEND, openDepositor, openSigner, positionOf, USDC, untilStatus } from './stage.ts';

const PATH = '/api/earn/pool/withdraw';
const DAY = 24 * 3600;
const ALL = { all: true, key: LEND };
let market: TestMarket;
let whale: Depositor;
before(async () => {
  market = await openMarket(withOwnChains);
  whale = await openSigner(market);
  await deposited(market, whale, 500);
});
after(() => market.close());

const codeOf = ({ status, body }: Reply) => `${status} ${String(body['code'] ?? body['data']?.status ?? '')}`.trim();
const ask = (body: Record<string, unknown>, options: CallOptions) => call(market.url, `POST ${PATH}`, { ...options, body });
/** A custody signature over exactly this withdrawal. */
const custody = async (wallet: TestWallet, body: Record<string, unknown>) =>
  asHeaders(await signedFor(market.url, wallet, { method: 'POST', path: PATH, body }));
const advance = (seconds: number) => expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: seconds } });
const moveOf = async (key: string, id: string) =>
  ((await call(market.url, 'GET /api/moves', { key })).body['data'] as Record<string, unknown>[]).find((move) => move['id'] === id);

async function agentWithPosition(agent: OwnedAgent): Promise<Depositor> {
  await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 150n * USDC });
  const body = { amount_usd: '150', key: LEND };
  const placed = await call(market.url, `POST /api/agents/${agent.id}/earn/deposit`, { key: agent.key, body });
  assert.equal(placed.status, 200, JSON.stringify(placed.body));
  const byKey: Depositor = { ...whale, kind: 'agent', credentials: async () => ({ key: agent.key }) };
  await until('the position of the agent', async () => (await positionOf(market, byKey)) && true);
  return byKey;
}

test('V04: an account never moves a linked wallet’s deposit, also not with another wallet’s custody signature', async () => {
  const anna = await openDepositor(market);
  const wallet = asWallet(anna);
  await deposited(market, wallet, 200);
  const { key = '' } = await anna.credentials();
  const body = { ...ALL, owner_wallet: anna.payer.address };
  const had = (await positionOf(market, wallet))?.['shares'];
  await advance(DAY + 60);
  const alone = await ask(body, { key });
  assert.equal(codeOf(alone), '403 owner_proof_required');
  assert.equal(alone.body['data'].wallet, anna.payer.address);
  const stranger = baseWallet();
  assert.equal(codeOf(await ask(body, { key, headers: await custody(stranger, body) })), '403 owner_proof_required');
  assert.equal(codeOf(await ask(body, { headers: asHeaders(await signed(stranger)) })), '403 owner_proof_required');
  // Without owner_wallet the account asks for its own position, and has none.
  assert.equal(codeOf(await ask(ALL, { key })), '400 earn_no_position');
  assert.equal((await positionOf(market, wallet))?.['shares'], had);
});

test('V04: ordinary proofs of a wallet pay an Earn withdrawal only to that wallet; its custody signature names any destination', async () => {
  const anna = await openSigner(market);
  const wallet = walletOf(anna.payer);
  await deposited(market, anna, 200);
  const elsewhere = freshAddress('base-mainnet');
  const part = { shares: '10000000000000', key: LEND };
  const session = await call(market.url, 'POST /api/auth/session', { body: await agreed(market.url, wallet, { action: 'session' }) });
  const cookie = String(session.headers.get('set-cookie')).split(';')[0] ?? '';
  for (const headers of [asHeaders(await signed(wallet)), { cookie, origin: market.url }]) {
    const away = await ask({ ...part, destination_wallet: elsewhere }, { headers });
    assert.equal(codeOf(away), '401 custody_signature_required');
    const home = await ask(part, { headers });
    assert.equal(home.status, 200, JSON.stringify(home.body));
    assert.equal(home.body['data'].destination_wallet, wallet.address);
    await untilStatus(market, anna, home.body['data'].withdrawal_id, 'settled');
  }
  const body = { ...part, destination_wallet: elsewhere };
  const headers = await custody(wallet, body);
  const sent = await ask(body, { headers });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  assert.equal(sent.body['data'].destination_wallet, elsewhere);
  assert.equal(codeOf(await ask(body, { headers })), '401 signature_already_used');
  const treasury = { ...part, destination_wallet: String(market.chains.get('base-mainnet')?.treasury) };
  assert.equal(codeOf(await ask(treasury, { headers: await custody(wallet, treasury) })), '400 wallet_destination_invalid');
  await untilStatus(market, anna, sent.body['data'].withdrawal_id, 'settled');
});

test('V16, V23: by the account alone a withdrawal waits a day and burns nothing, then is paid once to a linked wallet', async () => {
  const anna = await openDepositor(market);
  await deposited(market, anna, 300);
  const { key = '' } = await anna.credentials();
  const had = await balanceOf(anna);
  const shares = (await positionOf(market, anna))?.['shares'];
  // A wallet that just signs beside the account is no destination, and shortens no wait.
  const thief = baseWallet();
  const stolen = { ...ALL, destination_wallet: thief.address };
  assert.equal(codeOf(await ask(stolen, { key, headers: await custody(thief, stolen) })), '400 earn_destination_not_yours');
  assert.equal(codeOf(await ask(stolen, { key, headers: asHeaders(await signed(thief)) })), '400 earn_destination_not_yours');
  const idempotency = { 'idempotency-key': randomUUID() };
  const waits = await ask(ALL, { key, headers: idempotency });
  assert.equal(codeOf(waits), '200 waiting');
  const { move_id: id, effective_at: at, destination_wallet: to, shares_burned: burned } = waits.body['data'];
  assert.deepEqual([to, burned, typeof at], [anna.payer.address, '0', 'string']);
  assert.deepEqual((await ask(ALL, { key, headers: idempotency })).body['data'], waits.body['data'], 'the key repeats the answer');
  assert.equal((await positionOf(market, anna))?.['shares'], shares);
  await requireSoundBooks(market);
  await advance(DAY + 5);
  const done = await until('the run', async () => {
    const move = await moveOf(key, id);
    return move?.['status'] === 'done' ? move : undefined;
  });
  await untilStatus(market, anna, String(done['result_id']), 'settled');
  assert.equal(((await balanceOf(anna)) - had) / USDC, 300n);
  await requireSoundBooks(market);
});

test('V23: the custody signature of a wallet linked for a day pays a withdrawal at once; of a newer link it changes nothing', async () => {
  const anna = await openDepositor(market);
  await deposited(market, anna, 250);
  const { key = '' } = await anna.credentials();
  const wallet = walletOf(anna.payer);
  const young = await ask(ALL, { key, headers: await custody(wallet, ALL) });
  assert.equal(codeOf(young), '200 waiting');
  const cancelled = await call(market.url, `DELETE /api/moves/${young.body['data'].move_id}`, { key });
  assert.equal(cancelled.body['data']?.status, 'cancelled', JSON.stringify(cancelled.body));
  await advance(DAY + 5);
  assert.equal(codeOf(await ask(ALL, { key, headers: asHeaders(await signed(wallet)) })), '200 waiting', 'an ordinary signature is none');
  const settled = await ask(ALL, { key, headers: await custody(wallet, ALL) });
  assert.notEqual(settled.body['data']?.status, 'waiting', JSON.stringify(settled.body));
  assert.equal(settled.body['data'].destination_wallet, wallet.address);
  await untilStatus(market, anna, settled.body['data'].withdrawal_id, 'settled');
  // The other withdrawal still waits, and finds nothing at its time.
  await advance(DAY + 5);
  await until('the failed move', async () => {
    const { body } = await call(market.url, 'GET /api/moves', { key });
    return body['data'][0].status === 'failed' ? true : undefined;
  });
  await requireSoundBooks(market);
});

test('V16: a wallet that was unlinked while an Earn withdrawal waited is not paid', async () => {
  const anna = await openDepositor(market);
  await deposited(market, anna, 200);
  const { key = '' } = await anna.credentials();
  const shares = (await positionOf(market, anna))?.['shares'];
  const { move_id: id } = (await ask(ALL, { key })).body['data'];
  const undone = await call(market.url, `DELETE /api/auth/links/${anna.payer.address}`, {
    headers: asHeaders(await signed(walletOf(anna.payer))),
  });
  assert.equal(undone.status, 200, JSON.stringify(undone.body));
  await advance(DAY + 5);
  const failed = await until('the end', async () => {
    const move = await moveOf(key, id);
    return move?.['status'] === 'waiting' ? undefined : move;
  });
  assert.equal(failed['status'], 'failed');
  assert.match(String(failed['reason']), /not linked/);
  assert.equal((await positionOf(market, anna))?.['shares'], shares);
});

test('K06, V04: only the owner wallet’s custody signature moves an agent’s position elsewhere; key and linked account reach its own wallets', async () => {
  const agent = await openOwnedAgent(market.url);
  const byKey = await agentWithPosition(agent);
  const part = { shares: '10000000000000', key: LEND };
  const toOwner = { ...part, destination_wallet: agent.owner.address };
  assert.equal(codeOf(await ask(toOwner, { key: agent.key })), '400 earn_destination_not_yours', 'the key pays no wallet of the owner');
  const owned = { ...toOwner, agent_id: agent.id };
  assert.equal(codeOf(await ask(owned, { key: agent.token })), '403 owner_proof_required', 'a linked account owns nothing');
  assert.equal(codeOf(await ask(owned, { headers: asHeaders(await signed(agent.owner)) })), '401 custody_signature_required');
  const home = await ask(part, { key: agent.key });
  assert.equal(home.body['data']?.destination_wallet, agent.evm, JSON.stringify(home.body));
  const paid = await ask(owned, { headers: await custody(agent.owner, owned) });
  assert.equal(paid.body['data']?.destination_wallet, agent.owner.address, JSON.stringify(paid.body));
  await untilStatus(market, byKey, paid.body['data'].withdrawal_id, 'settled');
});

test('V23: an account waits to withdraw its agent’s position; an agent that changed owners meanwhile keeps it', async () => {
  const agent = await openAccountAgent(market.url);
  await agentWithPosition(agent);
  const body = { ...ALL, agent_id: agent.id };
  const waits = await ask(body, { key: agent.token });
  assert.equal(codeOf(waits), '200 waiting');
  // No call changes the owner of an owned agent; an operator can by SQL.
  await market.database.pool.query('update agents set owner_wallet = $2 where id = $1', [agent.id, baseWallet().address]);
  const shares = await market.database.pool.query('select shares from earn_positions where owner_id = $1', [agent.id]);
  await advance(DAY + 5);
  const ended = await until('the end', async () => {
    const move = await moveOf(agent.token, waits.body['data'].move_id);
    return move?.['status'] === 'waiting' ? undefined : move;
  });
  assert.deepEqual([ended['status'], ended['reason']], ['cancelled', 'The agent has another owner now.']);
  assert.deepEqual(
    (await market.database.pool.query('select shares from earn_positions where owner_id = $1', [agent.id])).rows,
    shares.rows,
  );
});
