/** The wire shape of a saved search, for its owner. */
import { type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import { pathOf, readFilters } from './filters.ts';
import type { SavedSearchRow } from './repository.ts';

type WireSavedSearch = OperationAnswer<Operations['savedSearches']['save']>['data'];

export function presentSavedSearch(row: SavedSearchRow, appUrl: string): WireSavedSearch {
  const { list, filters } = readFilters(row.list, row.filters);
  return {
    id: row.id,
    name: row.name,
    list,
    services: list === 'services' ? filters : null,
    bounties: list === 'bounties' ? filters : null,
    url: `${appUrl}${pathOf(row.list, row.filters)}`,
    matches: row.matches,
    last_match_at: row.lastMatchAt === null ? null : toWireTime(row.lastMatchAt),
    created_at: toWireTime(row.createdAt),
  };
}
