/** Hits → wire records. */
import { facetNames, formatUsd, MOST_COUNTED, type OperationAnswer, type Operations, searchFacets, toWireTime } from '@market/contract';
import type { Facets } from './facets-repository.ts';
import type { FoundBounty } from './repository.ts';
import type { Ranked } from './score-repository.ts';

type Everything = OperationAnswer<Operations['search']['everything']>['data'];
type WireFacets = OperationAnswer<Operations['search']['services']>['data']['facets'];
export type ShownScore = Pick<Everything['services'][number], 'score' | 'parts'>;

export function presentScore({ score, parts }: Ranked, explained: boolean): ShownScore {
  return { score, ...(explained && { parts }) };
}

/** Bounties have no reputation and no orders, so only the words make their score. */
export function presentBounty({ words, ...bounty }: FoundBounty, explained: boolean): Everything['bounties'][number] {
  const score = Math.round(words * 1000) / 1000;
  return {
    score,
    ...(explained && { parts: { words: score, reputation: 0, orders: 0, answering: 0 } }),
    bounty: {
      id: bounty.id,
      title: bounty.title,
      category: bounty.category,
      budget_usd: formatUsd(bounty.budgetMicros),
      claims_count: bounty.claimsCount,
      expires_at: toWireTime(bounty.expiresAt),
      created_at: toWireTime(bounty.createdAt),
    } as Everything['bounties'][number]['bounty'],
  };
}

/** A total is counted up to a limit. One above the limit means that there are more. */
export function presentTotal(counted: number): { readonly total: number; readonly total_capped: boolean } {
  return { total: Math.min(counted, MOST_COUNTED), total_capped: counted > MOST_COUNTED };
}

export function presentTotals(found: Readonly<Record<keyof Everything['totals'], { readonly counted: number }>>): Everything['totals'] {
  const total = ({ counted }: { readonly counted: number }): number => presentTotal(counted).total;
  return { services: total(found.services), agents: total(found.agents), bounties: total(found.bounties) };
}

export function presentCorrections(readings: ReadonlyMap<string, readonly string[]>): Everything['corrections'] {
  return [...readings].map(([word, others]) => ({ word, read_as: [...others] }));
}

/** Undefined counts mean that nothing was found. */
export function presentFacets(facets: Facets | undefined): WireFacets {
  return Object.fromEntries(
    facetNames.map((facet) => [
      facet,
      facets === undefined
        ? searchFacets[facet].map((value) => ({ value, count: 0, at_least: false }))
        : facets[facet].map(({ value, count, atLeast }) => ({ value, count, at_least: atLeast })),
    ]),
  ) as unknown as WireFacets;
}
