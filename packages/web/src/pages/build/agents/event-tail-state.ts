/** The state of an event tail: shown and held-back events. Pure. */
import type { Answer } from '../../../data/answers.ts';

export type MarketEvent = Answer<'events.list'>['data'][number];

export interface Tail {
  /** Newest first. */
  readonly shown: readonly MarketEvent[];
  /** Events that arrived while paused, newest first. */
  readonly held: readonly MarketEvent[];
}

/** Older events are in the API. */
const MOST_SHOWN = 500;

export function startTail(): Tail {
  return { shown: [], held: [] };
}

/** `events` in the order of the feed, oldest first. */
export function putEvents({ shown, held }: Tail, events: readonly MarketEvent[], hold: boolean): Tail {
  const newest = events.toReversed();
  return hold ? { shown, held: cut([...newest, ...held]) } : { shown: cut([...newest, ...held, ...shown]), held: [] };
}

export function resumeTail({ shown, held }: Tail): Tail {
  return { shown: cut([...held, ...shown]), held: [] };
}

function cut(events: readonly MarketEvent[]): readonly MarketEvent[] {
  return events.slice(0, MOST_SHOWN);
}
