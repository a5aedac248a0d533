/** The kinds of steps of Earn, for the code that enqueues them. */
import type { StepKind } from '../outgoing/index.ts';

const queue = 'earn';
export const advancingDeposit: StepKind = { kind: 'earn.advance_deposit', queue, field: 'deposit_id' };
export const advancingIntent: StepKind = { kind: 'earn.advance_intent', queue, field: 'intent_id' };
export const settlingQueue: StepKind = { kind: 'earn.settle_queue', queue, field: 'vault_key' };
/** Registers the deposit of an agent's server wallet once its transfer has arrived. */
export const registeringTransfer: StepKind = { kind: 'earn.register_transfer', queue, field: 'movement_id' };
