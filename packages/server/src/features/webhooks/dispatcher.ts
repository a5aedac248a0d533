/**
 * Sends webhooks. A process leases an agent with pending deliveries and sends them while it holds the lease. It stores outcomes in batches,
 * and releases the lease when nothing is left. Any number of processes may run. If one crashes, another takes over its leases and sends
 * deliveries without a stored outcome again, under the same id.
 */
import { type Alarm, createAlarm } from '../../platform/alarm.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { CLOCK_CHANNEL } from '../../platform/clock/database-clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Notifications } from '../../platform/db/notifications.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { OutboundClient } from '../../platform/outbound/outbound-client.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { HeldLanes } from './held-lanes.ts';
import { LaneLoader } from './load-lanes.ts';
import { createOutcomeBook, type NotedOutcome, type OutcomeBook } from './outcome-book.ts';
import { WEBHOOKS_CHANNEL } from './queue-repository.ts';
import { type SlotLimits, Slots } from './slots.ts';

const LIMITS: SlotLimits = { prompt: 300, doubtful: 200, total: 800, slowMs: 1_000 };
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
  /** Called when an endpoint accepted a delivery. */
  readonly notePresence?: (agentId: string) => void;
}

export interface WebhookDispatcher {
  start(): void;
  /** Stops starting attempts, waits a while for running ones, stores their outcomes and releases all leases. */
  stop(graceMs: number): Promise<void>;
}

export function createWebhookDispatcher(options: DispatcherOptions): WebhookDispatcher {
  const dispatcher = new Dispatcher(options);
  return { start: () => dispatcher.start(), stop: (graceMs) => dispatcher.stop(graceMs) };
}

class Dispatcher {
  private readonly options: DispatcherOptions;
  private readonly alarm: Alarm = createAlarm();
  private readonly slots: Slots;
  private readonly held: HeldLanes;
  private readonly book: OutcomeBook;
  private readonly attempts: Attempts;
  private readonly loader: LaneLoader;
  private stopping = false;
  private isGathering = false;
  private loop: Promise<void> | undefined;

  constructor(options: DispatcherOptions) {
    const { database, outbound, clock, log, metrics, openSecret } = options;
    this.options = options;
    this.slots = new Slots(options.limits ?? LIMITS);
    this.held = new HeldLanes(database);
    this.book = createOutcomeBook(options);
    const note = (outcome: NotedOutcome): void => this.note(outcome);
    this.attempts = createAttempts({ outbound, clock, log, metrics, slots: this.slots, note, onWanting: this.alarm.wake });
    this.loader = new LaneLoader({ pool: database.pool, held: this.held, attempts: this.attempts, openSecret, log });
  }

  start(): void {
    const { notifications } = this.options;
    notifications.on(WEBHOOKS_CHANNEL, (payload) => this.hear(payload));
    // Moving the market clock makes retries due.
    notifications.on(CLOCK_CHANNEL, () => this.lookAround());
    this.loop = this.run();
  }

  async stop(graceMs: number): Promise<void> {
    if (this.loop === undefined) return;
    this.stopping = true;
    this.alarm.wake();
    await this.loop;
    this.held.closeAll();
    for (const deadline = performance.now() + graceMs; this.attempts.underWay > 0 && performance.now() < deadline; ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    try {
      await this.book.write(() => undefined);
      await this.held.releaseAll();
    } catch (error) {
      this.options.log.warn({ err: error }, 'leases of webhooks could not be released; they expire by themselves');
    }
  }

  private hear(payload?: string): void {
    if (payload === undefined) {
      // The connection was lost, and notifications with it: reload everything.
      for (const lane of this.held.all()) lane.isStale = true;
      this.lookAround();
      return;
    }
    const [, mark = '', agentId = ''] = /^([~!]?)(.*)$/.exec(payload) ?? [];
    const lane = this.held.get(agentId);
    if (lane === undefined) {
      if (mark === '~') return;
      this.held.mention(agentId);
    } else if (mark === '~') lane.isStale = true;
    else if (mark === '!') lane.wantsRetries = true;
    else lane.isDirty = true;
    this.alarm.wake();
  }

  private lookAround(): void {
    this.held.lookAroundSoon();
    this.alarm.wake();
  }

  /** Notes an outcome. The next attempt does not wait until it is stored. */
  private note(outcome: NotedOutcome): void {
    this.book.add(outcome);
    if (outcome.endsAs === 'delivered') this.options.notePresence?.(outcome.agentId);
    if (this.isGathering) return;
    this.isGathering = true;
    setTimeout(() => {
      this.isGathering = false;
      this.alarm.wake();
    }, GATHER_MS);
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        await this.takeTurn();
        await this.alarm.wait(this.held.msToNextTurn());
      } catch (error) {
        this.options.log.error({ err: error }, 'webhooks cannot be read or stored');
        await this.alarm.wait(TROUBLE_MS);
      }
    }
  }

  private async takeTurn(): Promise<void> {
    // New deliveries can be loaded while outcomes are stored. All other reads come after storing, so that they never return a
    // delivery that was sent but not yet stored.
    await Promise.all([this.writeDown(), this.loader.loadMore()]);
    if (await this.held.renewIfDue()) for (const lane of this.held.all()) this.attempts.advance(lane);
    await this.held.claimMore(() => this.slots.hasRoom);
    await this.loader.look();
    await this.held.letGoOfIdle();
  }

  private async writeDown(): Promise<void> {
    await this.book.write(({ seq, agentId, leaseNumber, isLastWord }) => {
      const lane = this.held.get(agentId);
      if (isLastWord && lane?.leaseNumber === leaseNumber) lane.forget(seq);
    });
  }
}
