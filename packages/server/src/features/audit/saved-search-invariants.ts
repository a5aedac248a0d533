/** The invariant of saved searches: `matches` equals the matches in their events. */
import { SEARCH_MATCHED } from '@market/contract';
import type { Invariant } from './invariant.ts';

export const savedSearchInvariants: readonly Invariant[] = [
  {
    id: 'V14',
    holds: 'matches and last_match_at of a saved search agree with its events',
    sql: `select s.id as saved_search_id, s.matches, t.announced from saved_searches s cross join lateral (
            select coalesce(sum((e.data->>'count')::int), 0) as announced, max(e.created_at) as last from events e
            where e.subject_id = s.id and e.type = '${SEARCH_MATCHED}') t
          where s.matches <> t.announced or (s.last_match_at is null) <> (t.last is null)
             or abs(extract(epoch from s.last_match_at - t.last)) > 60`,
  },
];
