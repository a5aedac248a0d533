/** Appends events of a bounty. The context lists the recipients, so followers do not read the bounty again. */
import type { AgentId, BountyEventData, BountyEventType, OrderId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { EventReader } from '../../platform/events/event-log.ts';
import type { BountiesContext } from './bounties-context.ts';
import type { BountyRow } from './repository.ts';

/** An agent that claimed, with its owner. */
export interface Claimant {
  readonly agentId: AgentId;
  readonly agentName: string;
  readonly ownerWallet: string | null;
  readonly ownerUserId: string | null;
}

export type BountyEvent = {
  [T in BountyEventType]: {
    readonly type: T;
    readonly data: BountyEventData<T>;
    /** The agent that gets a webhook. */
    readonly agentId?: AgentId;
    /** Agents that receive the event. */
    readonly claimants?: readonly Claimant[];
    /** True if the poster receives the event. */
    readonly forPoster: boolean;
    readonly orderId?: OrderId;
    /** Why an operator ended the bounty; only the poster sees it. */
    readonly reason?: string | undefined;
  };
}[BountyEventType];

type AnnouncedBounty = Pick<BountyRow, 'id' | 'userId' | 'clientWallet' | 'title' | 'budgetMicros'>;

export async function appendBountyEvents(
  tx: Tx,
  { events }: Pick<BountiesContext, 'events'>,
  bounty: AnnouncedBounty,
  appended: readonly BountyEvent[],
): Promise<void> {
  await events.append(
    tx,
    appended.map(({ type, data, agentId, claimants = [], forPoster, orderId, reason }) => ({
      type,
      subjectId: bounty.id,
      ...(agentId !== undefined && { agentId }),
      readers: [...(forPoster ? postersOf(bounty) : []), ...claimants.map((claimant): EventReader => `agent:${claimant.agentId}`)],
      data,
      context: {
        title: bounty.title,
        budget_micros: String(bounty.budgetMicros),
        ...(orderId !== undefined && { order_id: orderId }),
        ...(reason !== undefined && { reason }),
        poster: forPoster ? { user_id: bounty.userId, wallet: bounty.clientWallet } : null,
        claimants: claimants.map((claimant) => ({
          agent_id: claimant.agentId,
          agent_name: claimant.agentName,
          owner_wallet: claimant.ownerWallet,
          owner_user_id: claimant.ownerUserId,
        })),
      },
    })),
  );
}

function postersOf({ userId, clientWallet }: AnnouncedBounty): EventReader[] {
  return [...(userId === null ? [] : [`user:${userId}` as const]), `wallet:${clientWallet}`];
}
