import { MarketError } from '@market/contract';
import { requireMover } from '../../../access/authority/owners.ts';
import type { HandlersOf } from '../../../access/call.ts';
import { findAgent } from '../../agents/index.ts';
import { holdMove, presentWait } from '../moves/index.ts';
import { close } from './close.ts';
import { requireNothingOpen } from './close-account.ts';
import type { ClosingContext } from './closing-context.ts';
import { lockAgents } from './open-things-repository.ts';
import { listWaitingClosings } from './person-repository.ts';
import { requireOwnAgent } from './require-own-agent.ts';

export function closeAgent(context: ClosingContext): HandlersOf<'account'>['closeAgent'] {
  return async ({ id }, call) => {
    const agent = await requireOwnAgent(context, call, id);
    const subject = { person: undefined, agents: [agent.id] };
    await requireNothingOpen(context, subject);
    return await call.commit(async (tx) => {
      await lockAgents(tx, [agent.id]);
      // The agent's owner may have changed while chains were asked.
      const owned = await findAgent(tx, agent.id);
      if (owned === undefined || owned.closedAt !== null) throw new MarketError('agent_not_found');
      const { person, wait } = await requireMover(tx, call, owned, context);
      if (wait === undefined) return { data: await close(tx, context, subject) };
      const [waiting] = await listWaitingClosings(tx, null, [agent.id]);
      // A second call returns the closing that already waits, with its time unchanged.
      if (waiting?.owner === person) return { data: { ...presentWait(waiting, wait), closed_at: null, closed_agents: [] } };
      const move = await holdMove(tx, context, call, {
        owner: person,
        kind: 'agent_closing',
        agentId: agent.id,
        topic: 'closing',
        summary: `Close the agent “${agent.name}” for ever.`,
        payload: {},
      });
      return { data: { ...presentWait(move, wait), closed_at: null, closed_agents: [] } };
    });
  };
}
