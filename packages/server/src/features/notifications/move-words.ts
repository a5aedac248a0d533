/** Notifications about waiting moves: what will move, when, and how to cancel it. */
import { type MoveEventType, moveEvents } from '@market/contract';
import type { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

const minuteOf = (time: string) => `${time.slice(0, 16)} UTC`;

const notices: Readonly<{ [T in MoveEventType]: (data: z.output<(typeof moveEvents)[T]>) => Words }> = {
  'move.waiting': ({ summary, effective_at: at }) =>
    words('move_waiting', 'Waits for a day', `${summary} This happens at ${minuteOf(at)}. If this was not you, cancel it now.`),
  'move.ready': ({ summary, ready_until: until }) =>
    words(
      'move_ready',
      'Ready to fetch',
      `${summary} The account can fetch it once, until ${minuteOf(until)}. If this was not you, cancel it now.`,
    ),
  'move.done': ({ summary }) => words('move_done', 'The wait is over', `${summary} This was done after its wait.`),
  'move.cancelled': ({ summary, reason }) => words('move_cancelled', 'Cancelled', `${summary} This will not happen. ${reason}`),
  'move.failed': ({ summary, reason }) => words('move_failed', 'Could not be done', `${summary} Nothing moved. ${reason}`),
};

export const moveTypes: readonly string[] = Object.keys(notices);

export function noticeOfMove(event: StoredEvent): Words {
  const type = event.type as MoveEventType;
  const write = notices[type] as (data: unknown) => Words;
  return write(moveEvents[type].parse(event.data));
}
