/** Replaces the API key, for the agent with its old key or for the owner without it. */
import { type AgentId, MarketError } from '@market/contract';
import { requireGranter } from '../../../access/authority/owners.ts';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { hasOwner, mayEditAgent } from '../../../access/ownership.ts';
import { makeApiKey } from '../agent-secrets.ts';
import type { AgentsContext } from '../agents-context.ts';
import { ownerContext } from '../pending-payout.ts';
import { replaceProvisionalKey } from '../provisional-key.ts';
import { findAgent, lockAgent, updateAgent } from '../repository.ts';

export function rotateKey(context: AgentsContext): HandlersOf<'agents'>['rotateKey'] {
  return async (_input, call) => await rotate(context, call.caller.agent?.id, call);
}

export function replaceKey(context: AgentsContext): HandlersOf<'agents'>['replaceKey'] {
  return async ({ id }, call) => await rotate(context, (await findAgent(context.database.db, id))?.id, call);
}

async function rotate(context: AgentsContext, id: AgentId | undefined, call: Call) {
  return await call.commit(async (tx) => {
    const agent = id && (await lockAgent(tx, id));
    if (agent === undefined) throw new MarketError('agent_not_found');
    if (!mayEditAgent(call.caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
    if (hasOwner(agent)) await requireGranter(tx, call, agent);
    // The owner proved itself without the key, so a stranger may hold a provisional key.
    const replaced = call.caller.agent?.id === agent.id ? undefined : await replaceProvisionalKey(tx, context, agent.id);
    if (replaced !== undefined) return { data: { agent_id: agent.id, api_key: replaced.apiKey } };
    const key = makeApiKey(agent.id, context.secrets);
    await updateAgent(tx, agent.id, {
      ...key.columns,
      retiredKeyHash: agent.apiKeyHash,
      ownerProven: true,
      updatedAt: context.clock.now(),
    });
    await context.events.append(tx, [
      { type: 'agent.key_rotated', subjectId: agent.id, agentId: agent.id, data: {}, context: ownerContext(agent) },
    ]);
    return { data: { agent_id: agent.id, api_key: key.apiKey } };
  });
}
