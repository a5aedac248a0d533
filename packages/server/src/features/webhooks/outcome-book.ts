/** Collects outcomes of attempts and stores them in batches. The same transaction notifies the owner of failed deliveries. */
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog, NewEvent } from '../../platform/events/event-log.ts';
import type { LaneTarget } from './lane.ts';
import { type Outcome, type QueuedDelivery, writeOutcomes, writeOutcomesIn } from './queue-repository.ts';

const MOST_AT_ONCE = 2_000;

export interface NotedOutcome extends Outcome {
  /** This process has nothing more to do for the delivery. */
  readonly isLastWord: boolean;
  /** Set when the owner must be notified of the failure. */
  readonly reported: { readonly delivery: QueuedDelivery; readonly target: LaneTarget } | undefined;
}

export interface OutcomeBook {
  add(outcome: NotedOutcome): void;
  /** Writes the outcomes noted until now; later ones wait for the next call. Outcomes that could not be written stay. */
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
      const written = new Set((await writeOutcomesIn(tx, batch)).map(keyOf));
      await events.append(tx, batch.filter((outcome) => written.has(keyOf(outcome))).flatMap(failureEvent));
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

function keyOf({ agentId, seq }: Pick<Outcome, 'agentId' | 'seq'>): string {
  return `${agentId} ${seq}`;
}

/** Takes outcomes from the front, at most one per delivery: the second builds on the first. */
function takeBatch(noted: readonly NotedOutcome[]): NotedOutcome[] {
  const keys = new Set<string>();
  const batch: NotedOutcome[] = [];
  for (const outcome of noted) {
    const key = keyOf(outcome);
    if (batch.length >= MOST_AT_ONCE || keys.has(key)) break;
    keys.add(key);
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
