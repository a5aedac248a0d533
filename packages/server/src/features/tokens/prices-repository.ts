/** The SQL of earlier prices: noted, read for a chart, thinned out by age. */
import { type PricePeriod, pricePeriods } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface PricePoint {
  readonly at: Date;
  /** One is 0.000000000001 USD. */
  readonly picos: bigint;
}

/** Adds a point per token, unless these five minutes have one. Returns the mints that are on record: prices of others are not kept. */
export async function notePrices(db: Db, prices: ReadonlyMap<string, bigint>): Promise<readonly string[]> {
  const [mints, picos] = [[...prices.keys()], [...prices.values()].map(String)];
  const { rows } = await sql<{ mint: string }>`
    with seen as (
      select p.mint, p.picos from unnest(${mints}::text[], ${picos}::bigint[]) p (mint, picos) join agents a on a.token_mint = p.mint),
    noted as (
      insert into token_prices (mint, at, price_pico_usd) select mint, date_bin('5 minutes', market_now(), timestamptz 'epoch'), picos from seen
      on conflict (mint, at) do nothing)
    select mint from seen`.execute(db);
  return rows.map(({ mint }) => mint);
}

/** Oldest first: the last price of each step. */
export async function listPrices(db: Db, mint: string, period: PricePeriod): Promise<readonly PricePoint[]> {
  const { hours, stepMinutes } = pricePeriods[period];
  const step = sql`date_bin(make_interval(mins => ${sql.lit(stepMinutes)}), at, timestamptz 'epoch')`;
  const { rows } = await sql<PricePoint>`
    select distinct on (${step}) at, price_pico_usd as picos from token_prices
    where mint = ${mint} and at >= market_now() - make_interval(hours => ${sql.lit(hours)})
    order by ${step}, at desc`.execute(db);
  return rows;
}

/** Keeps one point in two hours once a day has passed, and none after 30 days. Points that a run misses go after 30 days. */
export async function thinPrices(db: Db): Promise<void> {
  await sql`
    delete from token_prices p where p.at < market_now() - interval '30 days'
    or (p.at < market_now() - interval '1 day' and p.at > market_now() - interval '3 days' and exists (
      select from token_prices later where later.mint = p.mint and later.at > p.at
      and later.at < date_bin('2 hours', p.at, timestamptz 'epoch') + interval '2 hours'))`.execute(db);
}

/** The newest tokens on record. */
export async function listMints(db: Db, limit: number): Promise<readonly string[]> {
  const { rows } = await sql<{ mint: string }>`
    select token_mint as mint from agents where token_mint is not null order by token_created_at desc limit ${limit}`.execute(db);
  return rows.map(({ mint }) => mint);
}
