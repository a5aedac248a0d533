/** An old backup is restored after money left: a repeat meets what lost books sent, and nothing leaves before the comparison. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { chainWord, fundWallet, type OwnedAgent, openOwnedAgent } from '../agent-wallets/stage.ts';
import { balanceOf, deposited, LEND, openSigner, positionOf, withdraw } from '../earn/stage.ts';
import { call } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import { asHeaders, baseWallet, signedFor } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { NETWORKS, requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

const at = ({ url }: ServerProcess) => ({ ...shared, url });

async function startCompared(): Promise<ServerProcess> {
  const server = await shared.startServer();
  await until('the first comparison', async () => {
    const rows = await shared.database.db.selectFrom('outflowCursors').selectAll().execute();
    return rows.length > NETWORKS.length ? true : undefined;
  });
  return server;
}

/** Waits until bytes that lost books signed would have expired; Solana's chain moves on meanwhile. */
async function reconcile(): Promise<{ readonly code: number | null; readonly output: string }> {
  const command = runMarketCommand(['reconcile'], shared.settings);
  const moving = setInterval(() => void shared.localChains.advance(30).catch(() => undefined), 500);
  const code = await command.ended;
  clearInterval(moving);
  return { code, output: command.output() };
}

const untilClosed = () =>
  until('outflow being closed', async () => {
    const { rows } = await shared.database.pool.query('select reason from outflow_gate where reason is not null');
    return rows[0]?.reason as string | undefined;
  });

test('B01: a withdrawal from Earn that a restore lost is paid once, and the other depositors keep their units', {
  skip: !isThorough && THOROUGH_ONLY,
}, async () => {
  const first = await startCompared();
  const [anna, ben] = [await openSigner(at(first), 500n * USDC), await openSigner(at(first), 500n * USDC)];
  await deposited(at(first), anna, 150);
  await deposited(at(first), ben, 200);
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer();
  const had = await balanceOf(anna);
  assert.equal((await withdraw(at(lost), anna, { all: true, key: LEND })).status, 200);
  await until('the money', async () => ((await balanceOf(anna)) > had + 149n * USDC ? true : undefined));
  const paid = await balanceOf(anna);
  await lost.kill('SIGTERM');
  await backup.restore();

  const second = await shared.startServer();
  assert.match(await untilClosed(), /Run market reconcile/);
  // The same withdrawal again, before any comparison.
  const again = await withdraw(at(second), anna, { all: true, key: LEND });
  assert.equal(again.status, 200, JSON.stringify(again.body));
  const { code, output } = await reconcile();
  assert.equal(code, 0, output);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  assert.equal(await balanceOf(anna), paid, 'nothing is paid again');
  assert.ok(((await positionOf(at(second), anna))?.['value_usd'] ?? 0) < 1);
  assert.ok(Number((await positionOf(at(second), ben))?.['value_usd']) >= 200);
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});

async function send(url: string, agent: OwnedAgent, to: string, key: string) {
  const path = `/api/agents/${agent.id}/wallet/send` as const;
  const body = { chain: chainWord[NETWORK], to, asset: 'usdc', amount: '5' };
  const headers = { ...asHeaders(await signedFor(url, agent.owner, { method: 'POST', path, body })), 'idempotency-key': key };
  return await call(url, `POST ${path}`, { headers, body });
}

test('B03, B05: a send that a restore lost leaves once under its Idempotency-Key, and nothing leaves before the comparison', {
  skip: !isThorough && THOROUGH_ONLY,
}, async () => {
  const first = await startCompared();
  const agent = await openOwnedAgent(first.url);
  await fundWallet(at(first), agent, NETWORK, { usdcMicros: 20n * USDC });
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer();
  const [to, key] = [baseWallet().address, randomUUID()];
  assert.equal((await send(lost.url, agent, to, key)).status, 200);
  const chain = shared.chains.get(NETWORK);
  assert.ok(chain);
  await until('the money', async () => ((await chain.readBalances(to)).usdcMicros === 5n * USDC ? true : undefined));
  await lost.kill('SIGTERM');
  await backup.restore();

  const second = await shared.startServer();
  const again = await send(second.url, agent, to, key);
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.match(await untilClosed(), /Run market reconcile/);
  assert.equal((await chain.readBalances(to)).usdcMicros, 5n * USDC);
  const { code, output } = await reconcile();
  assert.equal(code, 0, output);
  assert.match(output, new RegExp(`left the wallet ${agent.evm}`));
  await until('the repeated send being found', async () => {
    const { rows } = await shared.database.pool.query(`select state from wallet_movements where agent_id = $1`, [agent.id]);
    return rows.every(({ state }) => state === 'confirmed') ? true : undefined;
  });
  assert.equal((await chain.readBalances(to)).usdcMicros, 5n * USDC, 'nothing is sent again');
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});

test('B07: market reconcile leaves outflow closed until the audit is clean', { skip: !isThorough && THOROUGH_ONLY }, async () => {
  const server = await startCompared();
  await server.kill('SIGTERM');
  const { pool } = shared.database;
  const reason = async () => (await pool.query('select reason from outflow_gate')).rows[0]?.reason;
  await pool.query(`update outflow_gate set reason = 'Outflow is closed by a test.'`);
  // An outflow that a row claims as known, but no posting holds.
  await pool.query(
    `insert into unbooked_outflows (network, reference, position, destination, amount_micros) values ('base-mainnet', '0xspoilt', 0, '0x0', 1)`,
  );
  const refused = await reconcile();
  assert.equal(refused.code, 1, refused.output);
  assert.match(refused.output, /does not hold.*Outflow stays closed/s);
  assert.match(await reason(), /closed by a test/);
  await pool.query(`delete from unbooked_outflows where reference = '0xspoilt'`);
  const { code, output } = await reconcile();
  assert.equal(code, 0, output);
  assert.equal(await reason(), null);
});
