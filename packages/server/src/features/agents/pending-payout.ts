/**
 * A payout address that was changed with a sign-in token alone takes effect after a delay. Until then the owner of a stolen account can
 * cancel the change. A change that the owner's wallet signed takes effect at once.
 */
import { type AgentId, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import { z } from 'zod';
import { listWatchingWallets } from '../../access/authority/links-repository.ts';
import type { Mover } from '../../access/authority/owners.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { readBooksMark } from '../../platform/db/database-identity.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { type AgentChange, type AgentRow, lockAgent, lockPendingAgents, updateAgent } from './repository.ts';

const APPLY = 'agent.apply_payout_change';

const pendingPayout = z.object({
  payoutWallet: z.string().nullable().optional(),
  payoutAddressBase: z.string().nullable().optional(),
  payoutChain: z.enum(['solana', 'base']).nullable().optional(),
});
/** The fields that will change; absent ones stay. */
export type PendingPayout = z.output<typeof pendingPayout>;

type WirePending = NonNullable<OperationAnswer<Operations['agents']['me']>['data']['pending_payout']>;

interface PendingContext {
  readonly clock: Clock;
  readonly events: EventLog;
  readonly payoutChangeDelaySeconds: number;
}

/** Column values of an agent without a pending change. */
export const NO_PENDING_PAYOUT = { pendingPayout: null, pendingPayoutAt: null } as const satisfies AgentChange;

/** Puts a change on hold, with the job that applies it and an event for the owner. It replaces a waiting change. */
export async function holdPayoutChange(
  tx: Tx,
  context: PendingContext,
  agent: AgentRow,
  change: PendingPayout,
  { person }: Pick<Mover, 'person'>,
): Promise<AgentChange> {
  const effectiveAt = new Date(context.clock.now().getTime() + context.payoutChangeDelaySeconds * 1000);
  const { place } = await readBooksMark(tx);
  const payload = { agent_id: agent.id, effective_at: effectiveAt.toISOString(), place, asked_by: person };
  await enqueueJobs(tx, [{ kind: APPLY, payload, runAt: effectiveAt }]);
  await appendPayoutEvent(tx, context.events, agent, 'agent.payout_change_requested', {
    ...wireFields(change),
    effective_at: toWireTime(effectiveAt),
  });
  return { pendingPayout: JSON.stringify(change), pendingPayoutAt: effectiveAt };
}

/** Event context from which notifications find the owner. */
export function ownerContext(agent: Pick<AgentRow, 'ownerWallet' | 'ownerUserId' | 'name'>): Record<string, unknown> {
  return { owner_wallet: agent.ownerWallet, owner_user_id: agent.ownerUserId, agent_name: agent.name };
}

type PayoutEvent = 'agent.payout_change_requested' | 'agent.payout_change_cancelled' | 'agent.payout_changed';

/** Also addresses the wallets that watch the owner account, because they may cancel the change. */
export async function appendPayoutEvent(
  tx: Tx,
  events: EventLog,
  agent: AgentRow,
  type: PayoutEvent,
  data: Record<string, unknown>,
): Promise<void> {
  const watching = agent.ownerUserId === null ? [] : await listWatchingWallets(tx, agent.ownerUserId);
  const context = { ...ownerContext(agent), watching_wallets: watching };
  await events.append(tx, [{ type, subjectId: agent.id, agentId: agent.id, data, context }]);
}

/** Null when nothing waits. */
export function presentPending(agent: Pick<AgentRow, 'pendingPayout' | 'pendingPayoutAt'>): WirePending | null {
  if (agent.pendingPayout === null || agent.pendingPayoutAt === null) return null;
  return { ...wireFields(pendingPayout.parse(agent.pendingPayout)), effective_at: toWireTime(agent.pendingPayoutAt) };
}

function wireFields({ payoutWallet, payoutAddressBase, payoutChain }: PendingPayout): Omit<WirePending, 'effective_at'> {
  return {
    ...(payoutWallet !== undefined && { payout_wallet: payoutWallet }),
    ...(payoutAddressBase !== undefined && { payout_address_base: payoutAddressBase }),
    ...(payoutChain != null && { payout_chain: payoutChain }),
  };
}

/** One sentence for people that says what a waiting change will do. */
export function summaryOfPayout(agentName: string, pending: unknown): string {
  const { payoutWallet, payoutAddressBase } = pendingPayout.parse(pending);
  const where = [payoutWallet, payoutAddressBase].filter((address) => address !== undefined);
  return `Pay “${agentName}” to ${where.map((address) => address ?? 'the default address').join(' and ')}.`;
}

/** Cancels all waiting changes after a restore, because their owners may have cancelled them since the backup. Returns how many. */
export async function endPayoutChanges(tx: Tx, { clock, events }: Pick<PendingContext, 'clock' | 'events'>): Promise<number> {
  const waiting = await lockPendingAgents(tx);
  for (const agent of waiting) {
    await updateAgent(tx, agent.id, { ...NO_PENDING_PAYOUT, updatedAt: clock.now() });
    await appendPayoutEvent(tx, events, agent, 'agent.payout_change_cancelled', wireFields(pendingPayout.parse(agent.pendingPayout)));
  }
  return waiting.length;
}

/** Applies a due payout change. Does nothing if another change or a cancellation came first. */
export function applyPayoutChangeJob({ database, clock, events }: { database: Database; clock: Clock; events: EventLog }): JobDefinition {
  return defineJob({
    kind: APPLY,
    payload: z.object({ agent_id: z.string(), effective_at: z.string(), place: z.string().optional(), asked_by: z.string().optional() }),
    retryAfterSeconds: [1, 5, 30, 300, 3600],
    async run({ agent_id, effective_at, place, asked_by: askedBy }, attempt) {
      await database.transaction(async (tx) => {
        const agent = await lockAgent(tx, agent_id as AgentId);
        if (agent?.pendingPayoutAt?.toISOString() === effective_at) {
          const change = pendingPayout.parse(agent.pendingPayout);
          // If a wallet owns the agent, a change that only an account requested lacks its signature.
          const isOfOwner = !agent.ownerConflict && (agent.ownerWallet === null || askedBy === `wallet:${agent.ownerWallet}`);
          // After a restore of the database the owner may have cancelled the change, even if this process has not noticed the restore.
          const isFromHere = (await readBooksMark(tx)).place === place;
          const isGood = isOfOwner && isFromHere && agent.moderationStatus !== 'spam';
          const now: AgentChange = { ...NO_PENDING_PAYOUT, updatedAt: clock.now() };
          await updateAgent(tx, agent.id, isGood ? { ...(change as AgentChange), ...now } : now);
          const outcome = isGood ? 'agent.payout_changed' : 'agent.payout_change_cancelled';
          await appendPayoutEvent(tx, events, agent, outcome, wireFields(change));
        }
        await attempt.complete(tx);
      });
    },
  });
}
