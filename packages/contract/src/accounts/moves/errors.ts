import { defineErrors } from '../../kernel/errors.ts';
import { moveLimits } from './limits.ts';

export const moveErrors = defineErrors({
  move_not_found: { kind: 'not_found', message: 'You have no such move. GET /api/moves lists those that wait.' },
  move_ended: { kind: 'conflict', message: 'This move has ended and cannot be cancelled any more.' },
  too_many_moves: {
    kind: 'conflict',
    message: `This account has ${moveLimits.mostWaiting} moves that wait, and there can be no more. Cancel one, or sign this call with a wallet that has been linked for 24 hours.`,
  },
});
