/** Undoing a link puts agents that account and wallet both own in conflict. Nobody decides about them until the wallet has chosen an owner. */
import type { Clock } from '../../platform/clock/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import { markOwnerConflicts } from './owner-proof-repository.ts';
import { ownerContext } from './pending-payout.ts';
import { dropTwitterHandle } from './repository.ts';

export async function partOwners(
  tx: Tx,
  { clock, events }: { readonly clock: Clock; readonly events: EventLog },
  link: { readonly userId: string; readonly address: string },
): Promise<void> {
  await dropTwitterHandle(tx, link.userId, [link.address]);
  const parted = await markOwnerConflicts(tx, link, clock.now());
  if (parted.length === 0) return;
  await events.append(
    tx,
    parted.map((agent) => ({
      type: 'agent.owner_conflict',
      subjectId: agent.id,
      agentId: agent.id,
      data: { agent_id: agent.id, wallet: agent.ownerWallet, user_id: agent.ownerUserId },
      context: ownerContext(agent),
    })),
  );
}
