/** Wire shapes of moves that wait. */
import { z } from 'zod';
import { agentId, moveId } from '../../kernel/ids.ts';
import { wireTime } from '../../kernel/wire.ts';

export const moveKinds = ['wallet_send', 'key_export', 'withdraw_address', 'earn_withdrawal', 'account_closing', 'agent_closing'] as const;
export type MoveKind = (typeof moveKinds)[number];

/** Kinds in the list of moves. A waiting payout change is stored with the agent (`pending_payout`), not as a move. */
const shownMoveKinds = [...moveKinds, 'payout_change'] as const;

export const moveStates = ['waiting', 'ready', 'done', 'cancelled', 'failed'] as const;
export type MoveState = (typeof moveStates)[number];

export const moveReasons = ['by_request', 'replaced', 'owner_changed', 'expired', 'restored', 'stopped'] as const;
export type MoveReason = (typeof moveReasons)[number];

export const delayedMove = z
  .object({
    id: moveId,
    kind: z.enum(shownMoveKinds).describe('`payout_change`: where an agent is paid; listed while it waits'),
    status: z
      .enum(moveStates)
      .describe(
        '`waiting`: nothing has moved. `ready`: a key can be fetched once. `done`: it was ordered; `result_id` shows what came of it',
      ),
    summary: z.string().describe('What will move, in one sentence'),
    agent_id: agentId.nullable(),
    agent_name: z.string().nullable(),
    requested_at: wireTime,
    effective_at: wireTime.describe('When it happens unless somebody cancels it'),
    ready_until: wireTime.nullable().describe('Until when an exported key can be fetched'),
    ended_at: wireTime.nullable(),
    reason: z.string().nullable().describe('Why it was cancelled or failed'),
    result_id: z.string().nullable().describe('The movement of the agent’s wallet, or the withdrawal of Earn'),
  })
  .meta({ id: 'DelayedMove' });

/** Extra output fields of a call whose move may wait. Absent when the move happened at once. */
export const waitingFields = {
  move_id: moveId.optional().describe('The move that waits; see GET /api/moves'),
  effective_at: wireTime.optional().describe('When it happens unless somebody cancels it'),
  waits_because: z.string().optional().describe('Why it waits, and what makes it happen at once'),
};
