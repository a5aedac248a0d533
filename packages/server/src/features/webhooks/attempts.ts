/** Makes the due attempts to agents held here as slots become free, and decides what follows from each. */
import type { Clock } from '../../platform/clock/clock.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { OutboundClient } from '../../platform/outbound/outbound-client.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Lane, Start } from './lane.ts';
import type { NotedOutcome } from './outcome-book.ts';
import type { QueuedDelivery } from './queue-repository.ts';
import { waitAfterFailure } from './schedule.ts';
import { type AttemptEntry, type Attempted, sendAttempt } from './send-attempt.ts';
import type { Slot, Slots } from './slots.ts';

/** Later retries wait in the database, where any process can take them. */
export const HORIZON_SECONDS = 10;
const AGAIN_MS = 200;

export interface AttemptsOptions {
  readonly outbound: OutboundClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly slots: Slots;
  readonly note: (outcome: NotedOutcome) => void;
  /** Called when something must be read before an agent can go on. */
  readonly onWanting: () => void;
}

export interface Attempts {
  /** Starts all attempts of this agent that may start. */
  advance(lane: Lane): void;
  readonly underWay: number;
}

export function createAttempts({ outbound, clock, log, metrics, slots, note, onWanting }: AttemptsOptions): Attempts {
  let underWay = 0;

  function advance(lane: Lane): void {
    for (let begun = lane.next(); begun !== undefined; begun = lane.next()) {
      const start = begun;
      slots.take(lane.isFailing ? 'doubtful' : 'prompt', (slot) => void attempt(lane, start, slot));
    }
    if (lane.wantsMore || lane.wantsLook) onWanting();
  }

  async function attempt(lane: Lane, start: Start, slot: Slot): Promise<void> {
    underWay += 1;
    let hasEnded = false;
    try {
      hasEnded = await tryOnce(lane, start);
    } catch (error) {
      log.error({ err: error, delivery: start.delivery.id }, 'a webhook could not be sent');
    }
    if (!hasEnded) lane.putBack(start);
    underWay -= 1;
    slot.release();
    if (hasEnded) advance(lane);
    // Wait a moment, or a fault of ours would spin.
    else setTimeout(() => advance(lane), AGAIN_MS).unref();
  }

  /** False when the attempt could not start and stays in its queue. */
  async function tryOnce(lane: Lane, start: Start): Promise<boolean> {
    const { target } = lane;
    // While the attempt waited, the agent may have changed or another process may have taken it.
    if (lane.isClosed || lane.isStale || target === undefined) return false;
    const { endpointUrl } = target;
    if (endpointUrl === null) {
      lane.ended(start);
      conclude(lane, start.delivery, nothingSent(clock), 'dropped');
      return true;
    }
    if (start.isFirst) metrics.webhookWaited(Math.max(0, clock.now().getTime() - start.delivery.createdAtMs));
    reachCrashPoint('webhook.before_send');
    const attempted = await sendAttempt({ outbound, clock }, target, endpointUrl, start.delivery);
    reachCrashPoint('webhook.after_send');
    if (attempted.counts) settle(lane, start, attempted);
    return attempted.counts;
  }

  /** Decides what follows from an attempt. */
  function settle(lane: Lane, start: Start, { ok, entry }: Attempted): void {
    const { delivery } = start;
    lane.ended(start);
    lane.isFailing = !ok;
    metrics.webhookAttempted(ok ? 'delivered' : 'failed', entry.durationMs);
    if (ok) {
      conclude(lane, delivery, entry, 'delivered');
      return;
    }
    const extended = lane.target?.extendedRetries === true && delivery.redeliveries === 0;
    const seconds = waitAfterFailure(delivery.tries + 1, extended);
    if (seconds === undefined) {
      conclude(lane, delivery, entry, 'failed');
      return;
    }
    if (seconds <= HORIZON_SECONDS) {
      const again = { ...delivery, attempts: delivery.attempts + 1, tries: delivery.tries + 1 };
      lane.retryIn(again, seconds * 1000, () => advance(lane));
    }
    const nextAt = new Date(clock.now().getTime() + seconds * 1000);
    const isLastWord = seconds > HORIZON_SECONDS;
    note({ ...outcomeOf(lane, delivery), entry, endsAs: null, nextAt, isLastWord, reported: undefined });
  }

  function conclude(lane: Lane, delivery: QueuedDelivery, entry: AttemptEntry, endsAs: 'delivered' | 'failed' | 'dropped'): void {
    const { target } = lane;
    if (endsAs !== 'delivered')
      log.info({ delivery: delivery.id, agent: lane.agentId, state: endsAs, reason: entry.error }, 'a webhook was given up');
    const isReported = endsAs === 'failed' && !delivery.isTest && delivery.redeliveries === 0;
    const reported = isReported && target !== undefined ? { delivery, target } : undefined;
    note({ ...outcomeOf(lane, delivery), entry, endsAs, nextAt: null, isLastWord: true, reported });
  }

  return {
    advance,
    get underWay() {
      return underWay;
    },
  };
}

function outcomeOf(
  { agentId, leaseNumber }: Lane,
  { seq, attempts }: QueuedDelivery,
): Pick<NotedOutcome, 'agentId' | 'leaseNumber' | 'seq' | 'before'> {
  return { agentId, leaseNumber, seq, before: attempts };
}

function nothingSent(clock: Clock): AttemptEntry {
  const error = 'The agent has no endpoint any more.';
  return { atMs: clock.realNow().getTime(), durationMs: 0, status: null, error, url: null, signature: null, answer: null };
}
