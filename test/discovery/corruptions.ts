/** Ways to spoil a saved search with matches, and the invariant that must notice each. */
import type { Corruption } from '../money/corruptions.ts';

export const savedSearchCorruptions: readonly Corruption[] = [
  { what: 'a match that nobody was told of', breaks: 'V14', sql: ['update saved_searches set matches = matches + 1 where matches > 0'] },
  {
    what: 'a saved search that forgot its matches',
    breaks: 'V14',
    sql: ['update saved_searches set matches = 0, last_match_at = null where matches > 0'],
  },
  {
    what: 'a wrong time of the last match',
    breaks: 'V14',
    sql: [`update saved_searches set last_match_at = last_match_at - interval '1 day' where matches > 0`],
  },
];
