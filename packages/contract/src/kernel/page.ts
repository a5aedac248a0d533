/** Paging of every list: `limit` + `offset`, or `limit` + the `next_cursor` of the page before. */
import { z } from 'zod';
import { text } from './wire.ts';

export function pageQuery(defaultLimit: number, maxLimit: number) {
  return {
    limit: z.coerce
      .number<number>('limit must be a whole number.')
      .int('limit must be a whole number.')
      .min(1, 'limit must be at least 1.')
      .overwrite((value) => Math.min(value, maxLimit))
      .default(defaultLimit)
      .describe(`Rows per page, 1-${maxLimit}; larger values count as ${maxLimit}`),
    offset: z.coerce
      .number<number>('offset must be a whole number.')
      .int('offset must be a whole number.')
      .min(0, 'offset must be 0 or more.')
      .max(1_000_000, 'offset is too large: use cursor.')
      .default(0)
      .describe('Rows to skip; ignored with `cursor`'),
    cursor: z.string().min(1).max(1000).optional().describe('`next_cursor` of the page before'),
  };
}

const MOST_SEARCHED = 200;

/** Field `q`: searches a list by text in the named fields. A missing or blank `q` lists all. */
export function searchIn(...shown: readonly [string, ...string[]]) {
  const names = [shown.slice(0, -1).join(', '), shown.at(-1)].filter((words) => words !== '').join(' or ');
  return {
    q: text(0, MOST_SEARCHED, 'q').optional().describe(`Only entries with this text in their ${names}, in upper or lower case`),
  };
}

export const pageExtras = z.object({
  total: z.int().min(0).describe('Rows that match the filters'),
  next_cursor: z.string().nullable().describe('Pass as `cursor` for the next page; null on the last one'),
});
