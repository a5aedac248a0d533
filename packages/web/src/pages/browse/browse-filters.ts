/** The filters of the catalogue in the URL: every view can be linked and saved. */
import { searchWeights } from '@market/contract';
import type { Arguments } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { categoryWords, payoutChainWords } from '../../words.ts';
import { pageArguments, readPage } from '../shared/page-number.ts';

export const MOST_COMPARED = 3;
export const PAGE_SIZE = 24;
/** Number of hits per kind in the views of agents and bounties by words. */
const HITS_OF_EACH = 20;

export type BrowseTab = 'services' | 'agents' | 'bounties';

/** The values of each filter of services, under its name in the URL and in the API. */
export const facetWords = {
  category: categoryWords,
  price: {
    '0-1': 'Under 1 USDC',
    '1-5': 'From 1 to 5 USDC',
    '5-25': 'From 5 to 25 USDC',
    '25-100': 'From 25 to 100 USDC',
    '100-': '100 USDC and more',
    '5-': '5 USDC and more',
  },
  price_type: { fixed: 'One time', weekly: 'By the week', monthly: 'By the month', quote: 'Ask for a price' },
  delivery: { '1': 'Within an hour', '24': 'Within a day', '72': 'Within 3 days', '168': 'Within a week' },
  rating: { '3': '3 of 5 and better', '4': '4 of 5 and better', '4.5': '4.5 of 5 and better' },
  answering: { '1': 'Its agent answers now' },
  chain: payoutChainWords,
} as const;
export type BrowseFacet = keyof typeof facetWords;
export type Chosen = { readonly [F in BrowseFacet]?: (keyof (typeof facetWords)[F] & string) | undefined };
const facets = Object.keys(facetWords) as BrowseFacet[];

/** Price ranges in former links. */
const earlierPrices: Readonly<Record<string, keyof typeof facetWords.price>> = { under1: '0-1', '1to5': '1-5', over5: '5-' };

export interface BrowseFilters {
  readonly tab: BrowseTab;
  readonly search: string;
  readonly chosen: Chosen;
  /** Undefined: the default of the view, see `sortOf`. */
  readonly sort: ServiceSort | undefined;
  readonly model: string | undefined;
  readonly compare: readonly string[];
  /** Counts from 1. */
  readonly page: number;
}

const percent = (part: keyof typeof searchWeights): string => `${Math.round(searchWeights[part] * 100)}%`;

/** Sorts with a description each. */
export const serviceSorts = {
  relevance: [
    'Best match',
    `The score is ${percent('words')} how well the words fit, ${percent('reputation')} reputation, ${percent('orders')} completed orders, weighed by price, and ${percent('answering')} answering now.`,
  ],
  popular: ['Most hired', 'Most completed orders first, weighed by price, then the best rated.'],
  rating: ['Best rated', 'Most certainly rated high first: reviews weigh by the price of their order, and many beat few.'],
  cheapest: ['Cheapest', 'Lowest list price first, whatever the period it pays for.'],
  fastest: ['Fastest', 'Shortest promised delivery time first.'],
  newest: ['Newest', 'Listed last, shown first.'],
} as const;
export type ServiceSort = keyof typeof serviceSorts;

/** Agents cannot be sorted by price or time, only their services can. */
const agentSorts: readonly ServiceSort[] = ['popular', 'rating', 'newest'];

export function sortsOf(filters: BrowseFilters): readonly ServiceSort[] {
  if (filters.tab === 'services') return Object.keys(serviceSorts) as ServiceSort[];
  if (filters.tab === 'bounties') return ['relevance'];
  return isRanked({ ...filters, sort: undefined }) ? ['relevance', ...agentSorts] : agentSorts;
}

/** With search words the best match comes first, otherwise the most hired. */
export function sortOf(filters: BrowseFilters): ServiceSort {
  return filters.sort ?? (filters.search !== '' && (filters.tab !== 'agents' || isRanked(filters)) ? 'relevance' : 'popular');
}

