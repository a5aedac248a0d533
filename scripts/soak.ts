// `npm run soak -- --minutes 10`: kills servers at random crash points, on both kinds of chain, with changing faults of chains and jumps
// of market time, while people hire, deliver, approve, dispute and cancel, until the time is over. Then every payment must have
// happened exactly once, every accepted command must have been kept and the audit must be clean. The last line is the summary.
import { parseArgs } from 'node:util';
import { networkNames } from '@market/contract';
import { finishAndProve, prepareWork, queueWork, runUntilDeath, type Work } from '../test/faults/crash-lab.ts';
import { ORDER_POINTS, SERVER_POINTS } from '../test/faults/crash-points.ts';
import { openSharedMoney, type SharedMoney } from '../test/money/shared-money.ts';
import { type Crowd, openCrowd } from '../test/orders/crowd.ts';
import { HOUR, passTime } from '../test/orders/market-time.ts';

const NETWORKS = networkNames;
const FAULTS = ['none', 'slow', 'down', 'drop_tx', 'reorg'] as const;
const LONGEST_FAULT_SECONDS = 4;
const ROUNDS_PER_PROOF = 10;
const ACTS_AT_ONCE = 6;
const FIRST_ACTS = 60;
/** Long enough to end some review or delivery windows, seldom all. */
const LEAP_HOURS = 25;
/** Crash points of the server, without the one that needs a payment claimed before finality, which this run does not make. */
const POINTS = SERVER_POINTS.filter((point) => point !== 'watch.before_finality_commit');

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.log('--minutes takes a positive number, for example: npm run soak -- --minutes 10');
  process.exit(2);
}

const startedAt = performance.now();
const elapsed = () => (performance.now() - startedAt) / 60_000;
const pointsHit = new Set<string>();
let deaths = 0;
let intents = 0;
let kept = 0;

const shared = await openSharedMoney();
try {
  while (elapsed() < minutes) await proveRounds(shared);
  console.log(
    `soak: sound. ${deaths} kills at ${pointsHit.size} points in ${elapsed().toFixed(1)} minutes, ${intents} payouts and refunds, each paid once, ${kept} commands on orders, each kept, audit clean`,
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
    const picked = pick([...POINTS, ...ORDER_POINTS]);
    // A payout and a refund pass the same points, so a payout point may be hit at its second pass.
    const point = picked.startsWith('payout.') && Math.random() < 0.3 ? `${picked}:2` : picked;
    const fault = { network: pick(NETWORKS), mode: pick(FAULTS) };
    if (Math.random() < 0.3) await passTime(shared, LEAP_HOURS * HOUR);
    let isSet = false;
    await runUntilDeath(shared, point, work, async ({ url }) => {
      if (!isSet) await shared.localChains.setFault({ ...fault, seconds: 1 + Math.random() * LONGEST_FAULT_SECONDS });
      isSet = true;
      await Promise.all(Array.from({ length: ACTS_AT_ONCE }, () => crowd.act(url)));
      if (picked === 'timer.before_commit') await passTime(shared, LEAP_HOURS * HOUR);
    });
    await shared.localChains.setFault({ network: fault.network, mode: 'none' });
    works.push(work);
    pointsHit.add(picked);
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

/** Signs the crowd up at a server that is not killed, and lets it begin some orders. */
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
