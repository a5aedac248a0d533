/**
 * Sends webhooks. A process takes the lease of an agent that has something to be sent, sends while it holds it, writes down in batches
 * how it went, and lets the lease go when nothing is left. Any number of processes may do so; one that dies loses its leases, and
 * what it had not written down is sent again by another, under the same delivery id.
 */
import { createAlarm } from '../../platform/alarm.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { CLOCK_CHANNEL } from '../../platform/clock/database-clock.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Notifications } from '../../platform/db/notifications.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { OutboundClient } from '../../platform/outbound/outbound-client.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { createAttempts, HORIZON_SECONDS } from './attempts.ts';
import { Lane } from './lane.ts';
import { openTarget } from './open-target.ts';
import { createOutcomeBook, type NotedOutcome } from './outcome-book.ts';
import {
  claimLanes,
  findNeglectedAgents,
  loadRetries,
  loadTargets,
  loadWaiting,
  millisecondsToNextRetry,
  type QueuedDelivery,
  releaseLanes,
  renewLanes,
  WEBHOOKS_CHANNEL,
} from './queue-repository.ts';
import { type SlotLimits, Slots } from './slots.ts';

const LIMITS: SlotLimits = { prompt: 300, doubtful: 200, total: 800, slowMs: 1_000 };
const LEASE_SECONDS = 10;
const RENEW_MS = 3_000;
/** How often we look for what no notification told of: the leavings of the dead, and notifications that got lost. */
const LOOK_AROUND_MS = 2_000;
/** A lease is kept a little longer than needed, because events come in groups. */
const LINGER_MS = 2_000;
const PER_LOAD = 128;
/** The first look at an agent brings less, so that sending begins early; the rest is read meanwhile. */
const PER_LOOK = 32;
const MOST_CLAIMED = 500;
const SHORTEST_LOOK_MS = 100;
/** Outcomes are written together; the next attempt does not wait for them. */
const GATHER_MS = 25;
const TROUBLE_MS = 500;

export interface DispatcherOptions {
  readonly database: Database;
  readonly notifications: Notifications;
  readonly events: EventLog;
  readonly outbound: OutboundClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly openSecret: (agentId: string, sealed: string) => string;
  readonly limits?: SlotLimits;
  /** Called when an endpoint took a delivery. */
  readonly notePresence?: (agentId: string) => void;
}

export interface WebhookDispatcher {
  start(): void;
  /** Starts nothing more, lets what is under way end for a while, writes it down and lets go of every lease. */
  stop(graceMs: number): Promise<void>;
}

