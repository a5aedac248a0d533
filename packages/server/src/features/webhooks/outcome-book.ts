/** Gathers how attempts went and writes it down in batches; what was given up for good is told to the owner in the same transaction. */
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog, NewEvent } from '../../platform/events/event-log.ts';
import type { LaneTarget } from './lane.ts';
import { type Outcome, type QueuedDelivery, writeOutcomes, writeOutcomesIn } from './queue-repository.ts';

const MOST_AT_ONCE = 2_000;

export interface NotedOutcome extends Outcome {
  /** Nothing more is to be done about the delivery here. */
  readonly isLastWord: boolean;
  /** The owner is to hear that it was given up. */
  readonly told: { readonly delivery: QueuedDelivery; readonly target: LaneTarget } | undefined;
}

export interface OutcomeBook {
  add(outcome: NotedOutcome): void;
  /** Writes what there is by now; what comes meanwhile waits for the next time. What fails stays. */
  write(onWritten: (outcome: NotedOutcome) => void): Promise<void>;
}

export function createOutcomeBook({ database, events }: { readonly database: Database; readonly events: EventLog }): OutcomeBook {
  let noted: NotedOutcome[] = [];

  async function writeBatch(batch: readonly NotedOutcome[]): Promise<void> {
    if (batch.every(({ told }) => told === undefined)) {
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
      // Not until nothing is left: while much is sent there is always more, and whoever writes has other things to do.
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

function failureEvent({ agentId, before, entry, told }: NotedOutcome): NewEvent[] {
  if (told === undefined) return [];
  const { delivery, target } = told;
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
