// Options of `npm test -- …`.
import { parseArgs } from 'node:util';
import { TURNS, turnOfToday } from './take-turns.ts';

export interface TestOptions {
  /** Files or folders; none means all tests. */
  readonly paths: readonly string[];
  /** Only files that a change since this commit can reach. */
  readonly changedSince: string | undefined;
  /** Seed of a random order of shards, instead of stored timings. */
  readonly seed: number | undefined;
  readonly storeTimings: boolean;
  /** Run every crash point, round and random input; otherwise some of each (test/harness/thoroughness.ts). */
  readonly thorough: boolean;
  /** The turn of long files in an everyday run of all files (take-turns.ts). */
  readonly turn: number;
  /** Run a failed file once more by itself, where that is allowed (second-tries.ts). False for runs that must prove steadiness. */
  readonly secondTry: boolean;
}

export const TEST_USAGE = `npm test -- [files or folders]
  --thorough                     all files with every crash point, round, page and random input instead of some of each, as CI does
  --turn <number>                which third of the long files runs: 1, 2 or 3; another one each day unless said
  --changed [--since <commit>]   only what a change can reach through imports; since the last commit unless said
  --shuffle [--seed <number>]    in a random order, to prove that no file needs another; without a second try unless --second-try
  --no-second-try                a file that fails has failed, also when it would pass by itself
  --store-timings                keep how long each file took, for the order of later runs`;

export function readTestOptions(args: readonly string[]): TestOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      changed: { type: 'boolean', default: false },
      since: { type: 'string' },
      shuffle: { type: 'boolean', default: false },
      seed: { type: 'string' },
      thorough: { type: 'boolean', default: false },
      turn: { type: 'string' },
      'store-timings': { type: 'boolean', default: false },
      'second-try': { type: 'boolean', default: false },
      'no-second-try': { type: 'boolean', default: false },
    },
  });
  const shuffled = values.shuffle || values.seed !== undefined;
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed takes a whole number.');
  const turn = values.turn === undefined ? turnOfToday() : Number(values.turn) - 1;
  if (!(Number.isSafeInteger(turn) && turn >= 0 && turn < TURNS)) throw new Error(`--turn takes a number from 1 to ${TURNS}.`);
  return {
    paths: positionals,
    changedSince: values.changed || values.since !== undefined ? (values.since ?? 'HEAD') : undefined,
    seed: shuffled ? seed : undefined,
    thorough: values.thorough,
    turn,
    storeTimings: values['store-timings'],
    secondTry: values['second-try'] || !(shuffled || values['no-second-try']),
  };
}
