/** The public data of the event of a saved search. Only its owner reads it. */
import { z } from 'zod';
import { savedSearchLists } from './schema.ts';

export const SEARCH_MATCHED = 'saved_search.matched';

export const searchMatched = z.object({
  saved_search_id: z.string(),
  name: z.string(),
  list: z.enum(savedSearchLists),
  /** New matches since the last look. */
  count: z.int().min(1),
  /** True: there are more matches than `count`. */
  at_least: z.boolean(),
  /** Titles of the newest matches. */
  titles: z.array(z.string()),
  url: z.string(),
});

export type SearchMatched = z.infer<typeof searchMatched>;
