/** Saved searches: looks for new entries of a list and notifies the owner. */
import type { HandlersOf } from '../../../access/call.ts';
import { removeSearch } from './commands/remove-search.ts';
import { saveSearch } from './commands/save-search.ts';
import { ownersOf } from './owners.ts';
import { presentSavedSearch } from './present.ts';
import { listOf } from './repository.ts';
import type { SavedSearchesContext } from './saved-searches-context.ts';

export function savedSearchHandlers(context: SavedSearchesContext): HandlersOf<'savedSearches'> {
  return {
    save: saveSearch(context),
    async list(_input, { caller }) {
      const rows = await listOf(context.database.db, ownersOf(caller));
      return { data: rows.map((row) => presentSavedSearch(row, context.appUrl)) };
    },
    remove: removeSearch(),
  };
}

export { lookForMatchesJob } from './look-for-matches.ts';
