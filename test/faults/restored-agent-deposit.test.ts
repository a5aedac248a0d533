/**
 * Deposits from an agent's wallet that a restore lost: repeated under an Idempotency-Key, presented by hand without a key, and made by
 * a sweep, which the restore stops. The wallet pays each once, and each becomes a deposit.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { callSigned, fundWallet, openOwnedAgent } from '../agent-wallets/stage.ts';
import { deposited, LEND, openSigner } from '../earn/stage.ts';
import { call, expectCall, type Reply } from '../harness/http.ts';
import { chainOf, requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { holdsFor, reconcile, startCompared, untilHurried } from './restored-stage.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

function requireOk({ status, body }: Reply) {
  assert.equal(status, 200, JSON.stringify(body));
  return body['data'];
}

test('B03, B09: after market reconcile no deposit from an agent’s wallet leaves again, each can be registered, and sweeps are off', async () => {
  const first = await startCompared(shared);
  const anna = await openSigner({ ...shared, url: first.url }, 500n * USDC);
  await deposited({ url: first.url }, anna, 150);
  const agent = await openOwnedAgent(first.url);
  await fundWallet(shared, agent, NETWORK, { usdcMicros: 100n * USDC });
  const sweep = `/api/agents/${agent.id}/earn/sweep` as const;
  const sweepAbove = async (url: string, above: string) =>
    requireOk(
      await callSigned(url, agent.owner, `PUT ${sweep}`, { enabled: true, key: LEND, above_usd: above, daily_limit_usd: '50' }, url),
    );
  await sweepAbove(first.url, '200');
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const key = randomUUID();
  const held = async () => (await chainOf(shared, NETWORK).readBalances(agent.evm)).usdcMicros;
  const deposit = async (url: string, usd: string, headers: Record<string, string>) =>
    await call(url, `POST /api/agents/${agent.id}/earn/deposit`, { key: agent.key, headers, body: { amount_usd: usd, key: LEND } });
  const keyed = async (url: string) => await deposit(url, '20', { 'idempotency-key': key });
  const lost = await shared.startServer();
  requireOk(await keyed(lost.url));
  const { tx_hash: bare } = requireOk(await deposit(lost.url, '15', {}));
  await until('both transfers', async () => ((await held()) === 65n * USDC ? true : undefined));
  await sweepAbove(lost.url, '55');
  await untilHurried(shared, 'the sweep', async () => ((await held()) === 55n * USDC ? true : undefined));
  await lost.kill('SIGTERM');
  await backup.restore();

  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  assert.equal(output.match(new RegExp(`left the wallet ${agent.evm}.*the treasury, for a deposit into Earn`, 'g'))?.length, 3, output);
  assert.match(output, /1 sweeps into Earn/);
  const second = await shared.startServer();
  const rule = await expectCall(second.url, 200, `GET ${sweep}`, { key: agent.key });
  assert.equal(rule['enabled'], false, 'its owner may have stopped it since the backup');
  assert.match(rule['last_problem'], /restored from a backup/);

  const again = await keyed(second.url);
  await holdsFor(shared, 8_000, async () => assert.equal(await held(), 55n * USDC, `the wallet pays once: ${JSON.stringify(again.body)}`));
  assert.equal(requireOk(again).status, 'registered');
  const presented = { amount_usd: '15', incoming_tx_hash: bare, key: LEND };
  requireOk(await call(second.url, 'POST /api/earn/pool/deposit', { key: agent.key, body: presented }));

  // The next sweep of the day is the lost one, with its amount.
  await fundWallet(shared, agent, NETWORK, { usdcMicros: 7n * USDC });
  await sweepAbove(second.url, '55');
  const swept = `select d.amount_micros::int as micros, d.state, m.amount::int as sent from earn_agent_deposits d
    join wallet_movements m on m.id = d.movement_id where d.agent_id = $1 and d.by_sweep order by m.created_at`;
  await untilHurried(shared, 'both sweeps', async () => {
    const { rows } = await shared.database.pool.query(swept, [agent.id]);
    return rows.length === 2 && rows.every(({ state }) => state === 'registered') ? true : undefined;
  });
  const { rows } = await shared.database.pool.query(swept, [agent.id]);
  assert.deepEqual(
    rows.map(({ micros, sent }) => [micros, sent]),
    [
      [10_000_000, 10_000_000],
      [7_000_000, 7_000_000],
    ],
  );
  assert.equal(await held(), 55n * USDC);
  await untilHurried(shared, 'the position', async () => {
    const { rows: positions } = await shared.database.pool.query('select principal_micros from earn_positions where owner_id = $1', [
      agent.id,
    ]);
    return String(positions[0]?.principal_micros) === '52000000' ? true : undefined;
  });
  // Notices to the owner wallet and to the account that it is linked to.
  const { rows: notices } = await shared.database.pool.query(
    `select type, count(*)::int as count from notifications where type in ('wallet_found', 'sweep_stopped') group by 1 order by 1`,
  );
  assert.deepEqual(notices, [
    { type: 'sweep_stopped', count: 2 },
    { type: 'wallet_found', count: 6 },
  ]);
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});