/** Whether the view shows agents or bounties by words, which come from the search over all kinds. It takes no filters. */
export function isRanked({ tab, search, chosen, sort, model }: BrowseFilters): boolean {
  if (search === '' || tab === 'services') return false;
  if (tab === 'bounties') return true;
  return chosen.category === undefined && model === undefined && (sort === undefined || sort === 'relevance');
}

export function readFilters(search: URLSearchParams): BrowseFilters {
  const asked = search.get('tab');
  const tab = asked === 'agents' || asked === 'bounties' ? asked : 'services';
  const price = search.get('price') ?? '';
  const filters: BrowseFilters = {
    tab,
    search: (search.get('search') ?? '').trim().slice(0, 200),
    chosen: Object.fromEntries(
      facets.flatMap((facet) => {
        const value = facet === 'price' && Object.hasOwn(earlierPrices, price) ? earlierPrices[price] : search.get(facet);
        return value != null && Object.hasOwn(facetWords[facet], value) ? [[facet, value]] : [];
      }),
    ),
    sort: oneOf(serviceSorts, search.get('sort')),
    model: (search.get('model') ?? '').slice(0, 100) || undefined,
    compare: [...new Set((search.get('compare') ?? '').split(',').filter((id) => id !== ''))].slice(0, MOST_COMPARED),
    page: readPage(search),
  };
  const offered = filters.sort !== undefined && sortsOf(filters).includes(filters.sort);
  return offered ? filters : { ...filters, sort: undefined };
}

/** The URL of another view. A change of filters returns to the first page. */
export function addressOf(filters: BrowseFilters, change: Partial<BrowseFilters> = {}): string {
  const next = { ...filters, page: 1, ...change };
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['tab', next.tab === 'services' ? undefined : next.tab],
    ['search', next.search === '' ? undefined : next.search],
    ...facets.map((facet) => [facet, next.chosen[facet]] as const),
    ['sort', next.sort === sortOf({ ...next, sort: undefined }) ? undefined : next.sort],
    ['model', next.model],
    ['compare', next.compare.length === 0 ? undefined : next.compare.join(',')],
    ['page', next.page === 1 ? undefined : String(next.page)],
  ];
  const query = new URLSearchParams(fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))).toString();
  return query === '' ? sitePaths.browse : `${sitePaths.browse}?${query}`;
}

/** The URL with this value of a filter, or without it if it is chosen already. */
export function toggleAddress(filters: BrowseFilters, facet: BrowseFacet, value: string): string {
  return addressOf(filters, { chosen: { ...filters.chosen, [facet]: filters.chosen[facet] === value ? undefined : value } });
}

export function toggleCompared(compare: readonly string[], id: string): readonly string[] {
  return compare.includes(id) ? compare.filter((other) => other !== id) : [...compare, id].slice(0, MOST_COMPARED);
}

/** The view as arguments of the API call. */
export function serviceArguments(filters: BrowseFilters): Arguments<'search.services'> {
  const { search, chosen, model } = filters;
  return {
    sortBy: sortOf(filters),
    ...pageArguments(filters.page, PAGE_SIZE),
    ...(search !== '' && { q: search }),
    ...chosen,
    ...(model !== undefined && { model }),
  };
}

export function agentArguments(filters: BrowseFilters): Arguments<'agents.list'> {
  const { search, chosen, model } = filters;
  return {
    sortBy: sortOf(filters) as 'popular' | 'rating' | 'newest',
    ...pageArguments(filters.page, PAGE_SIZE),
    ...(search !== '' && { search }),
    ...(chosen.category !== undefined && { category: chosen.category }),
    ...(model !== undefined && { model }),
  };
}

/** The arguments for the best hits of each kind and their number. */
export function everythingArguments({ search }: Pick<BrowseFilters, 'search'>): Arguments<'search.everything'> {
  return { q: search, each: HITS_OF_EACH };
}

function oneOf<T extends object>(known: T, value: string | null): (keyof T & string) | undefined {
  return value !== null && Object.hasOwn(known, value) ? (value as keyof T & string) : undefined;
}
