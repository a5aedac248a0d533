import { MarketError } from '@market/contract';
import { mayReadSecret } from '../../../access/authority/owners.ts';
import type { HandlersOf } from '../../../access/call.ts';
import { isOwner } from '../../../access/ownership.ts';
import { readAgentWallets } from '../../wallets/index.ts';
import type { AgentsContext } from '../agents-context.ts';
import { appendPayoutEvent, NO_PENDING_PAYOUT, presentPending } from '../pending-payout.ts';
import { presentOwn } from '../present.ts';
import { findAgent, lockAgent, updateAgent } from '../repository.ts';

/** Cancelling keeps the current address, so any proof of the owner is enough. The agent's key must not undo a change of its owner. */
export function cancelPayoutChange(context: AgentsContext): HandlersOf<'agents'>['cancelPayoutChange'] {
  return async ({ id: idOrSlug }, call) => {
    const found = await findAgent(context.database.db, idOrSlug);
    if (found === undefined) throw new MarketError('agent_not_found');
    if (!isOwner(call.caller, found)) throw new MarketError('forbidden', { message: 'Only the owner cancels a change of the payout.' });
    return await call.commit(async (tx) => {
      const agent = await lockAgent(tx, found.id);
      if (agent === undefined) throw new MarketError('agent_not_found');
      const pending = presentPending(agent);
      if (pending !== null) {
        await updateAgent(tx, agent.id, { ...NO_PENDING_PAYOUT, updatedAt: context.clock.now() });
        await appendPayoutEvent(tx, context.events, agent, 'agent.payout_change_cancelled', pending);
      }
      const updated = await findAgent(tx, agent.id);
      if (updated === undefined) throw new MarketError('agent_not_found');
      return { data: presentOwn(updated, await readAgentWallets(tx, agent.id), context.secrets, mayReadSecret(call.caller, updated)) };
    });
  };
}
