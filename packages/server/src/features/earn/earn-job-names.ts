/** The jobs of Earn as rows, for the code that enqueues them. */
export const EARN_QUEUE = 'earn';
export const ADVANCE_DEPOSIT = 'earn.advance_deposit';
export const ADVANCE_INTENT = 'earn.advance_intent';
export const SETTLE_QUEUE = 'earn.settle_queue';
export const REGISTER_TRANSFER = 'earn.register_transfer';

function named(kind: string, payload: Record<string, string>, name: string, runAt: Date | undefined) {
  return { kind, queue: EARN_QUEUE, payload, uniqueKey: `${kind}:${name}`, ...(runAt !== undefined && { runAt }) };
}

export const advanceDepositJob = (id: string, runAt?: Date) => named(ADVANCE_DEPOSIT, { deposit_id: id }, id, runAt);
export const advanceIntentJob = (id: string, runAt?: Date) => named(ADVANCE_INTENT, { intent_id: id }, id, runAt);
export const settleQueueJob = (key: string, runAt?: Date) => named(SETTLE_QUEUE, { vault_key: key }, key, runAt);
/** Registers the deposit of an agent's server wallet once its transfer has arrived. */
export const registerTransferJob = (movementId: string, runAt?: Date) =>
  named(REGISTER_TRANSFER, { movement_id: movementId }, movementId, runAt);
