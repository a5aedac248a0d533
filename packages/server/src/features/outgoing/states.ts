/** States of an intent that has not ended. */

/** In this order: waiting for its turn or for funds, bytes stored, accepted by a node, perhaps landed. */
export type OpenState = 'queued' | 'signed' | 'sent' | 'unknown';
export const openStates = ['queued', 'signed', 'sent', 'unknown'] as const satisfies readonly OpenState[];
export const signedStates = ['signed', 'sent', 'unknown'] as const satisfies readonly OpenState[];
