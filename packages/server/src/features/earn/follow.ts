/** Works and looks while the caller waits. What is stored is carried on by jobs either way. */
import type { Call } from '../../access/call.ts';
import { followSteps } from '../outgoing/index.ts';
import { advanceDeposit } from './advance-deposit.ts';
import { advanceIntent } from './advance-intent.ts';
import type { EarnContext } from './earn-context.ts';
import { findOpenIntent } from './intent-repository.ts';
import { settleQueue } from './settle-queue.ts';
import { findWithdrawal } from './withdrawal-repository.ts';

export async function followDeposit(context: EarnContext, call: Pick<Call, 'gone' | 'log'>, id: string): Promise<void> {
  await followSteps(call, { id, waitSeconds: context.waitSeconds }, () => advanceDeposit(context, id));
}

/** Until everything is paid, or the venue cannot pay more now. */
export async function followWithdrawal(context: EarnContext, call: Pick<Call, 'gone' | 'log'>, id: string): Promise<void> {
  const { db } = context.database;
  await followSteps(call, { id, waitSeconds: context.waitSeconds }, async () => {
    const withdrawal = await findWithdrawal(db, id);
    if (withdrawal === undefined || withdrawal.status === 'settled') return { kind: 'done' };
    // Its payout has a job of its own.
    if (withdrawal.status === 'paying') return { kind: 'again', seconds: 1 };
    const { vaultKey } = withdrawal;
    const open = (await findOpenIntent(db, { subjectId: id })) ?? (await findOpenIntent(db, { vaultKey, kind: 'allow' }));
    if (open === undefined) return await settleQueue(context, vaultKey);
    const next = await advanceIntent(context, open.id);
    return next.kind === 'done' ? { kind: 'again', seconds: 0 } : next;
  });
}
