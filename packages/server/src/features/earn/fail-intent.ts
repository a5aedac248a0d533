/** An intent that can never land, or that the venue refused: a deposit goes back, a withdrawal keeps its place in the queue. */
import { decideWithdrawal } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import type { OpenState } from '../outgoing/index.ts';
import type { EarnContext } from './earn-context.ts';
import { settleQueueJob } from './earn-job-names.ts';
import { giveBackDeposit } from './end-deposit.ts';
import { type IntentRow, moveIntent } from './intent-repository.ts';
import { countRefusal, findWithdrawal, moveWithdrawal } from './withdrawal-repository.ts';

const TRY_AGAIN_SECONDS = 60;

interface Failing {
  /** What nobody has signed yet, or what the chain proved. Another process may have signed what this one was about to refuse. */
  readonly from: readonly OpenState[];
  readonly isRefusal?: boolean;
}

/** False when another process has moved it. */
export async function failIntent(
  tx: Tx,
  context: Pick<EarnContext, 'clock'>,
  intent: IntentRow,
  reason: string,
  { from, isRefusal = true }: Failing,
): Promise<boolean> {
  if (!(await moveIntent(tx, intent.id, from, { state: 'failed', reason }))) return false;
  if (intent.kind === 'deposit') {
    await giveBackDeposit(tx, intent, reason);
    return true;
  }
  if (intent.kind === 'redeem') {
    const withdrawal = await findWithdrawal(tx, intent.subjectId);
    const to = withdrawal && decideWithdrawal(withdrawal.status, 'give_back');
    if (withdrawal !== undefined && to !== undefined) {
      await moveWithdrawal(tx, withdrawal.id, withdrawal.status, to, { reason });
      if (isRefusal) await countRefusal(tx, withdrawal.id);
    }
  }
  await enqueueJobs(tx, [settleQueueJob(intent.vaultKey, new Date(context.clock.now().getTime() + TRY_AGAIN_SECONDS * 1000))]);
  return true;
}
