/** Looks for new matches of saved searches, by querying their lists for entries listed since the last look. */
import { type SavedSearchId, SEARCH_MATCHED, type SearchMatched, savedSearchLimits } from '@market/contract';
import { z } from 'zod';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { EventReader } from '../../../platform/events/event-log.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import { searchBounties } from '../../bounties/index.ts';
import { findNewServices } from '../search/index.ts';
import { pathOf, readFilters } from './filters.ts';
import { type DueSearch, listDue, lockDue, postponeLook, recordLook } from './repository.ts';
import type { SavedSearchesContext } from './saved-searches-context.ts';

const ROUND_SECONDS = savedSearchLimits.roundMinutes * 60;
const READ_AT_ONCE = 1_000;

export function lookForMatchesJob(context: SavedSearchesContext): JobDefinition {
  return defineJob({
    kind: 'saved_searches.look',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: ROUND_SECONDS,
    async run(_payload, { signal }) {
      let due: readonly SavedSearchId[];
      do {
        due = await listDue(context.database.db, READ_AT_ONCE);
        for (const id of due) {
          if (signal.aborted) return;
          await look(context, id);
        }
        // Every look postpones its search, even a failed one. A short page means that other processes look at the rest.
      } while (due.length === READ_AT_ONCE);
    },
  });
}

/** Looks for one search. A failure is logged and does not hold up the others. */
async function look(context: SavedSearchesContext, id: SavedSearchId): Promise<void> {
  const { database, log } = context;
  try {
    await database.transaction((tx) => lookOnce(tx, context, id));
  } catch (error) {
    log.error({ err: error, saved_search: id }, 'looking for matches of a saved search failed');
    await postponeLook(database.db, id);
  }
}

/** Works under the lock of the search, so two processes never announce the same match. After a crash the search is still due. */
async function lookOnce(tx: Tx, { events, appUrl }: SavedSearchesContext, id: SavedSearchId): Promise<void> {
  const search = await lockDue(tx, id);
  if (search === undefined) return;
  const found = search.isSilent || search.until <= search.lookedUntil ? NOTHING : await findNew(tx, search);
  if (found.count > 0) {
    const link = pathOf(search.list, search.filters);
    const data: SearchMatched = { saved_search_id: id, name: search.name, list: search.list, ...found, url: `${appUrl}${link}` };
    const readers = [search.owner as EventReader];
    await events.append(tx, [{ type: SEARCH_MATCHED, subjectId: id, readers, data, context: { owner: search.owner, link } }]);
  }
  await recordLook(tx, search, found.count);
  reachCrashPoint('saved_search.before_commit');
}

type Found = Pick<SearchMatched, 'count' | 'at_least' | 'titles'>;

const NOTHING: Found = { count: 0, at_least: false, titles: [] };

async function findNew(tx: Tx, { list, filters: spelled, lookedUntil: after, until }: DueSearch): Promise<Found> {
  const search = readFilters(list, spelled);
  const limit = savedSearchLimits.namedTitles;
  const period = { after, until };
  if (search.list === 'services') {
    const { rows, total, totalCapped } = await findNewServices(tx, search.filters, period, limit);
    return { count: total, at_least: totalCapped, titles: rows.map(({ title }) => title) };
  }
  const paging = { status: 'open', sort: 'newest', facets: '0', limit, offset: 0, cursor: undefined } as const;
  const { rows, total } = await searchBounties(tx, { ...search.filters, ...paging }, period);
  return { count: total, at_least: false, titles: rows.map(({ title }) => title) };
}
