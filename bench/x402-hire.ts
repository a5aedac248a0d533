/**
 * The cost of a hire beyond its payment, per network: a standard payment against the facilitator's own verify and settle on the same chain,
 * a transfer proof against a bare repeat of the RPC calls it made. The chains make blocks at the sandbox's ordinary pace and the
 * nodes answer with the delay of one in the same region: on loopback alone, only our own database would be measured.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NetworkName } from '@market/contract';
import { localEndpoints } from '../packages/server/src/platform/chains/network-endpoints.ts';
import { createLocalSolanaSigner } from '../packages/server/src/platform/chains/solana/solana-signer.ts';
import { createLocalEvmSigner } from '../packages/server/src/platform/chains/treasury-signer.ts';
import type { Facilitator } from '../packages/server/src/platform/facilitator/facilitator.ts';
import { openFacilitator } from '../packages/server/src/platform/facilitator/open-facilitator.ts';
import { rememberInMemory, silent } from '../packages/server/testing/facilitator-test-bench.ts';
import {
  CHARGED_MICROS,
  hireWith,
  type MachineBuyer,
  openMachineBuyer,
  readOffer,
  requireHired,
  transferProof,
  versionTwo,
} from '../test/harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../test/harness/market.ts';
import { listService, openProvider } from '../test/harness/orders.ts';
import { median } from './load.ts';
import { defineBench } from './suite/bench.ts';

const NODE_MS = 20;
const BLOCKS_MS = 2_000;
const JSON_HEADERS = { 'content-type': 'application/json' };
const networks: readonly NetworkName[] = ['base-mainnet', 'solana-mainnet'];
const paymentOn = (network: NetworkName): string => `x402 hire, standard payment on ${network}`;
const proofOn = (network: NetworkName): string => `x402 hire, transfer proof on ${network}`;

export default defineBench({
  about: 'a paid hire against verify and settle alone, a transfer proof against its own RPC calls',
  rows: networks.flatMap((network) => [
    { path: paymentOn(network), unit: 'ms', judged: 'ratio', direction: 'at most', bound: 1.25 } as const,
    { path: proofOn(network), unit: 'ms', judged: 'ratio', direction: 'at most', bound: 2 } as const,
  ]),
  async run(run) {
    // A full run uses chains of its own, with the sandbox's ordinary pace of blocks.
    const market = await openMarket({ ...withChains, ...(!run.smoke && { SANDBOX_CHAINS: 'on' }), JOBS: 'off' });
    run.atEnd(market.close);
    const serviceId = await listService(market.url, await openProvider(market.url), { price_usd: '1.00' });
    const facilitator = await openOwnFacilitator(market);
    const calls = recordRpcCalls(market);
    run.atEnd(calls.close);
    const hires: Hires = { market, serviceId, facilitator, calls, rounds: run.pick(25, 1), pauseMs: run.pick(BLOCKS_MS, 0) };
    for (const network of networks) {
      // A wallet that has signed a payment here cannot pay by bare reference, so another wallet does.
      const [signer, stranger] = [await openMachineBuyer(market, network), await openMachineBuyer(market, network)];
      for (const [path, times] of [
        [paymentOn(network), await comparePayments(hires, network, signer)],
        [proofOn(network), await compareProofs(hires, network, stranger)],
      ] as const) {
        const [ours, limit] = [median(times.ours), median(times.bare)];
        run.print(`${path}: hire ${ours.toFixed(0)} ms · bare ${limit.toFixed(0)} ms`);
        run.report(path, { ours, limit });
      }
    }
  },
});

interface Hires {
  readonly market: TestMarket;
  readonly serviceId: string;
  readonly facilitator: Facilitator;
  readonly calls: RecordedCalls;
  readonly rounds: number;
  readonly pauseMs: number;
}

interface Times {
  readonly ours: number[];
  readonly bare: number[];
}

async function comparePayments(hires: Hires, network: NetworkName, buyer: MachineBuyer): Promise<Times> {
  const { market, serviceId, facilitator } = hires;
  const times: Times = { ours: [], bare: [] };
  const offer = await readOffer(market, market.url, serviceId, network);
  const ownOffer = { ...offer, extra: { ...facilitator.extraOf(network) } };
  for (let round = hires.rounds > 1 ? -1 : 0; round < hires.rounds; round++) {
    const payload = await buyer.authorise(offer);
    const ours = await timed(hires, async () => await requireHired(hireWith(market.url, serviceId, versionTwo(offer, payload))));
    const ownPayload = await buyer.authorise(ownOffer);
    const bare = await timed(hires, async () => {
      const paid = { network, payload: ownPayload, requirement: ownOffer };
      assert.equal((await facilitator.verify(paid)).valid, true);
      assert.equal((await facilitator.settle(paid)).state, 'settled');
    });
    keep(times, round, ours, bare);
  }
  return times;
}

async function compareProofs(hires: Hires, network: NetworkName, buyer: MachineBuyer): Promise<Times> {
  const { market, serviceId, calls } = hires;
  const times: Times = { ours: [], bare: [] };
  for (let round = hires.rounds > 1 ? -1 : 0; round < hires.rounds; round++) {
    const reference = await buyer.payer.pay(buyer.payer.chain.treasury, CHARGED_MICROS, 'confirmed');
    calls.start();
    const ours = await timed(hires, async () => await requireHired(hireWith(market.url, serviceId, transferProof(network, reference))));
    const made = calls.stop();
    assert.ok(made.length > 0, 'a proof is looked up on chain');
    const bare = await timed(hires, async () => {
      for (const together of made) await Promise.all(together.map(sendAgain));
    });
    keep(times, round, ours, bare);
  }
  return times;
}

/** Drops the first round, which warms both sides up. */
function keep(times: Times, round: number, ours: number, bare: number): void {
  if (round < 0) return;
  times.ours.push(ours);
  times.bare.push(bare);
}

