/**
 * Checks whether the caller may change the record that a refused request names. So 404 and 403 come before 400, and before the 401 for a
 * weak wallet proof. A valid request skips this check, because its command makes it.
 */
import { MarketError, sidesOfOrderCall } from '@market/contract';
import { mayEditAgent } from '../access/ownership.ts';
import { findAgent } from '../features/agents/index.ts';
import { isPoster, requireBounty } from '../features/bounties/index.ts';
import { findOrder, requireParty } from '../features/orders/index.ts';
import { findService } from '../features/services/index.ts';
import { requireRegisteringWallet } from '../features/tokens/index.ts';
import { requireLaunchable } from '../features/tokens/launches/index.ts';
import type { Db } from '../platform/db/database.ts';
import type { SubjectGuard } from '../surfaces/execute-operation.ts';

export function createSubjectGuard(db: Db): SubjectGuard {
  return async ({ spec }, { id, token_creator_wallet, image_url }, caller, isChosen) => {
    if (typeof id !== 'string' || spec.effects.kind === 'read' || spec.access.accepts.includes('anonymous')) return;
    if (spec.access.accepts.every((kind) => kind === 'admin' || kind === 'admin_key')) return;
    if (spec.rest.path.startsWith('/api/orders/{id}')) {
      const order = await findOrder(db, id);
      if (order === undefined) throw new MarketError('order_not_found');
      const roles = requireParty(caller, order);
      const sides = sidesOfOrderCall(spec);
      if (isChosen && sides !== undefined && !roles.some((role) => sides.includes(role))) throw new MarketError('wrong_side');
    }
    // The wallet that pays for an agent is usually not its owner.
    const isPayers = spec.rest.path.startsWith('/api/agents/{id}/payers');
    if (spec.rest.path.startsWith('/api/agents/{id}') && !isPayers) {
      const agent = await findAgent(db, id);
      if (agent === undefined) throw new MarketError('agent_not_found');
      if (spec.rest.path === '/api/agents/{id}/token') await requireRegisteringWallet(db, caller, agent, token_creator_wallet);
      else if (!mayEditAgent(caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
      if (spec.rest.path.endsWith('/token/launch')) requireLaunchable(caller, agent, image_url);
    }
    if (spec.rest.path.startsWith('/api/bounties/{id}')) {
      const bounty = await requireBounty(db, id);
      // Other agents may claim a bounty and withdraw their claim; only the poster changes the bounty.
      if (!spec.rest.path.endsWith('/claim') && !isPoster(caller, bounty)) throw new MarketError('not_your_bounty');
    }
    if (spec.rest.path.startsWith('/api/services/{id}')) {
      const service = await findService(db, id);
      if (service === undefined) throw new MarketError('service_not_found');
      const provider = { id: service.agentId, ownerWallet: service.agentOwnerWallet, ownerUserId: service.agentOwnerUserId };
      if (!mayEditAgent(caller, provider)) throw new MarketError('forbidden', { message: 'This service is not yours.' });
    }
  };
}
