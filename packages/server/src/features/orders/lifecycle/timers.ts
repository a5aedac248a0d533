/** What happens by itself: release, expiry, escalation, the end of a workspace, and the warning before. */
import { decide, toWireTime } from '@market/contract';
import { z } from 'zod';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { areReceiptsFinal } from '../../payments/index.ts';
import { refundEscrow, releaseEscrow } from '../money/move-money.ts';
import { hasPayoutFailed } from '../money/payout-failed.ts';
import { openDispute } from '../open-dispute.ts';
import type { OrdersContext } from '../orders-context.ts';
import { listOverdue, lockOrder, type OrderRow } from '../repository.ts';
import { finishIfOver } from '../requests.ts';
import { isContestable } from './contestable.ts';
import { factsOf } from './facts.ts';
import { markIfOverdue } from './overdue.ts';
import { theMarket } from './parties.ts';
import { takeStep, tellOf } from './take-step.ts';
import { ORDER_QUEUE, ORDER_TIMER, timerCommands, timerJob } from './timer-job.ts';

type Timer = (typeof timerCommands)[number];

const SWEEP_SECONDS = 30;
const SWEEP_ROWS = 1_000;

export function orderTimers(context: OrdersContext): readonly JobDefinition[] {
  return [
    defineJob({
      kind: ORDER_TIMER,
      queue: ORDER_QUEUE,
      payload: z.object({ order_id: z.string(), command: z.enum(timerCommands) }),
      retryAfterSeconds: [1, 2, 5, 10, 30, 60, 300],
      async run({ order_id: id, command }, attempt) {
        await context.database.transaction(async (tx) => {
          const order = await lockOrder(tx, id);
          if (order !== undefined) await ring(tx, context, order, command);
          await attempt.complete(tx);
          reachCrashPoint('timer.before_commit');
        });
      },
    }),
    // The jobs above are the clockwork. This finds what they left lying: a job given up after its last try, an order that stood still.
    defineJob({
      kind: 'order.sweep',
      queue: ORDER_QUEUE,
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: SWEEP_SECONDS,
      async run() {
        const overdue = await listOverdue(context.database.db, SWEEP_ROWS);
        await enqueueJobs(
          context.database.db,
          overdue.map(({ id, command }) => timerJob(id, { command })),
        );
      },
    }),
  ];
}

async function ring(tx: Tx, context: OrdersContext, order: OrderRow, command: Timer): Promise<void> {
  if (command === 'warn') return await warn(tx, context, order);
  if (command === 'pay_at_hire') return await payAtHire(tx, context, order);
  // The deadline of a delivery: what is held goes back, what was paid out at hire is marked.
  if (command === 'mark_overdue' || (command === 'expire' && order.settled)) return void (await markIfOverdue(tx, context, order));
  const decision = decide(factsOf(order), command, theMarket.role, order.now);
  // Somebody acted in time, the deadline moved and has its own job, or the payment is in doubt: then the sweep comes back to it.
  if (!decision.allowed) return;
  const step = { command, to: decision.to, actor: theMarket } as const;
  switch (command) {
    // Money last: the account of fees is everybody's, and whoever has posted to it holds up the others until the end.
    case 'auto_release':
      await takeStep(tx, context, order, {
        ...step,
        set: { completedAt: order.now },
        events: [{ type: 'order.completed', data: { payout_failed: await hasPayoutFailed(tx, order) } }],
      });
      await releaseEscrow(tx, context, order);
      return;
    case 'expire':
      await takeStep(tx, context, order, {
        ...step,
        set: { cancelledAt: order.now },
        note: 'Not delivered in time.',
        events: [{ type: 'order.cancelled', data: { previous_status: order.status } }],
      });
      await refundEscrow(tx, context, order);
      return;
    case 'escalate': {
      const reason = 'The requested revision was not delivered within 7 days.';
      await openDispute(tx, context, order, { openedBy: 'system', reason });
      await takeStep(tx, context, order, {
        ...step,
        set: { revisionDeadline: null },
        note: reason,
        events: [{ type: 'order.disputed', data: { reason } }],
      });
      return;
    }
    case 'finish_workspace':
      await finishIfOver(tx, context, order);
  }
}

/** The promised time is over: both sides are told what happens next, and when. */
async function warn(tx: Tx, context: OrdersContext, order: OrderRow): Promise<void> {
  const late = (order.status === 'paid' || order.status === 'in_progress') && order.dueAt !== null && order.dueAt <= order.now;
  // Paid out at hire: no deadline takes anything back.
  if (!late || order.settled || order.deliveryDeadline === null || order.deliveryDeadline <= order.now) return;
  await tellOf(tx, context, order, theMarket, [
    { type: 'order.deadline_near', data: { delivery_deadline: toWireTime(order.deliveryDeadline) } },
  ]);
}

/** Some chains are final in seconds, others in a quarter of an hour: the longer it has taken, the longer until the next look. */
const SOONEST_LOOK_MS = 2_000;
const LATEST_LOOK_MS = 30_000;

/** A machine's hire is paid out as soon as its payment is final and nobody can contest it; until then it can still be called off. */
async function payAtHire(tx: Tx, context: OrdersContext, order: OrderRow): Promise<void> {
  // Cancelled: given back. Disputed: a ruling decides.
  if (order.settled || order.status === 'cancelled' || order.status === 'disputed') return;
  if (isContestable(order)) {
    return await enqueueJobs(tx, [timerJob(order.id, { command: 'pay_at_hire', at: order.contestableUntil })]);
  }
  if (await areReceiptsFinal(tx, { subjectId: order.id })) return await releaseEscrow(tx, context, order);
  const waitedMs = order.now.getTime() - (order.paidAt ?? order.now).getTime();
  const pauseMs = Math.min(Math.max(waitedMs / 4, SOONEST_LOOK_MS), LATEST_LOOK_MS);
  await enqueueJobs(tx, [timerJob(order.id, { command: 'pay_at_hire', at: new Date(order.now.getTime() + pauseMs) })]);
}
