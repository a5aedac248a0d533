import { useAnswer } from '../data/answers.ts';

/** Polling interval for changes without a stream event, such as a failed webhook. */
const LOOK_MS = 60_000;

/** Unread notifications of the visitor. */
export function useUnread({ enabled = true } = {}): number {
  return useAnswer('notifications.list', { unread: 'true', limit: 1 }, { enabled, everyMs: LOOK_MS }).data?.unread_count ?? 0;
}
