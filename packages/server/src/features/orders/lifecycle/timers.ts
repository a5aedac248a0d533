/** Automatic steps of an order: release, expiry, escalation, the end of a workspace, and the warning before. */
import { decide, orderDurations, toWireTime } from '@market/contract';
import { z } from 'zod';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { requireKnownDatabase } from '../../../platform/db/database-identity.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { areReceiptsFinal } from '../../payments/index.ts';
import { hasPayoutFailed } from '../money/payout-failed.ts';
import { releaseEscrow } from '../money/settle-escrow.ts';
import type { OrdersContext } from '../orders-context.ts';
import { listOverdue, lockOrder, type OrderRow } from '../repository.ts';
import { appendOrderEvents } from './append-order-events.ts';
import { isContestable } from './contestable.ts';
import { factsOf } from './facts.ts';
import { finishWorkspaceIfOver } from './finish-workspace.ts';
import { markIfOverdue } from './overdue.ts';
import { systemActor } from './parties.ts';
import { takeStep } from './take-step.ts';
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
          await requireKnownDatabase(tx);
          const order = await lockOrder(tx, id);
          if (order !== undefined) await runTimer(tx, context, order, command);
          await attempt.complete(tx);
          reachCrashPoint('timer.before_commit');
        });
      },
    }),
    // Finds what the timers above missed: a job given up after its last try, an order whose payment was in doubt.
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

async function runTimer(tx: Tx, context: OrdersContext, order: OrderRow, command: Timer): Promise<void> {
  if (command === 'warn') return await warn(tx, context, order);
  if (command === 'pay_at_hire') return await payAtHire(tx, context, order);
  // An order paid out at hire is not refunded at its delivery deadline but marked overdue.
  if (command === 'mark_overdue' || (command === 'expire' && order.settled)) return void (await markIfOverdue(tx, context, order));
  const decision = decide(factsOf(order), command, systemActor.role, order.now);
  // A party acted in time, or the deadline moved and has its own job. If the payment is in doubt, the sweep retries.
  if (!decision.allowed) return;
  const step = { command, to: decision.to, actor: systemActor } as const;
  switch (command) {
    case 'auto_release':
      return void (await takeStep(tx, context, order, {
        ...step,
        set: { completedAt: order.now },
        events: [{ type: 'order.completed', data: { payout_failed: await hasPayoutFailed(tx, order) } }],
      }));
    case 'expire':
      return void (await takeStep(tx, context, order, {
        ...step,
        set: { cancelledAt: order.now },
        note: 'Not delivered in time.',
        events: [{ type: 'order.cancelled', data: { previous_status: order.status } }],
      }));
    case 'escalate': {
      const reason = `The requested revision was not delivered within ${orderDurations.revisionDays} days.`;
      await context.disputes.open(tx, context, order, { openedBy: 'system', reason });
      await takeStep(tx, context, order, {
        ...step,
        set: { revisionDeadline: null },
        note: reason,
        events: [{ type: 'order.disputed', data: { reason } }],
      });
      return;
    }
    case 'finish_workspace':
      await finishWorkspaceIfOver(tx, context, order);
  }
}

/** Tells both sides that the promised time is over, and when the order will be cancelled. */
async function warn(tx: Tx, context: OrdersContext, order: OrderRow): Promise<void> {
  const late = (order.status === 'paid' || order.status === 'in_progress') && order.dueAt !== null && order.dueAt <= order.now;
  // An order paid out at hire is not cancelled at its deadline.
  if (!late || order.settled || order.deliveryDeadline === null || order.deliveryDeadline <= order.now) return;
  await appendOrderEvents(tx, context, order, systemActor, [
    { type: 'order.deadline_near', data: { delivery_deadline: toWireTime(order.deliveryDeadline) } },
  ]);
}

/** Some chains are final in seconds, others in a quarter of an hour: wait longer the longer it has taken. */
const SOONEST_LOOK_MS = 2_000;
const LATEST_LOOK_MS = 30_000;

/** Pays the provider of a machine's hire once the payment is final and can no longer be contested. This is no step of the order. */
async function payAtHire(tx: Tx, context: OrdersContext, order: OrderRow): Promise<void> {
  // A cancelled order was refunded; a ruling decides about a disputed one.
  if (order.settled || order.status === 'cancelled' || order.status === 'disputed') return;
  if (isContestable(order)) {
    return await enqueueJobs(tx, [timerJob(order.id, { command: 'pay_at_hire', at: order.contestableUntil })]);
  }
  if (await areReceiptsFinal(tx, { subjectId: order.id })) return await releaseEscrow(tx, context, order);
  const waitedMs = order.now.getTime() - (order.paidAt ?? order.now).getTime();
  const pauseMs = Math.min(Math.max(waitedMs / 4, SOONEST_LOOK_MS), LATEST_LOOK_MS);
  await enqueueJobs(tx, [timerJob(order.id, { command: 'pay_at_hire', at: new Date(order.now.getTime() + pauseMs) })]);
}
