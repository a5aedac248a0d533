/**
 * An agent with a verified owner offers to do the work. If the bounty takes a stake, the transfer is checked on chain first; one transaction
 * then spends it and stores the claim. Idempotent by claim and transfer; a refusal uses up nothing.
 */
import { bountyLimits, claimStatusAt, claimWindowEnd, MarketError, type OperationArguments, type Operations } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { newId } from '../../../platform/random.ts';
import type { AgentRow } from '../../agents/index.ts';
import { paymentDetails, surplusOf } from '../../payments/index.ts';
import { appendBountyEvents } from '../append-events.ts';
import type { BountiesContext } from '../bounties-context.ts';
import { requireBountyStep, requireClaimStep, requireHireable } from '../decisions.ts';
import { lapseDueClaims } from '../lapse-claims.ts';
import { claimActionFor, ownClaimActions } from '../next-actions.ts';
import { presentClaim } from '../present.ts';
import { type BountyRow, type ClaimRow, findClaimOf, lockOpenClaims, saveClaim } from '../repository.ts';
import { isMadeWith, nameStake, type PaidStake, stakeRequired, takeStake, verifyStake } from '../take-stake.ts';
import { lapseJob } from '../timers.ts';
import { requireBounty, requireClaimant, requireLockedBounty } from '../viewers.ts';

type Claiming = OperationArguments<Operations['bounties']['claim']>;

export function claimBounty(context: BountiesContext): HandlersOf<'bounties'>['claim'] {
  return async (input, call) => {
    const stake = await readStake(context, call, input);
    return await call.commit((tx) => claim(tx, context, call, input, stake));
  };
}

/** Verifies the transfer that the caller names. First throws every refusal that the claim itself would get. */
async function readStake(context: BountiesContext, call: Call, input: Claiming): Promise<PaidStake | undefined> {
  const { id, agent_id: named, stake_tx_hash: reference, payment_chain: chain, message } = input;
  if (reference === undefined) return undefined;
  const { db } = context.database;
  const bounty = await requireBounty(db, id);
  const agent = await requireClaimant(db, call.caller, named);
  const before = await findClaimOf(db, bounty.id, agent.id);
  const stake = nameStake(context, { bountyId: bounty.id, agentId: agent.id }, chain, reference);
  if (!isMadeWith(before, stake)) requireClaimable(bounty, agent, before, message);
  return await verifyStake(context, call, bounty, stake);
}

async function claim(tx: Tx, context: BountiesContext, call: Call, { id, agent_id: named, message = '' }: Claiming, stake?: PaidStake) {
  const locked = await requireLockedBounty(tx, id);
  const agent = await requireClaimant(tx, call.caller, named);
  const before = await findClaimOf(tx, locked.id, agent.id);
  // The same call again, perhaps concurrently, gets the first answer.
  if (before !== undefined && isMadeWith(before, stake)) return answer(locked, before, stake);
  const bounty = (await clearPlaces(tx, context, locked, before)) ? await requireBounty(tx, locked.id) : locked;
  const owner = requireClaimable(bounty, agent, before, message);
  if ((await lockOpenClaims(tx, owner)) >= bountyLimits.openClaimsPerOwner) throw new MarketError('too_many_open_claims');
  if (bounty.claimStakeMicros > 0n && stake === undefined) throw stakeRequired(context, bounty, claimActionFor(bounty, agent.id));
  const made = {
    id: before?.id ?? newId('bcl', bounty.now),
    bountyId: bounty.id,
    agentId: agent.id,
    message: message === '' ? null : message,
    claimedAt: bounty.now,
    lapsesAt: claimWindowEnd(bounty.now, bounty.claimWindowHours),
    stakeId: stake?.id ?? null,
  };
  await saveClaim(tx, made);
  await enqueueJobs(tx, [lapseJob(bounty.id, made.lapsesAt)]);
  if (stake !== undefined) await takeStake(tx, context, made, stake, bounty.now);
  const saved = await findClaimOf(tx, bounty.id, agent.id);
  if (saved === undefined) throw new Error(`a claim on ${bounty.id} vanished while it was made`);
  const data = { bounty_id: bounty.id, claim_id: saved.id, agent_id: agent.id };
  await appendBountyEvents(tx, context, bounty, [{ type: 'bounty.claimed', data, claimants: [saved], forPoster: true }]);
  return answer(bounty, saved, stake);
}

/** Lapses due claims before the timer does, so that their places are free. True if a claim lapsed. */
async function clearPlaces(tx: Tx, context: BountiesContext, bounty: BountyRow, before: ClaimRow | undefined): Promise<boolean> {
  const isDue = before !== undefined && claimStatusAt(before, bounty.now) !== before.status;
  if (bounty.status !== 'open' || (!isDue && bounty.placesTaken < bountyLimits.claimsPerBounty)) return false;
  return await lapseDueClaims(tx, context, bounty);
}

/** Checks everything except the owner's count of open claims, which needs a lock. Returns the verified owner. */
function requireClaimable(bounty: BountyRow, agent: AgentRow, before: ClaimRow | undefined, message = '') {
  requireHireable(agent);
  const owner = { wallet: agent.ownerProven ? agent.ownerWallet : null, userId: agent.ownerUserId };
  if (owner.wallet === null && owner.userId === null) throw new MarketError('owner_not_verified');
  requireClaimStep(
    bounty,
    before,
    'claim',
    'claimant',
    before === undefined ? [] : ownClaimActions(bounty, { ...before, mayClaim: false }),
  );
  // This refusal has no next action: neither the bounty nor an own claim allows one.
  requireBountyStep(bounty, 'claim', 'claimant', []);
  if (bounty.mode === 'pitch') requirePitch(message);
  return owner;
}

function answer(bounty: BountyRow, made: ClaimRow, stake: PaidStake | undefined) {
  const data = presentClaim(made, { isOwn: true }, ownClaimActions(bounty, { ...made, mayClaim: false }));
  return stake === undefined ? { data } : { data, surplus: surplusOf(stake.network, paymentDetails(stake.payment)) };
}

/** Requires a text of some length where claims are proposals: an empty one only costs the poster time. */
function requirePitch(text: string): void {
  if (text.length >= bountyLimits.leastPitchLength) return;
  const message = `message must have at least ${bountyLimits.leastPitchLength} characters: this bounty takes proposals. Say how the agent would do it.`;
  throw new MarketError('invalid_input', { message, data: { issues: [{ field: 'message', message }] } });
}
