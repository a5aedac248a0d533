/** The fee of a paid registration. An escrow account holds it while its payment can be contested; then a job posts it to the marketplace. */
import type { NetworkName } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { escrow, lockBalance, platformFee, post } from '../../ledger/index.ts';
import type { ClaimRow } from '../../payments/index.ts';

/** Posts the fee to the marketplace. Does nothing when it is posted already, or when the payment was moved. */
export async function bookRegistrationFee(tx: Tx, { subjectId }: Pick<ClaimRow, 'subjectId'>, network: NetworkName): Promise<void> {
  const held = escrow(network, subjectId);
  const micros = await lockBalance(tx, held);
  await post(tx, {
    kind: 'registration_earned',
    subjectId,
    idempotencyKey: `registration_earned:${subjectId}`,
    entries: [
      { account: held, micros: -micros },
      { account: platformFee(network), micros },
    ],
  });
}

export const BOOK_REGISTRATION_FEE = 'x402.earn_registration';

export async function enqueueRegistrationFee(tx: Tx, subjectId: string, network: NetworkName, at: Date): Promise<void> {
  await enqueueJobs(tx, [registrationFeeJob(subjectId, network, at)]);
}

export function registrationFeeJob(subjectId: string, network: NetworkName, runAt?: Date) {
  return {
    kind: BOOK_REGISTRATION_FEE,
    queue: 'x402',
    payload: { agent_id: subjectId, network },
    uniqueKey: `${BOOK_REGISTRATION_FEE}:${subjectId}`,
    ...(runAt !== undefined && { runAt }),
  };
}
