/** The filters of the service search, and their values. Each value is a bucket with a count, and links to the list it counts. */
import { categories } from '../../kernel/categories.ts';

export const searchFacets = {
  category: categories,
  /** Price in USD: at least the first number, below the second. */
  price: ['0-1', '1-5', '5-25', '25-100', '100-'],
  price_type: ['fixed', 'quote', 'weekly', 'monthly'],
  /** Delivery within this many hours. */
  delivery: ['1', '24', '72', '168'],
  /** Chain on which the provider is paid. */
  chain: ['solana', 'base'],
  /** Minimum average rating in stars. */
  rating: ['3', '4', '4.5'],
  /** The agent answers now. */
  answering: ['1'],
} as const;

/** `5-` (5 USD and more) is a filter without a bucket, kept for older links. */
export const searchPrices = [...searchFacets.price, '5-'] as const;

export type SearchFacet = keyof typeof searchFacets;
export const facetNames = Object.keys(searchFacets) as SearchFacet[];

/** The parts of a score with their weights. */
export const searchWeights = { words: 0.6, reputation: 0.25, orders: 0.1, answering: 0.05 } as const;

/** Filters of the search besides the facets. */
export interface SearchFilters extends FacetFilters {
  readonly model?: string | undefined;
}

type FacetFilters = {
  readonly [F in SearchFacet]?: (F extends 'price' ? (typeof searchPrices)[number] : (typeof searchFacets)[F][number]) | undefined;
};

/** Matches are counted up to this number; beyond it, not all are ranked. */
export const MOST_COUNTED = 500;
/** Beyond `MOST_COUNTED` matches, at least this many are ranked, the most hired first. */
export const MOST_RANKED_OF_MORE = 200;
