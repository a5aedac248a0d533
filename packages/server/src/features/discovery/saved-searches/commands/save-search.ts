/** Saves a search. Saving the same filters again returns the same saved search. */
import { MarketError, savedSearchLimits } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { newId } from '../../../../platform/random.ts';
import { nameFilters, spellFilters } from '../filters.ts';
import { ownerOf } from '../owners.ts';
import { presentSavedSearch } from '../present.ts';
import { insertSearch, listOf, lockOwner, renameSearch } from '../repository.ts';
import type { SavedSearchesContext } from '../saved-searches-context.ts';

export function saveSearch({ clock, appUrl }: SavedSearchesContext): HandlersOf<'savedSearches'>['save'] {
  return async ({ name, services, bounties }, call) => {
    const owner = ownerOf(call.caller);
    const list = services === undefined ? 'bounties' : 'services';
    const filters = spellFilters(services ?? bounties ?? {});
    return await call.commit(async (tx) => {
      await lockOwner(tx, owner);
      const saved = await listOf(tx, [owner]);
      const same = saved.find((row) => row.list === list && row.filters.toLowerCase() === filters.toLowerCase());
      if (same !== undefined) {
        if (name !== undefined && name !== same.name) await renameSearch(tx, same.id, name);
        return { data: presentSavedSearch({ ...same, name: name ?? same.name }, appUrl) };
      }
      if (saved.length >= savedSearchLimits.perOwner) throw new MarketError('too_many_saved_searches');
      const now = clock.now();
      const id = newId('ssr', now);
      const row = await insertSearch(tx, { id, owner, list, filters, name: name ?? nameFilters(list, filters), lookedUntil: now });
      return { data: presentSavedSearch(row, appUrl) };
    });
  };
}
