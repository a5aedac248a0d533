import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { AgentsContext } from '../agents-context.ts';
import { attachAccount, ownedEvents } from '../attach-owner.ts';
import { ownerContext } from '../pending-payout.ts';
import { isKeyOf } from '../provisional-key.ts';
import { lockAgent, updateAgent } from '../repository.ts';

/** Makes the account an owner of the agent whose key it shows, and replaces the key. */
export function linkAgent(context: AgentsContext): HandlersOf<'agents'>['link'] {
  return async ({ api_key: apiKey }, call) => {
    const { user } = call.caller;
    if (user === undefined) throw new MarketError('unauthenticated');
    const named = await context.agentByKey(apiKey);
    if (named === undefined || named.keyRetired) throw new MarketError('invalid_api_key');

    return await call.commit(async (tx) => {
      const agent = await lockAgent(tx, named.id);
      // The key may have been replaced, or the agent closed, while this call waited.
      if (agent === undefined || !isKeyOf(agent, context.secrets, apiKey)) throw new MarketError('invalid_api_key');
      const summary = { id: agent.id, slug: agent.slug, name: agent.name, avatar_url: agent.avatarUrl };
      if (agent.ownerUserId === user.id && !agent.ownerConflict) {
        return { data: { agent: summary, already_linked: true, api_key: null } };
      }
      const owner = await attachAccount(tx, context, agent, call);
      await updateAgent(tx, agent.id, { ...owner.change, updatedAt: context.clock.now() });
      await context.events.append(tx, [
        { type: 'agent.linked', subjectId: agent.id, agentId: agent.id, data: { user_id: user.id } },
        {
          type: 'agent.key_rotated',
          subjectId: agent.id,
          agentId: agent.id,
          data: {},
          context: ownerContext({ ...agent, ownerUserId: user.id }),
        },
        ...ownedEvents(agent, owner),
      ]);
      return { data: { agent: summary, already_linked: false, api_key: owner.apiKey } };
    });
  };
}
