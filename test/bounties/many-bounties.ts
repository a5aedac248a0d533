/** Many bounties: one poster whose wallet paid in advance, and agents each with its own owner. */
import assert from 'node:assert/strict';
import { claimBounty, postBounty, tryAccept } from '../harness/bounties.ts';
import type { Reply } from '../harness/http.ts';
import { type Buyer, openProvider, type Provider, walletOf } from '../harness/orders.ts';
import { createPayer, type EvmPayer } from '../harness/payers.ts';
import type { SharedMoney } from '../money/shared-money.ts';
import { inTurns, sendPayments } from '../orders/many-orders.ts';

export const BUDGET = '1.00';
/** The price that the poster pays: 110% of the budget. */
const COST_MICROS = 1_100_000n;

export type Poster = Buyer & { readonly payer: EvmPayer };

export async function openPoster(shared: SharedMoney): Promise<Poster> {
  const payer = (await createPayer(shared, 'base-mainnet')) as EvmPayer;
  return { ...walletOf(payer), payer };
}

export async function openAgents(url: string, count: number): Promise<Provider[]> {
  return await inTurns([...Array(count).keys()], 4, () => openProvider(url));
}

export async function sendCosts(shared: SharedMoney, { payer }: Poster, count: number): Promise<string[]> {
  return await sendPayments(shared, { payer }, count, 'final', COST_MICROS);
}

export interface OpenBounty {
  readonly id: string;
  readonly claims: readonly string[];
}

/** Opens a bounty with a claim of each agent, in their order. */
export async function openBounty(
  url: string,
  poster: Poster,
  agents: readonly Provider[],
  more: Record<string, unknown> = {},
): Promise<OpenBounty> {
  const { id } = await postBounty(url, poster, { budget_usd: BUDGET, ...more });
  return { id, claims: await Promise.all(agents.map((agent) => claimBounty(url, id, agent))) };
}

export async function accept(url: string, bounty: OpenBounty, claim: number, poster: Poster, reference: string): Promise<Reply> {
  return await tryAccept(url, bounty.id, bounty.claims[claim] ?? '', poster, reference);
}

/** Every row about a bounty. */
export async function readTraces({ database }: SharedMoney, id: string): Promise<Record<string, unknown>> {
  const { rows } = await database.pool.query(
    `select status, accepted_claim_id,
            (select string_agg(c.status, ',' order by c.status) from bounty_claims c where c.bounty_id = b.id) as claims,
            (select count(*)::int from orders o where o.bounty_id = b.id) as orders,
            (select count(*)::int from order_steps s where s.order_id = b.order_id) as steps,
            (select count(*)::int from payment_claims c where c.subject_id = b.order_id) as payments,
            (select count(*)::int from events e where e.subject_id = b.id) as events,
            (select count(*)::int from jobs j where j.payload->>'order_id' = b.order_id) as timers,
            (select coalesce(sum(balance_micros), 0)::int from ledger_accounts where owner = b.order_id) as held
     from bounties b where id = $1`,
    [id],
  );
  assert.ok(rows[0]);
  return rows[0];
}

/** Ends the claim window within so many milliseconds, about when commands arrive. */
export async function endWindowWithin({ database }: SharedMoney, ms: number, id: string): Promise<void> {
  await database.pool.query(
    `with moved as (update bounties set expires_at = market_now() + $2 * interval '1 ms' where id = $1 returning expires_at as at),
          woken as (select pg_notify('market_jobs', ''))
     update jobs set run_at = moved.at from moved, woken where payload->>'bounty_id' = $1`,
    [id, Math.round(ms)],
  );
}
