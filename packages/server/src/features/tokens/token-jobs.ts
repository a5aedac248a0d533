/** Background work: reads prices also while nobody looks, so that charts have no holes, and thins out old ones. */
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { listMints, thinPrices } from './prices-repository.ts';
import type { TokensContext } from './tokens-context.ts';

const ROUND_SECONDS = 900;
const MOST_TOKENS = 1_000;

export function tokenJobs({ database: { db }, prices }: Pick<TokensContext, 'database' | 'prices'>): readonly JobDefinition[] {
  return [
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
