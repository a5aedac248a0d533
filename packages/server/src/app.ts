/** Composition root: adapters and features become one application that does not listen yet. */
import { operationsOf } from '@market/contract';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './app/app-options.ts';
import { createJobs } from './app/create-jobs.ts';
import { openExecutor } from './app/open-executor.ts';
import { openParts } from './app/open-parts.ts';
import { openSurfaces } from './app/open-surfaces.ts';
import { createReadiness, type Readiness } from './app/readiness.ts';
import { writeEarlierPrices } from './features/earn/index.ts';
import { createDemo } from './features/sandbox/demo/index.ts';
import { newSandboxPass } from './platform/random.ts';
import type { Executor } from './surfaces/execute-operation.ts';

export interface App {
  readonly http: FastifyInstance;
  /** Calls an operation without a transport of its own. */
  readonly executor: Executor;
  startJobs(): Promise<void>;
  /** Starts demo content and sample agents, if the settings want them; call it once this process listens. */
  startDemo(): void;
  /** The parts that are not ready, as `/readyz` answers. */
  readonly unreadyParts: Readiness;
  /** Finishes running requests and returns unfinished jobs to the queue. The caller closes the database. */
  stop(): Promise<void>;
}

const JOBS_GRACE_MS = 4_000;
const CALLS_GRACE_MS = 3_000;
const REQUESTS_GRACE_MS = 5_000;

export async function createApp(options: AppOptions): Promise<App> {
  const { config, addresses } = options;
  const parts = await openParts(options);
  const { shared, outbound, feeds, payments } = parts;
  const served = operationsOf(config.profile);
  const pass = config.demo ? newSandboxPass() : undefined;
  const executor = openExecutor(options, parts, { served, pass });
  let stopping = false;
  const unreadyParts = createReadiness({ ...options, isStopping: () => stopping });
  const http = await openSurfaces(options, parts, { served, executor, unreadyParts });
  const jobs = createJobs(options, parts);
  const demo =
    pass === undefined
      ? undefined
      : createDemo({ ...shared, selfUrl: addresses.selfUrl, pass, onMade: () => writeEarlierPrices(parts.earn) });

  return {
    http,
    executor,
    unreadyParts,
    startJobs: jobs.start,
    startDemo: () => demo?.start(),
    async stop() {
      stopping = true;
      // Hang up on outbound calls early enough that their requests can still record the failure.
      const hangUp = setTimeout(outbound.close, CALLS_GRACE_MS);
      // A client that never finishes its request must not block the shutdown.
      const impatience = setTimeout(() => http.server.closeAllConnections(), REQUESTS_GRACE_MS);
      // Streams never end by themselves: each sends `bye`, and its reader reconnects to another process.
      feeds.hub.stop();
      // Requests that wait for a payment answer now; the client retries on another process.
      payments.waitingRoom.close();
      // The demo calls this process, so it stops first.
      await demo?.stop();
      await Promise.all([http.close(), jobs.stop(JOBS_GRACE_MS)]);
      outbound.close();
      clearTimeout(hangUp);
      clearTimeout(impatience);
      shared.clock.stop();
    },
  };
}
