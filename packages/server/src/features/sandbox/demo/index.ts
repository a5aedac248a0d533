/**
 * Demo content and sample agents of the sandbox. A child process makes and runs them, using the market like anybody. This file decides that
 * one server process starts the child, once per database.
 */
import { type DemoProcess, startDemo } from '@market/sandbox';
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { tryHoldLock } from '../../../platform/db/held-lock.ts';
import { newStorageKey } from '../../../platform/random.ts';
import type { SealedColumn } from '../../../platform/secrets/reseal.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { findDemo, insertDemo, markComplete } from './repository.ts';

export interface DemoContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly log: Logger;
  /** The address of this process. */
  readonly selfUrl: string;
  /** Called once the content is made: adds what only the service itself can add. */
  readonly onMade: () => Promise<void>;
  /** Lets the calls of the demo past the rate limits of this process. */
  readonly pass: string;
}

export interface Demo {
  start(): void;
  stop(): Promise<void>;
}

const LOCK = 'sandbox-demo';
const SEALED_AS = 'demo_content.seed';
const AGAIN_MS = 5_000;

/** The column that stores the seed of the demo's wallets. */
export const sealedDemoColumns: readonly SealedColumn[] = [
  { table: 'demo_content', keys: ['one_row'], column: 'sealed_seed', contextOf: () => SEALED_AS },
];

export function createDemo(context: DemoContext): Demo {
  const { database, log } = context;
  let stopping = false;
  let running: DemoProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();

  const takeTurn = async (): Promise<void> => {
    const lock = await tryHoldLock(database.pool, LOCK);
    if (lock === undefined) return;
    try {
      const { seed, complete } = await openContent(context);
      if (stopping) return;
      running = launch(context, seed, complete);
      await Promise.race([running.ended, lock.lost]);
      if (!stopping) log.warn('the demo ended and is started again');
    } finally {
      await running?.stop();
      running = undefined;
      await lock.release();
    }
  };

  const keepTrying = (): void => {
    turn = takeTurn()
      .catch((error: unknown) => log.warn({ err: error }, 'the demo could not run'))
      .finally(() => {
        if (!stopping) timer = setTimeout(keepTrying, AGAIN_MS).unref();
      });
  };

  return {
    start: keepTrying,
    async stop() {
      stopping = true;
      clearTimeout(timer);
      await running?.stop();
      await turn;
    },
  };
}

/** The seed of the demo's wallets is made once per database and sealed like any other secret. */
async function openContent({ database, secrets }: DemoContext): Promise<{ seed: string; complete: boolean }> {
  const found = await findDemo(database.db);
  if (found !== undefined) return { seed: secrets.open(found.sealedSeed, SEALED_AS), complete: found.completedAt !== null };
  const seed = newStorageKey() + newStorageKey();
  await insertDemo(database.db, secrets.seal(seed, SEALED_AS));
  return { seed, complete: false };
}

function launch({ database, clock, log, selfUrl, pass, onMade }: DemoContext, seed: string, complete: boolean): DemoProcess {
  return startDemo({
    access: { baseUrl: selfUrl, pass, seed },
    complete,
    onProgress: (message) => log.info(`demo: ${message}`),
    onComplete: () => {
      const finish = async (): Promise<void> => {
        await onMade();
        await markComplete(database.db, clock.now());
      };
      finish().then(
        () => log.info('demo: complete'),
        (error: unknown) => log.warn({ err: error }, 'the demo could not be marked complete; the next start looks again'),
      );
    },
  });
}
