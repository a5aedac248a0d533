/** Splits the URL of a list into the part that a saved search accepts and the part it must drop. Pure. */
import { facetNames, type SavedSearchList, searchFacets, searchPrices } from '@market/contract';
import type { Answer, Arguments } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { categoryWords } from '../../words.ts';

type SavedSearch = Answer<'savedSearches.list'>['data'][number];

export interface SearchToSave {
  readonly args: Arguments<'savedSearches.save'>;
  /** Filters of the page that a saved search does not accept. */
  readonly leftOut: readonly string[];
}

/** Parameters that change how a list is shown, not its entries. */
const VIEW = ['tab', 'sort', 'compare', 'cursor', 'page', 'offset', 'state'];
const AMOUNT = /^(?:0|[1-9]\d{0,5})(?:\.\d{1,2})?$/;

export function searchToSave(list: SavedSearchList, address: URLSearchParams): SearchToSave {
  const asked = [...address].map(([name, value]) => [name, value.trim()] as const).filter(([, value]) => value !== '');
  const filters = asked.filter(([name]) => !VIEW.includes(name));
  const taken = filters.filter(([name, value]) => isTaken(list, name, value));
  const fields = Object.fromEntries(taken.map(([name, value]) => [nameIn(list, name), value.slice(0, 200)]));
  return {
    args: (list === 'services' ? { services: fields } : { bounties: fields }) as SearchToSave['args'],
    leftOut: filters.filter((one) => !taken.includes(one)).map(([name]) => name.replaceAll('_', ' ')),
  };
}

function isTaken(list: SavedSearchList, name: string, value: string): boolean {
  if (name === 'search') return true;
  if (name === 'category') return Object.hasOwn(categoryWords, value);
  if (list === 'bounties') return (name === 'min_budget' || name === 'max_budget') && AMOUNT.test(value);
  if (name === 'model') return true;
  if (name === 'price') return (searchPrices as readonly string[]).includes(value);
  // A new service has no rating yet, so this filter would find none.
  return name !== 'rating' && facetNames.some((facet) => facet === name && (searchFacets[facet] as readonly string[]).includes(value));
}

function nameIn(list: SavedSearchList, name: string): string {
  return list === 'services' && name === 'search' ? 'q' : name;
}

/** The saved search with these filters. */
export function findSaved(saved: readonly SavedSearch[], list: SavedSearchList, { args }: SearchToSave): SavedSearch | undefined {
  const wanted = spell(args[list] ?? {});
  return saved.find((one) => one.list === list && spell(one[list] ?? {}) === wanted);
}

/** Filters spelled as the server compares them: case, white space and decimals do not matter. */
function spell(filters: object): string {
  const fields = Object.entries(filters).map(([name, value]) => {
    const text = String(value).toLowerCase().replace(/\s+/g, ' ').trim();
    return `${name}=${name.endsWith('_budget') ? Number(text) : text}`;
  });
  return fields.sort().join('&');
}

/** The path of its list, on whichever host the API names. */
export function pathOfSaved({ url }: Pick<SavedSearch, 'url'>): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

export function pathOfList(list: SavedSearchList, address: URLSearchParams): string {
  const page = list === 'services' ? sitePaths.browse : sitePaths.bounties;
  const query = address.toString();
  return query === '' ? page : `${page}?${query}`;
}
