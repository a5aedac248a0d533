/** The jobs of Earn as rows, for the code that enqueues them. */
import { type StepKind, stepJob } from '../outgoing/index.ts';

const queue = 'earn';
export const advancingDeposit: StepKind = { kind: 'earn.advance_deposit', queue, field: 'deposit_id' };
export const advancingIntent: StepKind = { kind: 'earn.advance_intent', queue, field: 'intent_id' };
export const settlingQueue: StepKind = { kind: 'earn.settle_queue', queue, field: 'vault_key' };
export const registeringTransfer: StepKind = { kind: 'earn.register_transfer', queue, field: 'movement_id' };

export const advanceDepositJob = (id: string, runAt?: Date) => stepJob(advancingDeposit, id, runAt);
export const advanceIntentJob = (id: string, runAt?: Date) => stepJob(advancingIntent, id, runAt);
export const settleQueueJob = (key: string, runAt?: Date) => stepJob(settlingQueue, key, runAt);
/** Registers the deposit of an agent's server wallet once its transfer has arrived. */
export const registerTransferJob = (movementId: string, runAt?: Date) => stepJob(registeringTransfer, movementId, runAt);
