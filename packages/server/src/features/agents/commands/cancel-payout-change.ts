import { MarketError } from '@market/contract';
import { concernedBy } from '../../../access/authority/concerned-by.ts';
import { isWatching } from '../../../access/authority/links-repository.ts';
import { mayReadSecret } from '../../../access/authority/owners.ts';
import type { HandlersOf } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import { isOwner } from '../../../access/ownership.ts';
import { readAgentWallets } from '../../wallets/index.ts';
import type { AgentsContext } from '../agents-context.ts';
import { endPayoutChange } from '../end-payout-change.ts';
import { presentOwn } from '../present.ts';
import { type AgentRow, findAgent } from '../repository.ts';

/**
 * Cancelling keeps the current address, so any proof of the owner is enough, or of a wallet that watches the owner account, as with moves
 * that wait. The agent's key must not undo a change of its owner.
 */
export function cancelPayoutChange(context: AgentsContext): HandlersOf<'agents'>['cancelPayoutChange'] {
  return async ({ id: idOrSlug }, call) => {
    const found = await findAgent(context.database.db, idOrSlug);
    if (found === undefined) throw new MarketError('agent_not_found');
    const owns = isOwner(call.caller, found);
    if (!owns && !(await watchesOwner(context, call.caller, found)))
      throw new MarketError('forbidden', {
        message: 'Only the owner and the wallets linked to its account cancel a change of the payout.',
      });
    return await call.commit(async (tx) => {
      await endPayoutChange(tx, context, found.id);
      const updated = await findAgent(tx, found.id);
      if (updated === undefined) throw new MarketError('agent_not_found');
      // A wallet that watches the account does not own the agent.
      const shown = owns ? updated : { ...updated, endpointUrl: null };
      return { data: presentOwn(shown, await readAgentWallets(tx, found.id), context.secrets, mayReadSecret(call.caller, updated)) };
    });
  };
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
