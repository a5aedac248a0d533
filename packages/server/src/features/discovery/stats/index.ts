/** Public statistics: figures, activity, categories, explorer, held funds. Read only, the same for all callers. */
import { z } from 'zod';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import { listHappenings } from './activity.ts';
import { createBriefCache } from './brief-cache.ts';
import { explorerHandlers } from './explorer.ts';
import { sumFinishedDays } from './figures-repository.ts';
import { readHeld } from './held.ts';
import { readMetrics, readPlatformStats } from './overview.ts';
import { readTreasuries } from './read-treasuries.ts';
import { listDays, readBoard } from './series.ts';
import type { CachedStats, StatsContext } from './stats-context.ts';
import { readTokenPrices, type TokenPricesContext } from './token-prices.ts';

/** Cache time for shared caches. */
const PUBLIC_SECONDS = 3;
const TREASURY_SECONDS = 30;
const SUM_SECONDS = 600;

export function statsHandlers(stats: StatsContext & TokenPricesContext): HandlersOf<'stats'> {
  const context: CachedStats = { ...stats, cache: createBriefCache(stats.clock.realNow) };
  const explorer = explorerHandlers(context);
  return {
    platform: shared(readPlatformStats(context)),
    metrics: shared(readMetrics(context)),
    activity: shared(listHappenings(context)),
    board: shared(readBoard(context)),
    daily: shared(listDays(context)),
    held: shared(readHeld(context)),
    tokenPrices: readTokenPrices(stats),
    payments: shared(explorer.payments),
    hires: shared(explorer.hires),
    payouts: shared(explorer.payouts),
  };
}

function shared<I, A>(handler: (input: I, call: Call) => Promise<A>): (input: I, call: Call) => Promise<A> {
  return async (input, call) => {
    const answer = await handler(input, call);
    call.setHeader('Cache-Control', `public, max-age=${PUBLIC_SECONDS}`);
    call.setHeader('Vary', 'Origin');
    return answer;
  };
}

export function statsJobs(context: StatsContext): readonly JobDefinition[] {
  const nothing = z.object({});
  return [
    defineJob({
      kind: 'stats.sum_days',
      payload: nothing,
      retryAfterSeconds: [],
      everySeconds: SUM_SECONDS,
      run: () => sumFinishedDays(context.database.db),
    }),
    defineJob({
      kind: 'stats.read_treasuries',
      // A queue of its own, so that slow chains hold up no other job.
      queue: 'stats',
      payload: nothing,
      retryAfterSeconds: [],
      everySeconds: TREASURY_SECONDS,
      run: () => readTreasuries(context),
    }),
  ];
}
