/** The job that carries a payout of creator fees on. */

export const PAY = 'creator_fees.pay';
export const QUEUE = 'creator-fees';

export function feePayoutJob(payoutId: string, runAt?: Date) {
  const job = { kind: PAY, queue: QUEUE, payload: { payout_id: payoutId }, uniqueKey: `${PAY}:${payoutId}` };
  return runAt === undefined ? job : { ...job, runAt };
}
