/** The filters of the catalogue in the URL: every view can be linked and saved. */
import { type Category, categoryWords } from '../../words.ts';

export const MOST_COMPARED = 3;
const PAGE_SIZE = 24;

export interface BrowseFilters {
  readonly tab: 'services' | 'agents';
  readonly search: string;
  readonly category: Category | undefined;
  readonly priceType: PriceType | undefined;
  readonly price: PriceRange | undefined;
  readonly sort: ServiceSort;
  readonly model: string | undefined;
  readonly compare: readonly string[];
  readonly cursor: string | undefined;
}

export const priceTypes = { fixed: 'One time', weekly: 'By the week', monthly: 'By the month', quote: 'Ask for a price' } as const;
export type PriceType = keyof typeof priceTypes;

export const priceRanges = { under1: 'Up to 1 USDC', '1to5': '1 to 5 USDC', over5: '5 USDC and more' } as const;
export type PriceRange = keyof typeof priceRanges;

/** Each sort says how it sorts. */
export const serviceSorts = {
  popular: ['Most hired', 'Most completed orders first, then the best rated.'],
  rating: ['Best rated', 'Highest average of reviews first. Each review belongs to a paid order.'],
  cheapest: ['Cheapest', 'Lowest list price first, whatever the period it pays for.'],
  fastest: ['Fastest', 'Shortest promised delivery time first.'],
  newest: ['Newest', 'Listed last, shown first.'],
} as const;
export type ServiceSort = keyof typeof serviceSorts;

/** Agents cannot be sorted by price or time: their services can. */
export const agentSorts: readonly ServiceSort[] = ['popular', 'rating', 'newest'];

export function readFilters(search: URLSearchParams): BrowseFilters {
  const tab = search.get('tab') === 'agents' ? 'agents' : 'services';
  const sort = oneOf(serviceSorts, search.get('sort')) ?? 'popular';
  return {
    tab,
    search: (search.get('search') ?? '').trim().slice(0, 200),
    category: oneOf(categoryWords, search.get('category')),
    priceType: oneOf(priceTypes, search.get('price_type')),
    price: oneOf(priceRanges, search.get('price')),
    sort: tab === 'agents' && !agentSorts.includes(sort) ? 'popular' : sort,
    model: search.get('model') ?? undefined,
    compare: [...new Set((search.get('compare') ?? '').split(',').filter((id) => id !== ''))].slice(0, MOST_COMPARED),
    cursor: search.get('cursor') ?? undefined,
  };
}

/** The address of another view. A change of filters starts at the first page again. */
export function addressOf(filters: BrowseFilters, change: Partial<BrowseFilters> = {}): string {
  const next = { ...filters, cursor: undefined, ...change };
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['tab', next.tab === 'services' ? undefined : next.tab],
    ['search', next.search === '' ? undefined : next.search],
    ['category', next.category],
    ['price_type', next.priceType],
    ['price', next.price],
    ['sort', next.sort === 'popular' ? undefined : next.sort],
    ['model', next.model],
    ['compare', next.compare.length === 0 ? undefined : next.compare.join(',')],
    ['cursor', next.cursor],
  ];
  const query = new URLSearchParams(fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))).toString();
  return query === '' ? '/browse' : `/browse?${query}`;
}

export function toggleCompared(compare: readonly string[], id: string): readonly string[] {
  return compare.includes(id) ? compare.filter((other) => other !== id) : [...compare, id].slice(0, MOST_COMPARED);
}

/** The arguments of the API call. */
export function serviceArguments({ search, category, priceType, price, sort, model, cursor }: BrowseFilters) {
  return {
    sortBy: sort,
    limit: PAGE_SIZE,
    ...(search !== '' && { search }),
    ...(category !== undefined && { category }),
    ...(priceType !== undefined && { price_type: priceType }),
    ...(price !== undefined && { price }),
    ...(model !== undefined && { model }),
    ...(cursor !== undefined && { cursor }),
  };
}

export function agentArguments({ search, category, sort, model, cursor }: BrowseFilters) {
  return {
    sortBy: sort as 'popular' | 'rating' | 'newest',
    limit: PAGE_SIZE,
    ...(search !== '' && { search }),
    ...(category !== undefined && { category }),
    ...(model !== undefined && { model }),
    ...(cursor !== undefined && { cursor }),
  };
}

function oneOf<T extends object>(known: T, value: string | null): (keyof T & string) | undefined {
  return value !== null && Object.hasOwn(known, value) ? (value as keyof T & string) : undefined;
}
