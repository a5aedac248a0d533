/** Removes a saved search of the caller. Other people's searches answer 404. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { ownersOf } from '../owners.ts';
import { deleteSearch } from '../repository.ts';

export function removeSearch(): HandlersOf<'savedSearches'>['remove'] {
  return async ({ id }, call) =>
    await call.commit(async (tx) => {
      const removed = await deleteSearch(tx, id, ownersOf(call.caller));
      if (removed === undefined) throw new MarketError('saved_search_not_found');
      return { data: { id: removed, removed: true } };
    });
}