/** Starts at a random moment between two blocks: otherwise the side measured second would always wait for a whole block. */
async function timed({ pauseMs }: Hires, work: () => Promise<unknown>): Promise<number> {
  await sleep(Math.random() * pauseMs);
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** The server's facilitator code with its own sponsors, so that neither waits for the other's signing turn. */
async function openOwnFacilitator({ localChains, chains, database: { pool } }: TestMarket): Promise<Facilitator> {
  assert.ok(localChains);
  const sponsors = {
    solana: createLocalSolanaSigner(randomBytes(32).toString('hex')),
    evm: createLocalEvmSigner(randomBytes(32).toString('hex')),
  };
  for (const { network } of localChains.networks) {
    const isSolana = network === 'solana-mainnet';
    const address = isSolana ? sponsors.solana.address : sponsors.evm.address;
    await localChains.fund({ network, address, usdcMicros: 0n, native: isSolana ? 10n ** 10n : 10n ** 19n });
  }
  return await openFacilitator({
    remote: undefined,
    endpoints: localEndpoints(localChains.networks),
    sponsors,
    chains,
    pool,
    pendings: rememberInMemory(),
    log: { ...silent } as never,
    metrics: { gauge: () => undefined },
  });
}

interface RpcCall {
  readonly url: string;
  readonly body: string;
}

async function sendAgain({ url, body }: RpcCall): Promise<void> {
  await (await fetch(url, { method: 'POST', headers: JSON_HEADERS, body })).text();
}

interface RecordedCalls {
  start(): void;
  stop(): readonly (readonly RpcCall[])[];
  /** Restores the process's own `fetch`. */
  close(): void;
}

/** Delays this process's calls to the nodes and records them, in groups of calls that ran at the same time. */
function recordRpcCalls({ localChains }: TestMarket): RecordedCalls {
  const nodes = new Set(localChains?.networks.map(({ rpcUrl }) => rpcUrl));
  const real = globalThis.fetch;
  let groups: RpcCall[][] | undefined;
  let underWay = 0;
  globalThis.fetch = async (input, init) => {
    if (typeof input !== 'string' || !nodes.has(input)) return await real(input, init);
    const call = { url: input, body: String(init?.body) };
    if (underWay === 0) groups?.push([call]);
    else groups?.at(-1)?.push(call);
    underWay += 1;
    try {
      await sleep(NODE_MS);
      return await real(input, init);
    } finally {
      underWay -= 1;
    }
  };
  return {
    start() {
      groups = [];
    },
    stop() {
      const all = groups ?? [];
      groups = undefined;
      return all;
    },
    close() {
      globalThis.fetch = real;
    },
  };
}
