/** kill -9 during an x402 payment: it ends as one order or without a charge, and a retry returns the outcome. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type NetworkName, networkNames } from '@market/contract';
import {
  CHARGED_MICROS,
  countOrders,
  hireUntilKnown,
  hireWith,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyers,
  openMachineStage,
  requireHired,
  signPayment,
} from '../harness/machine-buyers.ts';
import { isThorough } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { inTurns } from '../orders/many-orders.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { MACHINE_POINTS } from './crash-points.ts';

const DEATHS_AT_ONCE = 2;
/** Chains differ in how a payment is signed and sent: these points are tried on each network, the others are divided between them. */
const ON_EVERY_NETWORK = ['x402.after_sign', 'x402.after_keep', 'x402.after_broadcast'];
const everyPoint: Record<NetworkName, readonly string[]> = {
  'base-mainnet': MACHINE_POINTS.filter((point, index) => ON_EVERY_NETWORK.includes(point) || index % 2 === 0),
  'alt-mainnet': MACHINE_POINTS.filter((point, index) => ON_EVERY_NETWORK.includes(point) || index % 2 === 1),
  'solana-mainnet': ON_EVERY_NETWORK,
};
/** An everyday run dies once on each kind of chain. */
const oncePerKind: typeof everyPoint = {
  'base-mainnet': ['x402.after_broadcast'],
  'alt-mainnet': [],
  'solana-mainnet': ['x402.after_keep'],
};
const points = isThorough ? everyPoint : oncePerKind;
/** From this point the node has the transaction: the order must follow, however late anybody asks. */
const SENT = MACHINE_POINTS.indexOf('x402.after_broadcast');
/** A payment that no node got lapses: on Solana with its blockhash, here after 15 seconds; elsewhere with its authorisation, after 120. */
const LIFE_MS: Record<NetworkName, number> = { 'base-mainnet': 110_000, 'alt-mainnet': 110_000, 'solana-mainnet': 10_000 };

interface CutShort {
  readonly network: NetworkName;
  readonly point: string;
  readonly headers: Record<string, string>;
  readonly signedAt: number;
}

const mayHaveLapsed = ({ network, point, signedAt }: CutShort) =>
  MACHINE_POINTS.indexOf(point) < SENT && performance.now() - signedAt > LIFE_MS[network];

suite('a process that crashes during an x402 payment', () => {
  let stage: MachineStage;
  let buyers: Record<NetworkName, MachineBuyer>;
  let funded: Record<NetworkName, bigint>;
  const cut: CutShort[] = [];
  const has = async (network: NetworkName) => (await buyers[network].payer.chain.readBalances(buyers[network].address)).usdcMicros;
  before(async () => {
    stage = await openMachineStage({ JOBS: 'off' }, { processes: 1 });
    buyers = await openMachineBuyers(stage);
    const held = await Promise.all(networkNames.map(async (network) => [network, await has(network)]));
    funded = Object.fromEntries(held);
  });
  after(() => stage.close());

  /** The buyers of the first, third and so on repeat at once. */
  async function dieOver(network: NetworkName, point: string, index: number): Promise<void> {
    const what = `${network} at ${point}`;
    const doomed = await stage.startServer({ CRASH_AT: point, JOBS: 'off' });
    const signedAt = performance.now();
    const headers = await signPayment(stage, buyers[network]);
    await assert.rejects(hireWith(doomed.url, stage.serviceId, headers), TypeError, `${what}: there was an answer`);
    await until(`${what}: death`, async () => (hasEnded(doomed) ? true : undefined));
    assert.equal(doomed.child.signalCode, 'SIGKILL', `${what}: ${doomed.log()}`);
    const one = { network, point, headers, signedAt };
    cut.push(one);
    if (index % 2 === 0) await outcomeOf(one);
  }

  /** The order's id, or undefined if nothing was charged. */
  async function outcomeOf(one: CutShort): Promise<string | undefined> {
    const reply = await hireUntilKnown(stage.urls[0], stage.serviceId, one.headers);
    if (reply.status === 402 && mayHaveLapsed(one)) return undefined;
    return (await requireHired(reply)).orderId;
  }

  for (const network of networkNames.filter((name) => points[name].length > 0)) {
    test(`on ${network}: an x402 payment with a crash at ${points[network].join(', ')} gets no answer, and a repeated request does`, async () => {
      await inTurns(points[network], DEATHS_AT_ONCE, (point, index) => dieOver(network, point, index));
    });
  }

  test('unfinished x402 payments of crashed processes are completed by the next process', async () => {
    await stage.database.pool.query(`update jobs set run_at = market_now() where kind = 'x402.reconcile'`);
    await forgetLeases(stage);
    await stage.startServer();
    await until('every payment being over', async () => {
      const { rows } = await stage.database.pool.query(`select alias from x402_payments where state in ('settling', 'unknown')`);
      return rows.length === 0 ? true : undefined;
    });
  });

  test('C01: each x402 payment with a crash was charged once for one order, or not at all; repeated requests agree', async () => {
    const outcomes = await inTurns(cut, 4, outcomeOf);
    assert.deepEqual(await inTurns(cut, 4, outcomeOf), outcomes);
    const orders = outcomes.filter((orderId) => orderId !== undefined);
    assert.equal(new Set(orders).size, orders.length);
    assert.equal(await countOrders(stage), orders.length);
    for (const network of networkNames) {
      const bought = cut.filter((one, index) => one.network === network && outcomes[index] !== undefined).length;
      assert.equal(funded[network] - (await has(network)), BigInt(bought) * CHARGED_MICROS, network);
    }
    await requireSound(stage.money);
  });
});
