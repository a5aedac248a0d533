/** The score of a hit, in thousandths. Every part is from 0 to 1000; the weighted parts that are shown add up to the score. */
import { searchWeights } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';

export interface Ranked {
  readonly id: string;
  readonly score: number;
  readonly parts: Readonly<Record<keyof typeof searchWeights, number>>;
}

/** A row of a ranked hit, in thousandths. */
export type RankedRow = { readonly id: string | null; readonly score: number } & Ranked['parts'];

/** Weights of description, agent name and title. */
const WEIGHTS = '{0.1, 0.3, 0.6, 1}';
/** Above this many orders, weighed by price, more orders do not raise the score. `completed_weight` is in thousandths of an order. */
const MANY_ORDERS = 1_000;

/** SQL for how well the words of a `tsquery` fit a text, from 0 to 1. */
export function wordFit(text: RawBuilder<unknown>, query: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`ts_rank(${WEIGHTS}::real[], ${text}, ${query}, 32)`;
}

/** A subquery, so that PostgreSQL computes the query once per statement and not per row. A kept plan does not know the words. */
export const queryOf = (words: string): RawBuilder<unknown> => sql`(select to_tsquery('simple', ${words}))`;

/** Hits by score. `candidates` has `id`, `fit`, `reputation` (null before the first settled order), `completed_weight` (in thousandths) and `answering`. */
export function ranked(candidates: RawBuilder<unknown>): RawBuilder<unknown> {
  const { words, reputation, orders, answering } = searchWeights;
  return sql`
    select *, round(${words}::float8 * words + ${reputation}::float8 * reputation + ${orders}::float8 * orders + ${answering}::float8 * answering)::int as score
    from (
      select id, round(fit * 1000)::int as words, coalesce(reputation, 0) as reputation,
             round(least(1, ln(1 + completed_weight::float8 / 1000) / ${Math.log(1 + MANY_ORDERS)}::float8) * 1000)::int as orders,
             case when answering then 1000 else 0 end as answering
      from (${candidates}) candidates) parts
    order by score desc, id desc`;
}

export function toRanked(rows: readonly RankedRow[]): Ranked[] {
  return rows.flatMap(({ id, score, words, reputation, orders, answering }) => {
    if (id === null) return [];
    const parts = { words: words / 1000, reputation: reputation / 1000, orders: orders / 1000, answering: answering / 1000 };
    return [{ id, score: score / 1000, parts }];
  });
}
