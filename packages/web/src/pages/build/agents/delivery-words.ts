/** The state of a delivery, in words. Pure. */
import type { Delivery } from '../agent-standing.ts';

export type DeliveryState = Delivery['state'];

export const stateWords: Readonly<Record<DeliveryState, string>> = {
  waiting: 'On its way',
  retrying: 'Tried again soon',
  delivered: 'Delivered',
  failed: 'Failed',
  dropped: 'Dropped',
};

/** One sentence that explains the state; empty if there is nothing to explain. */
export function noteOf({ state, attempts, redeliveries, is_test: isTest }: Delivery): string {
  const last = attempts.at(-1);
  const by = redeliveries === 0 ? '' : redeliveries === 1 ? 'sent again once' : `sent again ${redeliveries} times`;
  if (state === 'dropped') return 'the agent had no endpoint any more';
  if (state === 'failed') return [`gave up: ${lowerFirst(last?.error ?? 'every attempt failed')}`, by].filter(isSaid).join(', ');
  if (state === 'retrying' && last?.error != null) return lowerFirst(last.error);
  return [isTest ? 'test' : '', by].filter(isSaid).join(', ');
}

function isSaid(words: string): boolean {
  return words !== '';
}

function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1).replace(/\.$/, '');
}

export function isUnderWay({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'waiting' || state === 'retrying';
}

/** A duration like `214 ms` or `5.0 s`. */
export function tookWords(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
