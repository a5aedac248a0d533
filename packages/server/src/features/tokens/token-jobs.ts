/**
 * Background work. Reads prices even while nobody looks, so that charts have no holes, and thins out old prices. Compares the names of
 * tokens made elsewhere with their mints, daily, also for tokens of earlier versions.
 */
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { listMints, thinPrices } from './prices-repository.ts';
import { readNames } from './read-names.ts';
import type { TokensContext } from './tokens-context.ts';

const ROUND_SECONDS = 900;
const MOST_TOKENS = 1_000;

export function tokenJobs(context: TokensContext): readonly JobDefinition[] {
  const {
    database: { db },
    prices,
  } = context;
  return [
    defineJob({
      kind: 'tokens.read_names',
      queue: 'tokens',
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: ROUND_SECONDS,
      run: () => readNames(context),
    }),
    defineJob({
      kind: 'tokens.read_prices',
      // A queue of its own, because the source may be slow.
      queue: 'tokens',
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: ROUND_SECONDS,
      async run() {
        await thinPrices(db);
        const mints = prices === undefined ? [] : await listMints(db, MOST_TOKENS);
        // Reading a price stores it.
        if (mints.length > 0) await prices?.read(mints);
      },
    }),
  ];
}
