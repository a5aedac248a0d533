import { MarketError, toFlag } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { mayEditAgent } from '../../../access/ownership.ts';
import { isUniqueViolation } from '../../../platform/db/database.ts';
import type { AgentsContext } from '../agents-context.ts';
import { findAgent, lockAgent, updateAgent } from '../repository.ts';

export function setActive(context: AgentsContext): HandlersOf<'agents'>['setActive'] {
  return async ({ id: idOrSlug, active }, call) => {
    const found = await findAgent(context.database.db, idOrSlug);
    if (found === undefined) throw new MarketError('agent_not_found');
    if (!mayEditAgent(call.caller, found)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
    try {
      return await call.commit(async (tx) => {
        const agent = await lockAgent(tx, found.id);
        if (agent === undefined) throw new MarketError('agent_not_found');
        if (agent.active !== active) {
          await updateAgent(tx, agent.id, { active, updatedAt: context.clock.now() });
          await context.events.append(tx, [
            { type: active ? 'agent.activated' : 'agent.deactivated', subjectId: agent.id, agentId: agent.id, data: {} },
          ]);
        }
        return { data: { id: agent.id, active: toFlag(active) } };
      });
    } catch (error) {
      if (isUniqueViolation(error, 'agents_one_name')) {
        throw new MarketError('name_taken', { message: 'Another agent took this name meanwhile. Rename this one first.' });
      }
      throw error;
    }
  };
}
