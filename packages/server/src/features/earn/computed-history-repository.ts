/** The SQL of history that was never measured: for demos, computed back from a venue's first sample at the rate it had then. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

const STEP_HOURS = 8;
const STEPS = 90;

/** A month before the first sample of each vault that is new here; nothing where there is a history already. Total and free size follow the price. */
export async function insertComputedHistory(db: Db): Promise<void> {
  await sql`
    insert into earn_samples (vault_key, at, price_per_unit, unit_decimals, share_price, total_assets, total_units, free_assets, apr_pct)
    select f.vault_key, f.at - n * make_interval(hours => ${STEP_HOURS}), floor(f.price_per_unit * g.part), f.unit_decimals,
           floor(f.share_price * g.part), floor(f.total_assets * g.part), f.total_units, floor(f.free_assets * g.part), f.apr_pct
    from earn_vaults v
    cross join lateral (select * from earn_samples where vault_key = v.key order by at limit 1) f
    cross join generate_series(1, ${STEPS}::int) n
    cross join lateral (select 1 / (1 + coalesce(f.apr_pct, 0)::numeric / 100 * n * ${STEP_HOURS}::int / 8760) as part) g
    where f.at > market_now() - interval '1 day'
    on conflict do nothing`.execute(db);
}
