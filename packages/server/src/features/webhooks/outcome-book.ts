/** Collects outcomes of attempts and stores them in batches. The same transaction notifies the owner of failed deliveries. */
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog, NewEvent } from '../../platform/events/event-log.ts';
import type { LaneTarget } from './lane.ts';
import { type Outcome, type QueuedDelivery, writeOutcomes, writeOutcomesIn } from './queue-repository.ts';

const MOST_AT_ONCE = 2_000;

export interface NotedOutcome extends Outcome {
  /** Nothing more is to be done about the delivery here. */
  readonly isLastWord: boolean;
  /** Set when the owner must be notified of the failure. */
  readonly reported: { readonly delivery: QueuedDelivery; readonly target: LaneTarget } | undefined;
}

export interface OutcomeBook {
  add(outcome: NotedOutcome): void;
  /** Writes what there is by now; what comes meanwhile waits for the next time. What fails stays. */
  write(onWritten: (outcome: NotedOutcome) => void): Promise<void>;
}

export function createOutcomeBook({ database, events }: { readonly database: Database; readonly events: EventLog }): OutcomeBook {
  let noted: NotedOutcome[] = [];

  async function writeBatch(batch: readonly NotedOutcome[]): Promise<void> {
    if (batch.every(({ reported }) => reported === undefined)) {
      await writeOutcomes(database.pool, batch);
      return;
    }
    await database.transaction(async (tx: Tx) => {
      const written = new Set((await writeOutcomesIn(tx, batch)).map(placeOf));
      await events.append(tx, batch.filter((outcome) => written.has(placeOf(outcome))).flatMap(failureEvent));
    });
  }

  return {
    add: (outcome) => void noted.push(outcome),
    async write(onWritten) {
      // Store only the outcomes known at the start: under load there are always more, and the caller has other work.
      for (let left = noted.length; left > 0; ) {
        const batch = takeBatch(noted.slice(0, left));
        left -= batch.length;
        reachCrashPoint('webhook.before_outcome');
        await writeBatch(batch);
        reachCrashPoint('webhook.after_outcome');
        noted = noted.slice(batch.length);
        for (const outcome of batch) onWritten(outcome);
      }
    },
  };
}

function placeOf({ agentId, seq }: Pick<Outcome, 'agentId' | 'seq'>): string {
  return `${agentId} ${seq}`;
}

/** From the front, and at most one outcome per delivery: the second builds on the first. */
function takeBatch(noted: readonly NotedOutcome[]): NotedOutcome[] {
  const places = new Set<string>();
  const batch: NotedOutcome[] = [];
  for (const outcome of noted) {
    const place = placeOf(outcome);
    if (batch.length >= MOST_AT_ONCE || places.has(place)) break;
    places.add(place);
    batch.push(outcome);
  }
  return batch;
}

function failureEvent({ agentId, before, entry, reported }: NotedOutcome): NewEvent[] {
  if (reported === undefined) return [];
  const { delivery, target } = reported;
  return [
    {
      type: 'agent.webhook_failed',
      subjectId: agentId,
      data: {
        delivery_id: delivery.id,
        event: delivery.event,
        order_id: delivery.orderId,
        attempts: before + 1,
        reason: entry.error,
      },
      context: { agent_name: target.agentName, owner_wallet: target.ownerWallet, owner_user_id: target.ownerUserId },
    },
  ];
}
