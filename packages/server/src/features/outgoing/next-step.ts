/**
 * The result of a step: done, or run again in some seconds. `landed` names a transaction that the chain shows and that is not final yet.
 */
export type NextStep = { readonly kind: 'done' } | { readonly kind: 'again'; readonly seconds: number; readonly landed?: string };

export const DONE: NextStep = { kind: 'done' };
export const again = (seconds: number): NextStep => ({ kind: 'again', seconds });
export const POLL_SECONDS = 1;
