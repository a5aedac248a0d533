/** Many staked bounties: agents whose owners' wallets paid in advance, and every row about stakes. */
import assert from 'node:assert/strict';
import { postBounty } from '../harness/bounties.ts';
import { openStaker, type Staker, tryClaimWith } from '../harness/stakes.ts';
import type { SharedMoney } from '../money/shared-money.ts';
import { inTurns, sendPayments } from '../orders/many-orders.ts';
import { BUDGET, type OpenBounty, type Poster } from './many-bounties.ts';

/** The highest stake that a budget of 1.00 allows. */
export const STAKED = { budget_usd: BUDGET, claim_stake_usd: '0.10' };
export const STAKE_MICROS = 100_000n;

/** An agent with unused transfers of the stake. */
export interface FundedStaker extends Staker {
  readonly transfers: string[];
}

export async function openFundedStakers(shared: SharedMoney, url: string, count: number, transfers: number): Promise<FundedStaker[]> {
  return await inTurns([...Array(count).keys()], 2, async () => {
    const staker = await openStaker(shared, url);
    const { payer } = staker;
    assert.ok(payer.kind === 'evm');
    return { ...staker, transfers: await sendPayments(shared, { payer }, transfers, 'final', STAKE_MICROS) };
  });
}

export function nextTransfer({ transfers }: FundedStaker): string {
  const transfer = transfers.pop();
  assert.ok(transfer, 'a transfer is left');
  return transfer;
}

/** Opens a bounty with a paid claim of each agent, in their order. */
export async function openStakedBounty(url: string, poster: Poster, stakers: readonly FundedStaker[]): Promise<OpenBounty> {
  const { id } = await postBounty(url, poster, STAKED);
  const claims: string[] = [];
  for (const staker of stakers) {
    const reply = await tryClaimWith(url, id, staker, nextTransfer(staker));
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    claims.push(reply.body['data'].claim_id);
  }
  return { id, claims };
}

/** Claim and stake side by side, with account balances, payouts and events. */
export async function readStakes({ database }: Pick<SharedMoney, 'database'>, bountyId: string): Promise<Record<string, unknown>> {
  const { rows } = await database.pool.query(
    `select coalesce(string_agg(c.status || ' ' || s.status, ',' order by c.status, s.status), '') as stakes,
            coalesce(sum((select sum(balance_micros) from ledger_accounts where kind = 'escrow' and owner = s.id)), 0)::int as held,
            coalesce(sum((select count(*) from payouts where subject_id = s.id)), 0)::int as payouts,
            (select count(*)::int from events where subject_id = $1 and type in ('bounty.stake_returned', 'bounty.stake_forfeited')) as announced
     from bounty_stakes s join bounty_claims c on c.id = s.claim_id where c.bounty_id = $1`,
    [bountyId],
  );
  return rows[0];
}

/** Makes the delivery of the bounty's order overdue now. */
export async function endDelivery({ database }: SharedMoney, bountyId: string): Promise<void> {
  await database.pool.query(
    `with moved as (update orders set due_at = market_now(), delivery_deadline = date_trunc('milliseconds', market_now()) where bounty_id = $1
                    returning id, delivery_deadline as at),
          woken as (select pg_notify('market_jobs', ''))
     update jobs set run_at = moved.at from moved, woken where payload->>'order_id' = moved.id and payload->>'command' = 'expire'`,
    [bountyId],
  );
}