export function createWebhookDispatcher(options: DispatcherOptions): WebhookDispatcher {
  const { database, notifications, outbound, clock, log, metrics } = options;
  const { db, pool } = database;
  const lanes = new Map<string, Lane>();
  const slots = new Slots(options.limits ?? LIMITS);
  const alarm = createAlarm();
  const book = createOutcomeBook(options);
  const attempts = createAttempts({ outbound, clock, log, metrics, slots, note, onWanting: alarm.ring });
  /** Agents that something was said of and that are not held here. */
  const mentioned = new Set<string>();
  let stopping = false;
  let lookAroundAtMs = 0;
  let renewAtMs = 0;
  let isGathering = false;
  let loop: Promise<void> | undefined;

  function start(): void {
    notifications.on(WEBHOOKS_CHANNEL, hear);
    // Moving the market clock makes retries due.
    notifications.on(CLOCK_CHANNEL, () => lookAround());
    loop = run();
  }

  function hear(payload?: string): void {
    if (payload === undefined) {
      // The connection was lost: everything may have changed unheard.
      for (const lane of lanes.values()) lane.isStale = true;
      lookAround();
      return;
    }
    const [, mark = '', agentId = ''] = /^([~!]?)(.*)$/.exec(payload) ?? [];
    const lane = lanes.get(agentId);
    if (lane === undefined) {
      if (mark === '~') return;
      mentioned.add(agentId);
    } else if (mark === '~') lane.isStale = true;
    else if (mark === '!') lane.wantsRetries = true;
    else lane.isDirty = true;
    alarm.ring();
  }

  /** The next attempt does not wait for it to be written down. */
  function note(outcome: NotedOutcome): void {
    book.add(outcome);
    if (outcome.endsAs === 'delivered') options.notePresence?.(outcome.agentId);
    if (isGathering) return;
    isGathering = true;
    setTimeout(() => {
      isGathering = false;
      alarm.ring();
    }, GATHER_MS);
  }

  function lookAround(): void {
    lookAroundAtMs = 0;
    alarm.ring();
  }

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        await takeTurn();
        await alarm.wait(msToNextTurn());
      } catch (error) {
        log.error({ err: error }, 'webhooks cannot be read or written down');
        await alarm.wait(TROUBLE_MS);
      }
    }
  }

  async function takeTurn(): Promise<void> {
    // What nobody has seen yet can be read while the rest is written down. For everything else writing comes first: what is read
    // after it cannot be something that was sent and not written down.
    await Promise.all([writeDown(), loadMore()]);
    if (performance.now() >= renewAtMs) await renew();
    await claimMore();
    await look();
    await letGo();
  }

  function msToNextTurn(): number {
    const now = performance.now();
    const dates = [lookAroundAtMs, ...(lanes.size > 0 ? [renewAtMs, now + LINGER_MS] : [])];
    return Math.max(0, Math.min(...dates) - now);
  }

  async function writeDown(): Promise<void> {
    await book.write(({ seq, agentId, leaseNumber, isLastWord }) => {
      const lane = lanes.get(agentId);
      if (isLastWord && lane?.leaseNumber === leaseNumber) lane.forget(seq);
    });
  }

  async function renew(): Promise<void> {
    renewAtMs = performance.now() + RENEW_MS;
    if (lanes.size === 0) return;
    const heldUntilMs = performance.now() + LEASE_SECONDS * 1000;
    const held = new Set(await renewLanes(db, [...lanes.values()], LEASE_SECONDS));
    for (const lane of lanes.values()) {
      if (!held.has(lane.agentId)) drop(lane);
      else lane.heldUntilMs = heldUntilMs;
      // Nothing began while the lease was in doubt.
      attempts.advance(lane);
    }
  }

  function drop(lane: Lane): void {
    lane.close();
    lanes.delete(lane.agentId);
  }

  /** While every place is taken, others may have the agents that are left. */
  async function claimMore(): Promise<void> {
    const wanted = new Set(mentioned);
    mentioned.clear();
    if (performance.now() >= lookAroundAtMs) {
      const nextMs = await millisecondsToNextRetry(db);
      lookAroundAtMs = performance.now() + Math.min(LOOK_AROUND_MS, Math.max(nextMs ?? LOOK_AROUND_MS, SHORTEST_LOOK_MS));
      for (const agentId of await findNeglectedAgents(db, MOST_CLAIMED)) wanted.add(agentId);
      for (const lane of lanes.values()) lane.wantsRetries = true;
    }
    if (wanted.size === 0 || !slots.hasRoom) return;
    const heldUntilMs = performance.now() + LEASE_SECONDS * 1000;
    for (const claimed of await claimLanes(db, [...wanted], LEASE_SECONDS)) {
      const lane = new Lane(claimed);
      lane.heldUntilMs = heldUntilMs;
      lanes.set(claimed.agentId, lane);
      reachCrashPoint('webhook.after_claim');
    }
  }

  /** First attempts beyond those that are known. */
  async function loadMore(): Promise<void> {
    const wanting = [...lanes.values()].filter((lane) => lane.wantsMore && !lane.wantsLook);
    if (wanting.length === 0) return;
    // Cleared before reading: what is said from here on asks for another look.
    for (const lane of wanting) lane.isDirty = false;
    try {
      takeOn(await loadWaiting(pool, wanting, PER_LOAD), PER_LOAD, (lane) => (lane.isDirty = true));
    } catch (error) {
      for (const lane of wanting) lane.isDirty = true;
      throw error;
    }
    for (const lane of wanting) attempts.advance(lane);
  }

  /** Where an agent listens now, and everything that is to be sent to it. */
  async function look(): Promise<void> {
    const wanting = [...lanes.values()].filter((lane) => lane.wantsLook);
    if (wanting.length === 0) return;
    for (const lane of wanting) Object.assign(lane, { isDirty: false, isStale: false, wantsRetries: false });
    try {
      const agentIds = wanting.map(({ agentId }) => agentId);
      const [targets, waiting, retries] = await Promise.all([
        loadTargets(pool, agentIds),
        loadWaiting(pool, wanting, PER_LOOK),
        loadRetries(pool, wanting, PER_LOAD, HORIZON_SECONDS),
      ]);
      for (const row of targets) {
        const lane = lanes.get(row.agentId);
        if (lane !== undefined) lane.target = openTarget(row, options);
      }
      takeOn(waiting, PER_LOOK, (lane) => (lane.isDirty = true));
      takeOn(retries, PER_LOAD, (lane) => (lane.wantsRetries = true));
    } catch (error) {
      for (const lane of wanting) Object.assign(lane, { isStale: true, wantsRetries: true });
      throw error;
    }
    for (const lane of wanting) {
      if (lane.isIdle && lane.idleSinceMs === 0) lane.idleSinceMs = performance.now();
      attempts.advance(lane);
    }
  }

  /** Where as much came as was asked for there may be `more`. */
  function takeOn(deliveries: readonly QueuedDelivery[], askedFor: number, more: (lane: Lane) => void): void {
    for (const [agentId, loaded] of Map.groupBy(deliveries, (delivery) => delivery.agentId)) {
      const lane = lanes.get(agentId);
      if (lane === undefined) continue;
      for (const delivery of loaded.sort((a, b) => a.seq - b.seq)) lane.add(delivery, () => attempts.advance(lane));
      if (loaded.length >= askedFor) more(lane);
    }
  }

  /** Lets go of agents that nothing was to be sent to for a while. */
  async function letGo(): Promise<void> {
    const now = performance.now();
    const over = [...lanes.values()].filter((lane) => lane.isIdle && now - lane.idleSinceMs >= LINGER_MS);
    if (over.length === 0) return;
    for (const lane of over) drop(lane);
    await releaseLanes(db, over);
  }

  async function stop(graceMs: number): Promise<void> {
    if (loop === undefined) return;
    stopping = true;
    alarm.ring();
    await loop;
    for (const lane of lanes.values()) lane.close();
    for (const deadline = performance.now() + graceMs; attempts.underWay > 0 && performance.now() < deadline; ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    try {
      await book.write(() => undefined);
      await releaseLanes(db, [...lanes.values()]);
    } catch (error) {
      log.warn({ err: error }, 'webhooks could not be handed back; their leases run out by themselves');
    }
    lanes.clear();
  }

  return { start, stop };
}
