/** A network without a node in the settings is asked nothing. Lost books may have paid there, so nothing leaves elsewhere and outflow stays closed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { networkFacts } from '@market/contract';
import { createOutflowGate, type Holder } from '../../packages/server/src/features/outgoing/gate/index.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { readReason, reconcile, startCompared } from '../faults/restored-stage.ts';
import { createPayer } from '../harness/payers.ts';
import { USDC } from '../money/money.ts';
import { payForOrder } from '../money/outgoing.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney();
});
after(() => shared.close());

const CLOSED = 'Outflow is closed: the chain shows a transfer that these books do not know. Run market reconcile.';

test('B05: market reconcile does not open outflow where the books hold money on a network that its settings do not name', async () => {
  const { money, database } = shared;
  const server = await startCompared(shared);
  await payForOrder(money, await createPayer(shared, 'base-mainnet'), 2n * USDC);
  await server.kill('SIGTERM');
  await database.pool.query('update outflow_gate set reason = $1', [CLOSED]);
  const { code, output } = await reconcile(shared, { SANDBOX_CHAINS: 'off' });
  assert.equal(code, 1, output);
  assert.match(output, /base-mainnet could not be asked/);
  assert.notEqual(await readReason(shared), null);
});

test('B05: after a restore nothing leaves while the treasury of a network that the settings do not name was not compared', async () => {
  const { database } = shared;
  const one: Holder = {
    name: 'eip155:8453',
    label: 'the treasury on Base',
    chain: { network: 'base-mainnet', awaitLateTransfers: async () => undefined },
    sharesIntents: true,
    compare: async () => ({ strangers: [], cursor: '1' }),
  };
  const { caip2 } = networkFacts['solana-mainnet'];
  const open = () => createOutflowGate({ database, log: createLogger({ level: 'silent', pretty: false }), standing: () => [one] });
  await database.pool.query(`update outflow_gate set reason = null; delete from outflow_cursors where holder <> '${caip2}'`);
  // Of a network that was given up, and compared to its end: it holds up nothing.
  await open().requireCompared(one);
  await database.pool.query(`update outflow_cursors set place = 'elsewhere' where holder = '${caip2}'`);
  const restored = open();
  await assert.rejects(
    restored.requireCompared(one),
    /solana-mainnet: after a restore nothing leaves until the treasury on Solana has been compared/,
  );
  assert.deepEqual(Object.keys(await restored.listAwaited()), ['solana-mainnet']);
});
