/** The events of one agent as they happen, newest first. While paused, new ones are held back and none is lost. */
import { MarketApiError, type MarketClient } from '@market/sdk';
import { useEffect, useReducer, useState } from 'react';
import { useMarket } from '../../../data/answers.ts';
import { type MarketEvent, putEvents, resumeTail, startTail, type Tail } from './event-tail-state.ts';

export interface TailQuestion {
  readonly agentId: string;
  /** Start after this event number; undefined: with the latest events. */
  readonly after: string | undefined;
  readonly type: string | undefined;
}

export interface EventTail extends Tail {
  readonly state: 'loading' | 'live' | 'ended';
  readonly error: MarketApiError | null;
  readonly paused: boolean;
  setPaused(paused: boolean): void;
  retry(): void;
}

const SHOWN_AT_FIRST = 50;
const PER_PAGE = 200;
const GATHER_MS = 50;

type Step =
  | { readonly kind: 'start' | 'resume' }
  | { readonly kind: 'put'; readonly events: readonly MarketEvent[]; readonly held: boolean };

function step(tail: Tail, action: Step): Tail {
  if (action.kind === 'put') return putEvents(tail, action.events, action.held);
  return action.kind === 'resume' ? resumeTail(tail) : startTail();
}

export function useEventTail({ agentId, after, type }: TailQuestion): EventTail {
  const market = useMarket();
  const [tail, take] = useReducer(step, undefined, startTail);
  const [state, setState] = useState<EventTail['state']>('loading');
  const [error, setError] = useState<MarketApiError | null>(null);
  const [paused, setPaused] = useState(false);
  const [attempt, setAttempt] = useState(0);
  // The stream must see changes of this flag while it runs, so it shares this object with `setPaused`.
  const [hold] = useState({ on: false });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew
  useEffect(() => {
    const leaving = new AbortController();
    const put = (events: readonly MarketEvent[], held = false): void => take({ kind: 'put', events, held });
    let gathered: MarketEvent[] = [];
    // Catching up brings hundreds at once; they are collected and shown together.
    const gather = (event: MarketEvent): void => {
      gathered.push(event);
      if (gathered.length > 1) return;
      setTimeout(() => {
        if (!leaving.signal.aborted) put(gathered, hold.on);
        gathered = [];
      }, GATHER_MS);
    };
    const follow = async (): Promise<void> => {
      const filter = { agent_id: agentId as MarketEventAgent, ...(type !== undefined && { types: type }) };
      const from = after ?? (await latestPosition(market, filter.agent_id, leaving.signal));
      const page = await market.events.list({ ...filter, after: from, limit: PER_PAGE }, { signal: leaving.signal });
      put(page.data);
      setState('live');
      for await (const event of market.events.stream({ ...filter, after: page.next_after }, { signal: leaving.signal })) gather(event);
    };
    take({ kind: 'start' });
    setState('loading');
    setError(null);
    follow().catch((failure: unknown) => {
      if (leaving.signal.aborted) return;
      setError(failure instanceof MarketApiError ? failure : null);
      setState('ended');
    });
    return () => leaving.abort();
  }, [market, agentId, after, type, attempt, hold]);

  return {
    ...tail,
    state,
    error,
    paused,
    setPaused(on) {
      hold.on = on;
      setPaused(on);
      if (!on) take({ kind: 'resume' });
    },
    retry: () => setAttempt(attempt + 1),
  };
}

type MarketEventAgent = NonNullable<MarketEvent['agent_id']>;

/** The position before the last few events. */
async function latestPosition(market: MarketClient, agentId: MarketEventAgent, signal: AbortSignal): Promise<string> {
  const { last_seq: last } = await market.events.list({ agent_id: agentId, limit: 1 }, { signal });
  return String(Math.max(0, (last ?? 0) - SHOWN_AT_FIRST));
}
