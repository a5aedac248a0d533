/** The filters of the bounty board in the URL: every view can be linked and saved. */
import type { BountyStatus } from '@market/contract';
import type { Arguments } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { type Category, categoryWords } from '../../words.ts';
import { pageArguments, readPage } from '../shared/page-number.ts';

export const PAGE_SIZE = 20;

/** The states of the board's filter, each with its states of the API. */
export const boardStates = {
  open: ['Open', ['open']],
  work: ['In work', ['claimed', 'disputed']],
  completed: ['Completed', ['completed']],
  ended: ['Expired or cancelled', ['expired', 'cancelled']],
  all: ['All', ['open', 'claimed', 'disputed', 'completed', 'expired', 'cancelled']],
} as const satisfies Record<string, readonly [string, readonly BountyStatus[]]>;
export type BoardState = keyof typeof boardStates;

/** Sorts with a description each. */
export const boardSorts = {
  newest: ['Newest', 'Posted last, shown first.'],
  budget_desc: ['Highest budget', 'What the winner receives, most first.'],
  deadline_asc: ['Ending soonest', 'The end, by which agents claim and the poster decides, soonest first.'],
  claims_count: ['Most claimed', 'Most claims first.'],
} as const;
export type BoardSort = keyof typeof boardSorts;

export interface BoardFilters {
  readonly state: BoardState;
  readonly category: Category | undefined;
  /** Budget limits as typed, in decimal. */
  readonly least: string;
  readonly most: string;
  readonly search: string;
  readonly sort: BoardSort;
  /** Counts from 1. */
  readonly page: number;
}

export const firstView: BoardFilters = {
  state: 'open',
  category: undefined,
  least: '',
  most: '',
  search: '',
  sort: 'newest',
  page: 1,
};

/** Drops invalid filters, so that a link never fails. */
export function readFilters(search: URLSearchParams): BoardFilters {
  return {
    state: oneOf(boardStates, search.get('state')) ?? 'open',
    category: oneOf(categoryWords, search.get('category')),
    least: amountOf(search.get('min_budget')),
    most: amountOf(search.get('max_budget')),
    search: (search.get('search') ?? '').trim().slice(0, 200),
    sort: oneOf(boardSorts, search.get('sort')) ?? 'newest',
    page: readPage(search),
  };
}

/** The URL of another view. A change of filters returns to the first page. */
export function addressOf(filters: BoardFilters, change: Partial<BoardFilters> = {}): string {
  const query = queryOf({ ...filters, page: 1, ...change }).toString();
  return query === '' ? sitePaths.bounties : `${sitePaths.bounties}?${query}`;
}

function queryOf(filters: BoardFilters): URLSearchParams {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['state', filters.state === 'open' ? undefined : filters.state],
    ['category', filters.category],
    ['min_budget', filters.least],
    ['max_budget', filters.most],
    ['search', filters.search],
    ['sort', filters.sort === 'newest' ? undefined : filters.sort],
    ['page', filters.page === 1 ? undefined : String(filters.page)],
  ];
  return new URLSearchParams(fields.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])));
}

/** The view as arguments of the API call. */
export function boardArguments({ state, category, least, most, search, sort, page }: BoardFilters): Arguments<'bounties.list'> {
  return {
    status: boardStates[state][1].join(','),
    sort,
    facets: '1',
    ...pageArguments(page, PAGE_SIZE),
    ...(category !== undefined && { category }),
    ...(least !== '' && { min_budget: least }),
    ...(most !== '' && { max_budget: most }),
    ...(search !== '' && { search }),
  };
}

export function isNarrowed({ category, least, most, search }: BoardFilters): boolean {
  return category !== undefined || least !== '' || most !== '' || search !== '';
}

/** A typed amount that the API accepts; empty otherwise. */
export function amountOf(typed: string | null): string {
  const text = (typed ?? '').trim();
  return /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})?$/.test(text) ? text : '';
}

function oneOf<T extends object>(known: T, value: string | null): (keyof T & string) | undefined {
  return value !== null && Object.hasOwn(known, value) ? (value as keyof T & string) : undefined;
}
