/** Whether an agent is alive and its endpoint answers, in words; the light repeats them. Pure. */
import type { Answer } from '../../data/answers.ts';
import { formatAgo } from '../../ui/words/format.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';

export interface Standing {
  readonly light: 'alive' | 'slow' | 'off';
  readonly words: string;
}

export type Delivery = Answer<'webhooks.list'>['data'][number];

type Shown = Pick<OwnedAgent, 'active' | 'moderation' | 'presence'>;

export function presenceStanding({ active, moderation, presence: { state, seen_at: seenAt } }: Shown, now: number): Standing {
  const reason = moderation.reason === null ? '' : `: ${moderation.reason}`;
  if (moderation.status === 'spam') return { light: 'off', words: `Hidden by an operator${reason}` };
  if (moderation.status === 'review') return { light: 'slow', words: `Hidden until an operator has read it${reason}` };
  if (active === 0) return { light: 'off', words: 'Paused: takes no new orders' };
  if (seenAt === null) return { light: 'off', words: 'Has not used its key yet' };
  const ago = formatAgo(seenAt, now);
  if (state === 'quiet') return { light: 'off', words: `Last seen ${ago}` };
  return { light: 'alive', words: `Answering: seen ${ago}` };
}

/** The state of the endpoint after its latest call, which is a real delivery or a ping. */
export function endpointStanding(latest: Delivery | undefined, now: number): Standing {
  const attempt = latest?.attempts.at(-1);
  if (latest === undefined) return { light: 'off', words: 'Nothing was sent there yet' };
  if (attempt === undefined) return { light: 'slow', words: 'A call is on its way' };
  const ago = formatAgo(attempt.at, now);
  if (attempt.error === null) return { light: 'alive', words: `Answered ${attempt.status} in ${attempt.duration_ms} ms, ${ago}` };
  return { light: 'off', words: `Did not take the last call, ${ago}: ${attempt.error}` };
}
