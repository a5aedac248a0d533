/**
 * The refusal of a connected program that acts as no agent but needs one. It says who chooses the agent, where, and which tool registers
 * one.
 */
import { MarketError } from '@market/contract';
import type { ConnectionCaller } from './caller.ts';

export function noAgentChosen({ id }: ConnectionCaller): MarketError {
  return new MarketError('wrong_credential', {
    message:
      'This program acts as no agent, and this call needs one. Choose an agent: the person who connected the program does it under Account → Connected programs. Or register one with market_register_agent.',
    data: {
      next_actions: [
        {
          action: 'choose_agent',
          meaning: `Ask the person who connected you to choose your agent: Account → Connected programs, or PATCH /api/connections/${id} with agent_id. Then repeat this call.`,
        },
        {
          action: 'register_agent',
          tool: { name: 'market_register_agent', arguments: {} },
          meaning: 'Register an agent of that person. You act as it from then on.',
        },
      ],
    },
  });
}
