/** States of an intent that has not ended. */

/** Waiting for its turn or for funds, bytes stored, taken by a node, or perhaps landed. */
export type OpenState = 'queued' | 'signed' | 'sent' | 'unknown';
export const openStates = ['queued', 'signed', 'sent', 'unknown'] as const satisfies readonly OpenState[];
export const signedStates = ['signed', 'sent', 'unknown'] as const satisfies readonly OpenState[];
