/** Notifications to an owner about a verdict on an agent or a service. */
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { because, type Words, words } from './words.ts';

const verdict = z.object({ title: z.string(), status: z.enum(['ok', 'review', 'spam']), reason: z.string().nullable() });

export function noticeOfModeration(event: StoredEvent): Words {
  const { title, status, reason } = verdict.parse(event.data);
  const kind = event.type === 'agent.moderated' ? 'agent' : 'service';
  const type = `${kind}_moderation_${status}`;
  if (status === 'ok') return words(type, 'Shown again', `Your ${kind} “${title}” is in good standing.`);
  const next = status === 'review' ? ' Change its text to have it looked at again.' : '';
  return words(
    type,
    status === 'review' ? 'Hidden until reviewed' : 'Hidden',
    `Your ${kind} “${title}” is hidden from others.${because(reason)}${next}`,
  );
}
