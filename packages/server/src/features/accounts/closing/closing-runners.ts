/** Carries out closings that waited a day, after checking again that nothing is open. */
import { MarketError } from '@market/contract';
import { z } from 'zod';
import type { MoveRunners } from '../moves/index.ts';
import { close } from './close.ts';
import { requireAccount, requireNothingOpen, ruleOf } from './close-account.ts';
import type { ClosingContext } from './closing-context.ts';
import { listClosableAgents } from './open-things-repository.ts';
import type { ClosingSubject } from './subject.ts';

const payload = z.object({ close_agents: z.boolean() });

export function closingMoveRunners(context: ClosingContext): Pick<MoveRunners, 'account_closing' | 'agent_closing'> {
  const closing = async (subject: ClosingSubject, moveId: string): ReturnType<MoveRunners['account_closing']> => {
    await requireNothingOpen(context, subject);
    return async (tx) => {
      await close(tx, context, subject, moveId);
      return { state: 'done', resultId: null };
    };
  };
  return {
    async account_closing(move) {
      const person = { userId: move.owner.replace(/^user:/, '') };
      await requireAccount(context, person);
      const agents = payload.parse(move.payload).close_agents ? await listClosableAgents(context.database.db, person, ruleOf(context)) : [];
      return await closing({ person, agents }, move.id);
    },
    async agent_closing(move, agent) {
      if (agent === undefined || agent.closedAt !== null) throw new MarketError('agent_not_found');
      return await closing({ person: undefined, agents: [agent.id] }, move.id);
    },
  };
}
