/** Verified payments per second and chain against the bare JSON-RPC call that fetches the transaction. */
import type { NetworkName } from '@market/contract';
import { createWaitingRoom, verifyPayment } from '../packages/server/src/features/payments/index.ts';
import { openMarket, withChains } from '../test/harness/market.ts';
import { createPayer } from '../test/harness/payers.ts';
import { median } from './load.ts';

const ROUNDS = 5;
const PER_ROUND = 60;
const PARALLEL = 4;

const market = await openMarket({ ...withChains, JOBS: 'off' });
const { database, chains, localChains } = market;
if (localChains === undefined) throw new Error('the local chains are off');
const clock = { now: () => new Date(), realNow: () => new Date() };
const events = { append: async () => undefined, jobs: [], followers: [] };
const context = {
  database,
  clock,
  events,
  chains,
  finalFromMicros: 10n ** 15n,
  relayers: [],
  contest: { windowMinutes: 0, aboveMicros: 0n },
  claimHolders: {},
  waitingRoom: createWaitingRoom({ seconds: 0, places: 1 }),
};
const payableSince = new Date();

for (const { network, rpcUrl } of localChains.networks) {
  const references = await makePayments(network);
  const [method, parameters] = bareCall(network);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const verified = await perSecond(references, async (reference) => {
      const presenter = { wallets: [], signedPurchase: true };
      await verifyPayment(context, {
        network,
        reference,
        purpose: 'order',
        subjectId: reference,
        expectedMicros: 1_000n,
        payableSince,
        presenter,
      });
    });
    const bare = await perSecond(references, async (reference) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: parameters(reference) });
      const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      await response.text();
    });
    ratios.push(verified / bare);
    console.log(
      `${network}: verified ${Math.round(verified)}/s · bare ${method} ${Math.round(bare)}/s · ratio ${(verified / bare).toFixed(2)}`,
    );
  }
  console.log(
    `payments on ${network}: ${median(ratios).toFixed(2)} verifications per bare call (median of ${ROUNDS}, ${PARALLEL} at a time)`,
  );
}
await market.close();

async function makePayments(network: NetworkName): Promise<string[]> {
  const payer = await createPayer(market, network);
  const references: string[] = [];
  for (let n = 0n; n < 10n; n++) references.push(await payer.pay(payer.chain.treasury, 1_000n + n, 'final'));
  return references;
}

function bareCall(network: NetworkName): [string, (reference: string) => unknown[]] {
  if (network !== 'solana-mainnet') return ['eth_getTransactionReceipt', (reference) => [reference]];
  return ['getTransaction', (reference) => [reference, { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' }]];
}

async function perSecond(references: readonly string[], work: (reference: string) => Promise<void>): Promise<number> {
  const started = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < PER_ROUND) await work(references[next++ % references.length] ?? '');
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
  return PER_ROUND / ((performance.now() - started) / 1000);
}
