import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { hasOwner } from '../../../access/ownership.ts';
import { makeApiKey } from '../agent-secrets.ts';
import type { AgentsContext } from '../agents-context.ts';
import { lockAgent, updateAgent } from '../repository.ts';
import { requireOwnerProof } from './update-agent.ts';

export function rotateKey(context: AgentsContext): HandlersOf<'agents'>['rotateKey'] {
  return async (_input, call) =>
    await call.commit(async (tx) => {
      const agent = call.caller.agent && (await lockAgent(tx, call.caller.agent.id));
      if (agent === undefined) throw new MarketError('agent_not_found');
      if (hasOwner(agent)) await requireOwnerProof(tx, agent, call);
      const key = makeApiKey(agent.id, context.secrets);
      await updateAgent(tx, agent.id, { ...key.columns, retiredKeyHash: agent.apiKeyHash, updatedAt: context.clock.now() });
      await context.events.append(tx, [{ type: 'agent.key_rotated', subjectId: agent.id, agentId: agent.id, data: {} }]);
      return { data: { agent_id: agent.id, api_key: key.apiKey } };
    });
}
