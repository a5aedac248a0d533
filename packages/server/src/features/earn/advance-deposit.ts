/** Brings a registered deposit into its venue: waits until the transfer is final, queues the deploy once, and follows it. */
import { decideDeposit } from '@market/contract';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { earnDeposit, inFlight, post } from '../ledger/index.ts';
import { again, DONE, type NextStep, POLL_SECONDS, stepJob } from '../outgoing/index.ts';
import { areReceiptsFinal, intentIdOf, isPaymentReverted } from '../payments/index.ts';
import { advanceIntent } from './advance-intent.ts';
import { type DepositRow, findDeposit, moveDeposit } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import { advancingIntent } from './earn-job-names.ts';
import { countIntentsOf, findOpenIntent, insertIntent } from './intent-repository.ts';

const WAIT_FOR_PAYMENT_SECONDS = 30;
const WAIT_FOR_VENUE_SECONDS = 60;
/** The request itself deploys; a job takes over only when its process dies or the chain takes long. */
const TAKEOVER_SECONDS = 5;

export async function advanceDeposit(context: EarnContext, id: string): Promise<NextStep> {
  const { db } = context.database;
  const deposit = await findDeposit(db, id);
  if (deposit === undefined || (deposit.status !== 'received' && deposit.status !== 'deploying')) return DONE;
  if (deposit.status === 'received') return await beginDeploy(context, deposit);
  const intent = await findOpenIntent(db, { subjectId: id });
  if (intent === undefined) return again(POLL_SECONDS);
  const next = await advanceIntent(context, intent.id);
  return next.kind === 'done' ? again(0) : next;
}

async function beginDeploy(context: EarnContext, deposit: DepositRow): Promise<NextStep> {
  const { database, clock, vaults } = context;
  const { id, network, amountMicros, vaultKey } = deposit;
  if (await isPaymentReverted(database.db, id)) return again(WAIT_FOR_PAYMENT_SECONDS);
  if (!(await areReceiptsFinal(database.db, { subjectId: id }))) return again(POLL_SECONDS);
  const at = vaults.get(vaultKey)?.at;
  const to = decideDeposit(deposit.status, 'deploy', 'system');
  if (at === undefined || to === undefined) return again(WAIT_FOR_VENUE_SECONDS);
  const intentId = intentIdOf('deposit', id, await countIntentsOf(database.db, id));
  await database.transaction(async (tx) => {
    if (!(await moveDeposit(tx, id, deposit.status, to, { reason: null }))) return;
    // An operator may retry a deposit whose deploy is still under way.
    const open = await findOpenIntent(tx, { subjectId: id });
    if (open === undefined) {
      const call = { id: intentId, kind: 'deposit', vaultKey, subjectId: id, network, router: at.router, venue: at.venue } as const;
      if (!(await insertIntent(tx, { ...call, assets: amountMicros }))) throw new Error(`the intent of ${id} exists already`);
      await post(tx, {
        kind: 'earn_deploy_reserved',
        subjectId: id,
        idempotencyKey: `earn_deploy:${intentId}`,
        entries: [
          { account: earnDeposit(network, id), micros: -amountMicros },
          { account: inFlight(network, intentId), micros: amountMicros },
        ],
      });
    }
    const takeoverAt = new Date(clock.now().getTime() + TAKEOVER_SECONDS * 1000);
    await enqueueJobs(tx, [stepJob(advancingIntent, open?.id ?? intentId, takeoverAt)]);
    reachCrashPoint('earn.before_deploy_commit');
  });
  return again(0);
}
