/** Works and looks while the caller waits. What is stored is carried on by jobs either way. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Call } from '../../access/call.ts';
import type { NextStep } from '../payouts/index.ts';
import { advanceDeposit } from './advance-deposit.ts';
import { advanceIntent } from './advance-intent.ts';
import type { EarnContext } from './earn-context.ts';
import { findOpenIntent } from './intent-repository.ts';
import { settleQueue } from './settle-queue.ts';
import { findWithdrawal } from './withdrawal-repository.ts';

const LOOK_MS = 200;

export async function followDeposit(context: EarnContext, call: Pick<Call, 'gone' | 'log'>, id: string): Promise<void> {
  await repeat(context, call, id, () => advanceDeposit(context, id));
}

/** Until everything is paid, or the venue cannot pay more now. */
export async function followWithdrawal(context: EarnContext, call: Pick<Call, 'gone' | 'log'>, id: string): Promise<void> {
  const { db } = context.database;
  await repeat(context, call, id, async () => {
    const withdrawal = await findWithdrawal(db, id);
    if (withdrawal === undefined || withdrawal.status === 'settled') return { kind: 'done' };
    // Its payout has a job of its own.
    if (withdrawal.status === 'paying') return { kind: 'again', seconds: 1 };
    const { vaultKey } = withdrawal;
    const open = (await findOpenIntent(db, { vaultKey, kind: 'redeem' })) ?? (await findOpenIntent(db, { vaultKey, kind: 'allow' }));
    if (open === undefined) return await settleQueue(context, vaultKey);
    const next = await advanceIntent(context, open.id);
    return next.kind === 'done' ? { kind: 'again', seconds: 0 } : next;
  });
}

async function repeat(context: EarnContext, call: Pick<Call, 'gone' | 'log'>, id: string, step: () => Promise<NextStep>): Promise<void> {
  const giveUpAt = performance.now() + context.waitSeconds * 1000;
  const { gone } = call;
  try {
    for (;;) {
      const next = await step();
      if (next.kind === 'done' || next.seconds > 1 || performance.now() > giveUpAt || gone.aborted) return;
      await pause(next.seconds === 0 ? 0 : LOOK_MS);
    }
  } catch (error) {
    call.log.warn({ err: error, movement: id }, 'a movement of Earn could not be followed; its job carries on');
  }
}
