/** The operation that CONTRIBUTING.md adds. `npm run generate` copies the marked parts into it, so they always compile. */
import { MarketError, toWireTime } from '@market/contract';
import { z } from 'zod';
import { defineOperation } from '../../packages/contract/src/define-operation.ts';
import { line, wireTime } from '../../packages/contract/src/kernel/wire.ts';
import type { Handler } from '../../packages/server/src/access/call.ts';
import type { AgentsContext } from '../../packages/server/src/features/agents/agents-context.ts';
import { findAgent } from '../../packages/server/src/features/agents/repository.ts';

const agentOperations = {
  // sample: definition
  wave: defineOperation({
    summary: 'Wave to an agent',
    input: { path: z.object({ id: z.string().min(1).max(80) }), body: z.object({ greeting: line(1, 80, 'greeting') }) },
    output: { data: z.object({ waved_at: wireTime }) },
    errors: ['agent_not_found'],
    power: 'self',
    access: { accepts: ['idp', 'wallet', 'api_key'] },
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/agents/{id}/wave' },
    examples: [{ title: 'Hello', input: { id: 'tallyrook', greeting: 'Hello' }, data: { waved_at: '2026-11-15 14:05:00' } }],
  }),
  // end of sample
};

/** Stands for the contract with this definition. */
type HandlersOf<G extends 'agents'> = Readonly<Record<G extends 'agents' ? 'wave' : never, Handler<typeof agentOperations.wave>>>;

// sample: handler
export function wave(context: AgentsContext): HandlersOf<'agents'>['wave'] {
  return async ({ id, greeting }, call) => {
    const agent = await findAgent(context.database.db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    return await call.commit(async (tx) => {
      const now = context.clock.now();
      await context.events.append(tx, [{ type: 'agent.waved', subjectId: agent.id, data: { greeting } }]);
      return { data: { waved_at: toWireTime(now) } };
    });
  };
}
// end of sample
