/**
 * The visitor's language, time zone and current minute. The server knows none of them: it renders British English and UTC, then the browser
 * takes over.
 */
import { createContext, useContext, useSyncExternalStore } from 'react';

export interface Visitor {
  readonly locale: string;
  readonly timeZone: string;
}

const WRITTEN_BY_SERVER: Visitor = { locale: 'en-GB', timeZone: 'UTC' };
let here: Visitor | undefined;

function visitorHere(): Visitor {
  here ??= { locale: navigator.language, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  return here;
}

const never = () => () => undefined;

export function useVisitor(): Visitor {
  return useSyncExternalStore(never, visitorHere, () => WRITTEN_BY_SERVER);
}

/** Market time when the page was rendered, and how far it is ahead of this computer's clock. */
export interface MarketTime {
  readonly renderedAt: number;
  readonly aheadMs: number;
}

export const MarketTimeContext = createContext<MarketTime>({ renderedAt: 0, aheadMs: 0 });

const STEP_MS = 10_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const notify of listeners) notify();
  }, STEP_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Market time in milliseconds, in steps of ten seconds: clocks and "12 min ago" share one timer. */
export function useNow(): number {
  const { renderedAt, aheadMs } = useContext(MarketTimeContext);
  return useSyncExternalStore(
    onTick,
    () => Math.floor((Date.now() + aheadMs) / STEP_MS) * STEP_MS,
    () => renderedAt,
  );
}
