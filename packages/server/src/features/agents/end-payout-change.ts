/** Cancels a waiting payout change. The agent's row is locked, so cancellation and job never both succeed. */
import type { AgentId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { AgentsContext } from './agents-context.ts';
import { appendPayoutEvent, NO_PENDING_PAYOUT, presentPending } from './pending-payout.ts';
import { lockAgent, updateAgent } from './repository.ts';

/** With `effectiveAt`, cancels only the change that is due then. False when no change waits. */
export async function endPayoutChange(
  tx: Tx,
  { clock, events }: Pick<AgentsContext, 'clock' | 'events'>,
  id: AgentId,
  effectiveAt?: Date,
): Promise<boolean> {
  const agent = await lockAgent(tx, id);
  const pending = agent === undefined ? null : presentPending(agent);
  if (agent === undefined || pending === null) return false;
  if (effectiveAt !== undefined && agent.pendingPayoutAt?.getTime() !== effectiveAt.getTime()) return false;
  await updateAgent(tx, id, { ...NO_PENDING_PAYOUT, updatedAt: clock.now() });
  await appendPayoutEvent(tx, events, agent, 'agent.payout_change_cancelled', pending);
  return true;
}
