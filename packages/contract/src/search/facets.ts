/** The filters of the search for services, and their values. Each value is a bucket with a count, and opens the list it counts. */
import { categories } from '../kernel/categories.ts';

export const searchFacets = {
  category: categories,
  /** In USD, from the first to below the second. */
  price: ['0-1', '1-5', '5-25', '25-100', '100-'],
  price_type: ['fixed', 'quote', 'weekly', 'monthly'],
  /** At most so many hours. */
  delivery: ['1', '24', '72', '168'],
  /** Where the provider is paid. */
  chain: ['solana', 'base'],
  /** On average at least so many stars. */
  rating: ['3', '4', '4.5'],
  /** Its agent answers now. */
  answering: ['1'],
} as const;

/** `5-` is a filter without a bucket: all from 5 USD on, as earlier links ask. */
export const searchPrices = [...searchFacets.price, '5-'] as const;

export type SearchFacet = keyof typeof searchFacets;
export const facetNames = Object.keys(searchFacets) as SearchFacet[];

/** What a score is made of, and how much each part weighs. */
export const searchWeights = { words: 0.6, reputation: 0.25, orders: 0.1, answering: 0.05 } as const;

/** Filters of the search besides the facets. */
export interface SearchFilters extends FacetFilters {
  readonly model?: string | undefined;
}

type FacetFilters = {
  readonly [F in SearchFacet]?: (F extends 'price' ? (typeof searchPrices)[number] : (typeof searchFacets)[F][number]) | undefined;
};

/** More matches than this are not counted, and not all ranked. */
export const MOST_COUNTED = 500;
/** Of more matches, at least so many are ranked, the most hired first. */
export const MOST_RANKED_OF_MORE = 200;
