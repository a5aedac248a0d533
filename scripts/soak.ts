// `npm run soak -- --minutes 10`: servers are killed at random marked places, on both kinds of chain, in changing weather and at changing
// times of the market, while people hire, deliver, approve, dispute and cancel on them, until the time is over. Then everything must have
// been paid exactly once, every yes must have been kept and the audit must be clean. The last line is the summary.
import { parseArgs } from 'node:util';
import { networkNames } from '@market/contract';
import { finishAndProve, prepareWork, queueWork, runUntilDeath, type Work } from '../test/faults/crash-lab.ts';
import { ORDER_POINTS, SERVER_POINTS } from '../test/faults/crash-points.ts';
import { openSharedMoney, type SharedMoney } from '../test/money/shared-money.ts';
import { type Crowd, openCrowd } from '../test/orders/crowd.ts';
import { HOUR, passTime } from '../test/orders/market-time.ts';

const NETWORKS = networkNames;
const WEATHER = ['none', 'slow', 'down', 'drop_tx', 'reorg'] as const;
const LONGEST_FAULT_SECONDS = 4;
const ROUNDS_PER_PROOF = 10;
const ACTS_AT_ONCE = 6;
const FIRST_ACTS = 60;
/** Enough for some review or delivery to be over, seldom for all. */
const LEAP_HOURS = 25;
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
let kept = 0;

const shared = await openSharedMoney();
try {
  while (elapsed() < minutes) await proveRounds(shared);
  console.log(
    `soak: sound. ${deaths} kills at ${places.size} places in ${elapsed().toFixed(1)} minutes, ${intents} payouts and refunds, each paid once, ${kept} commands on orders, each kept, audit clean`,
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
  const crowd = await gatherCrowd(shared);
  for (let round = 0; round < ROUNDS_PER_PROOF && elapsed() < minutes; round++) {
    const work = await prepareWork(shared, pick(NETWORKS));
    await queueWork(shared, work);
    const place = pick([...POINTS, ...ORDER_POINTS]);
    // A payout and a refund go through the same places, so those of payouts come twice.
    const point = place.startsWith('payout.') && Math.random() < 0.3 ? `${place}:2` : place;
    const fault = { network: pick(NETWORKS), mode: pick(WEATHER) };
    if (Math.random() < 0.3) await passTime(shared, LEAP_HOURS * HOUR);
    let isSet = false;
    await runUntilDeath(shared, point, work, async ({ url }) => {
      if (!isSet) await shared.localChains.setFault({ ...fault, seconds: 1 + Math.random() * LONGEST_FAULT_SECONDS });
      isSet = true;
      await Promise.all(Array.from({ length: ACTS_AT_ONCE }, () => crowd.act(url)));
      if (place === 'timer.before_commit') await passTime(shared, LEAP_HOURS * HOUR);
    });
    await shared.localChains.setFault({ network: fault.network, mode: 'none' });
    works.push(work);
    places.add(place);
    deaths += 1;
    console.log(`${elapsed().toFixed(2)} min  killed at ${point} on ${work.network}, ${fault.network} ${fault.mode}`);
  }
  await finishAndProve(shared, works);
  intents += 2 * works.length;
  const granted = await crowd.requireKept();
  kept += granted;
  console.log(
    `${elapsed().toFixed(2)} min  ${works.length} payouts and ${works.length} refunds paid once each, ${granted} commands kept, audit clean`,
  );
}

/** They sign up at a server that is not killed, and bring some orders on their way. */
async function gatherCrowd(shared: SharedMoney): Promise<Crowd> {
  const server = await shared.startServer({ JOBS: 'off' });
  const crowd = await openCrowd(shared, server.url);
  for (let act = 0; act < FIRST_ACTS; act++) await crowd.act(server.url);
  await server.kill('SIGTERM');
  return crowd;
}

function pick<T>(choices: readonly T[]): T {
  const choice = choices[Math.floor(Math.random() * choices.length)];
  if (choice === undefined) throw new Error('nothing to choose from');
  return choice;
}
