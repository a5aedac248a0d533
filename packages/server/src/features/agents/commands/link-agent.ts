import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { hasOwner, isOwner } from '../../../access/ownership.ts';
import { ensureUser } from '../../identity/index.ts';
import type { AgentsContext } from '../agents-context.ts';
import { lockAgent, updateAgent } from '../repository.ts';

export function linkAgent(context: AgentsContext): HandlersOf<'agents'>['link'] {
  return async ({ api_key: apiKey }, call) => {
    const { user } = call.caller;
    if (user === undefined) throw new MarketError('unauthenticated');
    const named = await context.agentByKey(apiKey);
    if (named === undefined || named.keyRetired) throw new MarketError('invalid_api_key');

    return await call.commit(async (tx) => {
      const agent = await lockAgent(tx, named.id);
      if (agent === undefined) throw new MarketError('agent_not_found');
      const alreadyLinked = agent.ownerUserId === user.id;
      if (!alreadyLinked) {
        if (hasOwner(agent) && !isOwner(call.caller, agent)) throw new MarketError('owner_already_set');
        const now = context.clock.now();
        await ensureUser(tx, user.identity, now, context.serviceName);
        await updateAgent(tx, agent.id, {
          ownerUserId: user.id,
          twitterUsername: agent.twitterUsername ?? user.identity.twitterUsername ?? null,
          updatedAt: now,
        });
        await context.events.append(tx, [{ type: 'agent.linked', subjectId: agent.id, agentId: agent.id, data: { user_id: user.id } }]);
      }
      const summary = { id: agent.id, slug: agent.slug, name: agent.name, avatar_url: agent.avatarUrl };
      return { data: { agent: summary, already_linked: alreadyLinked } };
    });
  };
}
