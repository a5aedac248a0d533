/** Verified payments per second and chain against the bare JSON-RPC call that fetches the transaction. */
import { type NetworkName, networkNames } from '@market/contract';
import { createWaitingRoom, verifyPayment } from '../packages/server/src/features/payments/index.ts';
import { createLogger } from '../packages/server/src/platform/telemetry/logger.ts';
import { openMarket, type TestMarket, withChains } from '../test/harness/market.ts';
import { createPayer } from '../test/harness/payers.ts';
import { defineBench } from './suite/bench.ts';
import { compare, perSecond } from './suite/compare.ts';

const PARALLEL = 4;
const pathOf = (network: NetworkName): string => `payments verified on ${network}`;

export default defineBench({
  about: 'verified payments per chain against the bare RPC call',
  rows: networkNames.map((network) => ({ path: pathOf(network), unit: '/s', judged: 'ratio', direction: 'at least' }) as const),
  async run(run) {
    const market = await openMarket({ ...withChains, JOBS: 'off' });
    run.atEnd(market.close);
    const context = contextOf(market);
    const payableSince = new Date();
    const perRound = run.pick(60, 2);
    for (const { network, rpcUrl } of market.localChains?.networks ?? []) {
      const references = await makePayments(market, network, run.pick(10, 1));
      const referenceOf = (number: number): string => references[number % references.length] ?? '';
      const [method, parameters] = bareCall(network);
      const verify = async (number: number): Promise<unknown> =>
        await verifyPayment(context, {
          network,
          reference: referenceOf(number),
          purpose: 'order',
          subjectId: referenceOf(number),
          expectedMicros: 1_000n,
          payableSince,
          presenter: { wallets: [], signedPurchase: true },
        });
      const ask = async (number: number): Promise<unknown> => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: parameters(referenceOf(number)) });
        const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        return await response.text();
      };
      const figure = await compare({
        rounds: run.pick(5, 1),
        ours: async () => await perSecond(perRound, PARALLEL, verify),
        limit: async () => await perSecond(perRound, PARALLEL, ask),
        onRound: (ours, limit) => run.print(`${network}: verified ${ours.toFixed(0)}/s · bare ${method} ${limit.toFixed(0)}/s`),
      });
      run.report(pathOf(network), figure);
    }
  },
});

function contextOf({ database, chains }: TestMarket): Parameters<typeof verifyPayment>[0] {
  return {
    database,
    clock: { now: () => new Date(), realNow: () => new Date() },
    events: { append: async () => undefined, jobs: [], followers: [] },
    chains,
    log: createLogger({ level: 'silent', pretty: false }),
    finalFromMicros: 10n ** 15n,
    relayers: [],
    contest: { windowMinutes: 0, aboveMicros: 0n },
    baseUrl: 'https://market.example',
    claimHolders: {},
    waitingRoom: createWaitingRoom({ seconds: 0, places: 1 }),
  };
}

async function makePayments(market: TestMarket, network: NetworkName, count: number): Promise<string[]> {
  const payer = await createPayer(market, network);
  const references: string[] = [];
  for (let n = 0; n < count; n++) references.push(await payer.pay(payer.chain.treasury, 1_000n + BigInt(n), 'final'));
  return references;
}

function bareCall(network: NetworkName): [string, (reference: string) => unknown[]] {
  if (network !== 'solana-mainnet') return ['eth_getTransactionReceipt', (reference) => [reference]];
  return ['getTransaction', (reference) => [reference, { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' }]];
}
