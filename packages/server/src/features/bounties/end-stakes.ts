/** Ends held stakes in the transaction of the deciding step: stores the decision, payout and event. The contract's table says who gets a stake. */
import { type BountyId, type ClaimCommand, decideStake, formatUsd, type NetworkName, type OrderCommand } from '@market/contract';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { escrow, lockFloat } from '../ledger/index.ts';
import { readUnfinalMicros } from '../payments/index.ts';
import { queueFirstPayout } from '../payouts/index.ts';
import { appendBountyEvents } from './append-events.ts';
import type { BountiesContext } from './bounties-context.ts';
import { type BountyRow, type ClaimRow, findBounty, findClaim } from './repository.ts';
import { decideStakes } from './stakes-repository.ts';

export type DecidingStep =
  | { readonly after: 'claim'; readonly command: ClaimCommand }
  | { readonly after: 'order'; readonly command: OrderCommand };

interface HeldStake {
  readonly claim: ClaimRow;
  readonly id: string;
  readonly network: NetworkName;
  readonly reference: string;
  readonly payer: string;
  readonly micros: bigint;
}

interface Destination {
  readonly network: NetworkName;
  readonly destination: string;
}

/** `claims` must be rows from before the step. Skips claims without a held stake. */
export async function endStakes(
  tx: Tx,
  context: Pick<BountiesContext, 'events'>,
  bounty: BountyRow,
  claims: readonly ClaimRow[],
  { after, command }: DecidingStep,
): Promise<void> {
  const end = decideStake(after, command);
  const held = claims.flatMap(heldStakeOf);
  const [first] = held;
  if (end === undefined || first === undefined) return;
  // Only the winner's stake can be forfeited, so `held` has one entry then.
  const poster = end === 'forfeited' ? await routeToPoster(tx, bounty, first) : undefined;
  const status = poster === undefined ? 'returned' : 'forfeited';
  const ids = held.map(({ id }) => id);
  await decideStakes(tx, ids, status, bounty.now);
  for (const { id, network, reference, payer, micros } of held) {
    const route = poster ?? { network, destination: payer };
    const paidBy = { network, reference };
    await queueFirstPayout(tx, { purpose: 'refund', subjectId: id, paidBy, amountMicros: micros, from: escrow(network, id), ...route });
  }
  reachCrashPoint('stake.after_returns');
  await appendBountyEvents(
    tx,
    context,
    bounty,
    held.map(({ claim, micros }) => ({
      type: `bounty.stake_${status}` as const,
      agentId: claim.agentId,
      claimants: [claim],
      forPoster: status === 'forfeited',
      data: { bounty_id: bounty.id, claim_id: claim.id, agent_id: claim.agentId, amount_usd: formatUsd(micros) },
    })),
  );
}

/** Ends the winner's stake, because the order ended. */
export async function endWinnersStake(
  tx: Tx,
  context: Pick<BountiesContext, 'events'>,
  bountyId: BountyId,
  command: OrderCommand,
): Promise<void> {
  const bounty = await findBounty(tx, bountyId);
  if (bounty === undefined || bounty.claimStakeMicros === 0n || bounty.acceptedClaimId === null) return;
  const winner = await findClaim(tx, bountyId, bounty.acceptedClaimId);
  if (winner !== undefined) await endStakes(tx, context, bounty, [winner], { after: 'order', command });
}

function heldStakeOf(claim: ClaimRow): HeldStake[] {
  const { stakeId: id, stakeNetwork: network, stakeReference: reference, stakePayer: payer, stakeMicros: micros, stakeStatus } = claim;
  if (stakeStatus !== 'held' || id === null || network === null || reference === null || payer === null || micros === null) return [];
  return [{ claim, id, network, reference, payer, micros }];
}

/**
 * Destination of a forfeited stake: the wallet that paid for the order. If the stake is on another network, our own money there must cover
 * it. Otherwise the stake returns to the agent, because no other address of the poster is certain to receive money.
 */
async function routeToPoster(
  tx: Tx,
  { payer, paymentNetwork }: BountyRow,
  { network, micros }: HeldStake,
): Promise<Destination | undefined> {
  if (payer === null || paymentNetwork === null) return undefined;
  const route = { network: paymentNetwork, destination: payer };
  if (network === paymentNetwork) return route;
  const free = (await lockFloat(tx, paymentNetwork)) - (await readUnfinalMicros(tx, paymentNetwork));
  return micros <= free ? route : undefined;
}
