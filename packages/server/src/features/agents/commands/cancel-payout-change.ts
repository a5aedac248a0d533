import { MarketError } from '@market/contract';
import { concernedBy } from '../../../access/authority/concerned-by.ts';
import { isWatching } from '../../../access/authority/links-repository.ts';
import { mayReadSecret } from '../../../access/authority/owners.ts';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import { isOwner } from '../../../access/ownership.ts';
import { readAgentWallets } from '../../wallet-keys/index.ts';
import type { AgentsContext } from '../agents-context.ts';
import { endPayoutChange } from '../end-payout-change.ts';
import { presentOwn, presentWatched } from '../present.ts';
import { type AgentRow, findAgent } from '../repository.ts';

/**
 * Cancelling keeps the current address, so any proof of the owner is enough. As for waiting moves, so is a proof of a wallet that watches the
 * owner account. The agent's key alone may not cancel a change that the owner made.
 */
export function cancelPayoutChange(context: AgentsContext): HandlersOf<'agents'>['cancelPayoutChange'] {
  return async ({ id: idOrSlug }, call) => {
    const found = await findAgent(context.database.db, idOrSlug);
    if (found === undefined) throw new MarketError('agent_not_found');
    if (!isOwner(call.caller, found)) return await cancelAsWatcher(context, call, found);
    return await call.commit(async (tx) => {
      await endPayoutChange(tx, context, found.id);
      const updated = await findAgent(tx, found.id);
      if (updated === undefined) throw new MarketError('agent_not_found');
      return { data: presentOwn(updated, await readAgentWallets(tx, found.id), context.secrets, mayReadSecret(call.caller, updated)) };
    });
  };
}

/** Cancels for a wallet that does not own the agent. It may cancel only the change that it can see, and learns nothing else of the agent. */
async function cancelAsWatcher(context: AgentsContext, call: Call, agent: AgentRow) {
  if (!(await watchesOwner(context, call.caller, agent)))
    throw new MarketError('forbidden', {
      message: 'Only the owner and the wallets linked to its account cancel a change of the payout.',
    });
  const { pendingPayoutAt } = agent;
  return await call.commit(async (tx) => {
    const isEnded = pendingPayoutAt !== null && (await endPayoutChange(tx, context, agent.id, pendingPayoutAt));
    if (!isEnded) throw new MarketError('payout_change_not_found');
    return { data: presentWatched(agent) };
  });
}

async function watchesOwner(
  { database, clock, payoutChangeDelaySeconds }: AgentsContext,
  caller: Caller,
  agent: AgentRow,
): Promise<boolean> {
  const { ownerUserId, pendingPayoutAt } = agent;
  if (ownerUserId === null) return false;
  const askedAt = pendingPayoutAt === null ? clock.now() : new Date(pendingPayoutAt.getTime() - payoutChangeDelaySeconds * 1000);
  return await isWatching(database.db, concernedBy(caller), ownerUserId, askedAt);
}
