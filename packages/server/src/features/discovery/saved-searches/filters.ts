/** Canonical spelling of saved filters, the name made from them, and the address of their list. Pure functions. */
import { canonicalJson, formatUsd, parseUsd, type SavedSearchList, savedSearchFilters } from '@market/contract';
import type { z } from 'zod';

export type ServiceFilters = z.output<(typeof savedSearchFilters)['services']>;
export type BountyFilters = z.output<(typeof savedSearchFilters)['bounties']>;

export type SearchOf =
  | { readonly list: 'services'; readonly filters: ServiceFilters }
  | { readonly list: 'bounties'; readonly filters: BountyFilters };

type Words = Readonly<Record<string, string>>;

/** Canonical JSON of filters: no empty filters, one spelling of amounts and white space. So the same search gives the same text. */
export function spellFilters(filters: ServiceFilters | BountyFilters): string {
  const fields = Object.entries(filters).map(([name, value]) => [name, spell(name, value)] as const);
  return canonicalJson(Object.fromEntries(fields.filter(([, value]) => value !== '')));
}

function spell(name: string, value: string | number | undefined): string {
  if (value === undefined) return '';
  if (name === 'min_budget' || name === 'max_budget') return formatUsd(parseUsd(value) ?? 0n);
  return String(value)
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
}

export function readFilters(list: SavedSearchList, spelled: string): SearchOf {
  const filters: unknown = JSON.parse(spelled);
  return list === 'services'
    ? { list, filters: savedSearchFilters.services.parse(filters) }
    : { list, filters: savedSearchFilters.bounties.parse(filters) };
}

const NAME_LENGTH = 80;

/** Name made from the filters, for a search without a name. */
export function nameFilters(list: SavedSearchList, spelled: string): string {
  const {
    q,
    search = q,
    category,
    price,
    price_type,
    delivery,
    chain,
    answering,
    model,
    min_budget,
    max_budget,
  } = JSON.parse(spelled) as Words;
  const parts = [
    search,
    category?.replaceAll('_', ' '),
    price === undefined ? undefined : `${price.endsWith('-') ? `from ${price.slice(0, -1)}` : price.replace('-', ' to ')} USD`,
    price_type,
    delivery === undefined ? undefined : `within ${delivery} h`,
    chain === undefined ? undefined : `paid on ${chain}`,
    answering === undefined ? undefined : 'answering now',
    model,
    min_budget === undefined ? undefined : `at least ${min_budget} USD`,
    max_budget === undefined ? undefined : `at most ${max_budget} USD`,
  ].filter((part) => part !== undefined);
  const name = parts.length === 0 ? `All ${list}` : parts.join(', ');
  const letters = Array.from(name);
  return name.length <= NAME_LENGTH ? name : `${letters.slice(0, NAME_LENGTH / 2).join('')}…`;
}

const pages: Readonly<Record<SavedSearchList, string>> = { services: '/browse', bounties: '/bounties' };

/** Path of the list on the site. Both pages call the word filter `search`. */
export function pathOf(list: SavedSearchList, spelled: string): string {
  const { q, ...others } = JSON.parse(spelled) as Words;
  const query = new URLSearchParams({ ...(q !== undefined && { search: q }), ...others }).toString();
  return query === '' ? pages[list] : `${pages[list]}?${query}`;
}
