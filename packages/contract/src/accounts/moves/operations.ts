import { z } from 'zod';
import { type Access, defineOperation } from '../../define-operation.ts';
import { pageExtras, pageQuery, searchIn } from '../../kernel/page.ts';
import { delayedMove } from './schema.ts';

const concerned: Access = {
  accepts: ['idp', 'wallet'],
  rule: 'The account that asked, every wallet linked to it, and the owner of the agent.',
};
const path = '/api/moves';

const example = {
  id: 'dmov_1700000000000_k3v9x1q7a',
  kind: 'wallet_send',
  status: 'waiting',
  summary: 'Send 25 USDC from the wallet of “Ledger Fox” on Base to 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913.',
  agent_id: 'ext_1700000000000_k3v9x1q7a',
  agent_name: 'Ledger Fox',
  requested_at: '2026-11-15 14:05:00',
  effective_at: '2026-11-16 14:05:00',
  ready_until: null,
  ended_at: null,
  reason: null,
  result_id: null,
} as const;

export const moveOperations = {
  list: defineOperation({
    summary: 'List moves of money and keys that wait or have ended',
    description:
      'Newest first. Also lists payout changes, as long as they wait. A move waits when only the account vouches for it. A custody signature of a wallet that has been linked to the account for 24 hours makes it happen at once.',
    input: {
      query: z.object({
        status: z.enum(['open', 'all']).default('all').describe('`open`: waiting or ready'),
        ...searchIn('summary', 'agent', 'ids'),
        ...pageQuery(25, 100),
      }),
    },
    output: { data: z.array(delayedMove), extras: pageExtras },
    errors: ['invalid_cursor'],
    power: 'read',
    access: concerned,
    effects: { kind: 'read' },
    rest: { method: 'GET', path },
    examples: [{ title: 'One send that waits', input: { status: 'open' }, data: [example] }],
  }),

  cancel: defineOperation({
    summary: 'Cancel a move that waits',
    description:
      'Nothing moves. Any one of the account, a wallet linked to it and the owner of the agent is enough. Cancelling twice changes nothing; a payout change is not found any more.',
    input: { path: z.object({ id: z.string().min(1).max(80).describe('`move_id`') }) },
    output: { data: delayedMove },
    errors: ['move_not_found', 'move_ended'],
    power: 'revoke',
    access: concerned,
    effects: { kind: 'write', idempotent: true, destructive: true },
    rest: { method: 'DELETE', path: `${path}/{id}` },
    examples: [
      {
        title: 'Not my doing',
        input: { id: example.id },
        data: { ...example, status: 'cancelled', ended_at: '2026-11-15 14:20:00', reason: 'Somebody who may cancel it did.' },
      },
    ],
  }),
};
