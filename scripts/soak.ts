// `npm run soak -- --minutes 10`: servers are killed at random marked places, on both kinds of chain, in changing weather, until the time
// is over. Then everything must have been paid exactly once and the audit must be clean. The last line is the summary.
import { parseArgs } from 'node:util';
import { finishAndProve, prepareWork, queueWork, runUntilDeath, type Work } from '../test/faults/crash-lab.ts';
import { SERVER_POINTS } from '../test/faults/crash-points.ts';
import { openSharedMoney, type SharedMoney } from '../test/money/shared-money.ts';

const NETWORKS = ['base-mainnet', 'alt-mainnet', 'solana-mainnet'] as const;
const WEATHER = ['none', 'slow', 'down', 'drop_tx', 'reorg'] as const;
const LONGEST_FAULT_SECONDS = 4;
const ROUNDS_PER_PROOF = 10;
/** Only reached where a payment was claimed before it was final, which this run does not arrange. */
const POINTS = SERVER_POINTS.filter((point) => point !== 'watch.before_finality_commit');

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.log('--minutes takes a positive number, for example: npm run soak -- --minutes 10');
  process.exit(2);
}

const startedAt = performance.now();
const elapsed = () => (performance.now() - startedAt) / 60_000;
const places = new Set<string>();
let deaths = 0;
let intents = 0;

const shared = await openSharedMoney();
try {
  while (elapsed() < minutes) await proveRounds(shared);
  console.log(
    `soak: sound. ${deaths} kills at ${places.size} places in ${elapsed().toFixed(1)} minutes, ${intents} payouts and refunds, each paid once, audit clean`,
  );
} catch (error) {
  console.log(error);
  console.log(`soak: FAILED after ${deaths} kills in ${elapsed().toFixed(1)} minutes`);
  process.exitCode = 1;
} finally {
  await shared.close();
}

async function proveRounds(shared: SharedMoney): Promise<void> {
  const works: Work[] = [];
  for (let round = 0; round < ROUNDS_PER_PROOF && elapsed() < minutes; round++) {
    const work = await prepareWork(shared, pick(NETWORKS));
    await queueWork(shared, work);
    const place = pick(POINTS);
    // A payout and a refund go through the same places, so those of payouts come twice.
    const point = place.startsWith('payout.') && Math.random() < 0.3 ? `${place}:2` : place;
    const fault = { network: pick(NETWORKS), mode: pick(WEATHER) };
    let isSet = false;
    await runUntilDeath(shared, point, work, async () => {
      if (!isSet) await shared.localChains.setFault({ ...fault, seconds: 1 + Math.random() * LONGEST_FAULT_SECONDS });
      isSet = true;
    });
    await shared.localChains.setFault({ network: fault.network, mode: 'none' });
    works.push(work);
    places.add(place);
    deaths += 1;
    console.log(`${elapsed().toFixed(2)} min  killed at ${point} on ${work.network}, ${fault.network} ${fault.mode}`);
  }
  await finishAndProve(shared, works);
  intents += 2 * works.length;
  console.log(`${elapsed().toFixed(2)} min  ${works.length} payouts and ${works.length} refunds paid once each, audit clean`);
}

function pick<T>(choices: readonly T[]): T {
  const choice = choices[Math.floor(Math.random() * choices.length)];
  if (choice === undefined) throw new Error('nothing to choose from');
  return choice;
}
