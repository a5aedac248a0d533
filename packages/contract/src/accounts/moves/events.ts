/** The public data of events about moves that wait. The account, its linked wallets and the agent may read them. */
import { z } from 'zod';
import { moveKinds } from './schema.ts';

const ofMove = z.object({ move_id: z.string(), kind: z.enum(moveKinds), summary: z.string() });

export const moveEvents = {
  'move.waiting': ofMove.extend({ effective_at: z.string() }),
  'move.ready': ofMove.extend({ ready_until: z.string() }),
  'move.done': ofMove.extend({ result_id: z.string().nullable() }),
  'move.cancelled': ofMove.extend({ reason: z.string() }),
  'move.failed': ofMove.extend({ reason: z.string() }),
} as const satisfies Record<string, z.ZodObject>;

export type MoveEventType = keyof typeof moveEvents;
export type MoveEventData<T extends MoveEventType> = z.input<(typeof moveEvents)[T]>;
