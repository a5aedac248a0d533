import { useAnswer } from '../data/answers.ts';

/** What has no event on the stream, such as a webhook that failed, is noticed this often. */
const LOOK_MS = 60_000;

/** Unread notifications of whoever is signed in. */
export function useUnread({ enabled = true } = {}): number {
  return useAnswer('notifications.list', { unread: 'true', limit: 1 }, { enabled, everyMs: LOOK_MS }).data?.unread_count ?? 0;
}
