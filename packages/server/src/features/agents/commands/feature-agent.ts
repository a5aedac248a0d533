/** An operator gives an agent a featured place, or ends it. The published rules decide who may have one. */
import { featuredProblems, MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { walletsOf } from '../../../access/caller.ts';
import { recordAdminAction } from '../../moderation/index.ts';
import { lockFeaturable, writeFeatured } from '../featured-repository.ts';

export function featureAgent(): HandlersOf<'agents'>['feature'] {
  return async ({ id: idOrSlug, featured, reason }, call) =>
    await call.commit(async (tx) => {
      const agent = await lockFeaturable(tx, idOrSlug);
      if (agent === undefined) throw new MarketError('agent_not_found');
      const { caller } = call;
      const { id, ownerUserId, ownerWallet } = agent;
      const isOwn =
        (ownerUserId !== null && ownerUserId === caller.user?.id) || (ownerWallet !== null && walletsOf(caller).includes(ownerWallet));
      const problems = featured ? featuredProblems({ ...agent, isOwn }) : [];
      if (problems.length > 0)
        throw new MarketError('agent_not_featurable', {
          message: `This agent does not meet the rules of a featured place. ${problems.join(' ')}`,
          data: { problems },
        });
      if (agent.featured !== featured) {
        await writeFeatured(tx, id, featured);
        const details = { from: agent.featured, to: featured };
        await recordAdminAction(tx, caller, { action: 'agent.featured', subjectId: id, reason, details });
      }
      return { data: { id, featured: featured ? 1 : 0 } };
    });
}
