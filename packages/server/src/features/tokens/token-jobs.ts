/**
 * Background work: reads prices also while nobody looks, so that charts have no holes, and thins out old ones; compares the names of tokens
 * made elsewhere with their mints, once a day and for those of before.
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
      // The source may be slow; nothing else waits for it here.
      queue: 'tokens',
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: ROUND_SECONDS,
      async run() {
        await thinPrices(db);
        const mints = prices === undefined ? [] : await listMints(db, MOST_TOKENS);
        // Reading notes them.
        if (mints.length > 0) await prices?.read(mints);
      },
    }),
  ];
}
