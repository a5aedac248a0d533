import { z } from 'zod';
import { defineOperation } from '../kernel/operation.ts';
import { text } from '../kernel/wire.ts';
import { exampleBounty } from './examples.ts';
import { bountyPath, closedBounty } from './schema.ts';

export const takeDownBounty = defineOperation({
  summary: 'Take a bounty off the board',
  description:
    'While it is open. Its claims are rejected; poster and claimants are notified, the poster with the reason. The poster paid nothing, so nothing is refunded; stakes of claims are returned. The action is logged.',
  input: { path: bountyPath, body: z.object({ reason: text(3, 500, 'reason').describe('The poster can read it') }) },
  output: { data: closedBounty },
  errors: ['bounty_not_found', 'bounty_not_open'],
  access: { accepts: ['admin'] },
  effects: { kind: 'write' },
  rest: { method: 'POST', path: '/api/admin/bounties/{id}/take-down' },
  examples: [
    {
      title: 'A scam',
      input: { id: exampleBounty.id, reason: 'Asks for seed phrases.' },
      data: { id: exampleBounty.id, bounty_id: exampleBounty.id, status: 'cancelled' },
    },
  ],
});
