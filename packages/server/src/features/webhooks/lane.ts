/**
 * Everything this process has to send to one agent while it holds the agent's lease. First attempts go strictly one after the other in the
 * order of events; retries run on their own timers beside them. Knows nothing of the database.
 */
import type { ClaimedLane, QueuedDelivery } from './queue-repository.ts';
import type { Target } from './send-attempt.ts';

/** Retries under way at once, beside the one first attempt. */
const MOST_RETRIES = 7;
/** Beyond this, further retries stay in the database for a while. */
const MOST_KNOWN = 500;
/** More is fetched when fewer than this wait. */
const RUNS_LOW = 64;

export interface LaneTarget extends Target {
  readonly agentName: string;
  readonly extendedRetries: boolean;
  readonly ownerWallet: string | null;
  readonly ownerUserId: string | null;
}

export interface Start {
  readonly delivery: QueuedDelivery;
  readonly isFirst: boolean;
}

export class Lane implements ClaimedLane {
  readonly agentId: string;
  readonly leaseNumber: number;
  target: LaneTarget | undefined;
  /** Address and secrets changed: read again before anything is sent. */
  isStale = true;
  /** There may be more to send than is known here. */
  isDirty = true;
  /** There may be retries that are not known here. */
  wantsRetries = true;
  /** End of our lease, by the monotonic clock. */
  heldUntilMs = 0;
  /** Another process holds the lease, or this one is stopping: start no more attempts. */
  isClosed = false;
  /** The last attempt failed. */
  isFailing = false;
  lastSeq = 0;
  idleSinceMs = 0;

  private readonly waiting: QueuedDelivery[] = [];
  private readonly due: QueuedDelivery[] = [];
  private readonly timers = new Map<number, NodeJS.Timeout>();
  /** The numbers of all deliveries here, including those sent and not yet stored. */
  private readonly known = new Set<number>();
  private firstUnderWay = false;
  private retriesUnderWay = 0;

  constructor({ agentId, leaseNumber }: ClaimedLane) {
    this.agentId = agentId;
    this.leaseNumber = leaseNumber;
  }

  get isIdle(): boolean {
    return this.known.size === 0 && !this.isDirty && !this.wantsRetries && !this.isStale;
  }

  get knownSeqs(): readonly number[] {
    return [...this.known];
  }

  /** There may be further first attempts, and few are left here. */
  get wantsMore(): boolean {
    return this.isDirty && this.waiting.length < RUNS_LOW;
  }

  /** The agent's address or its retries must be read again. */
  get wantsLook(): boolean {
    return this.isStale || (this.wantsRetries && this.known.size < MOST_KNOWN);
  }

  /** Adds a loaded delivery; `onDue` is called when a retry's time has come. */
  add(delivery: QueuedDelivery, onDue: () => void): void {
    if (this.known.has(delivery.seq) || (delivery.dueInMs === null && delivery.seq <= this.lastSeq)) return;
    this.known.add(delivery.seq);
    if (delivery.dueInMs !== null) {
      this.retryIn(delivery, delivery.dueInMs, onDue);
      return;
    }
    this.lastSeq = delivery.seq;
    this.waiting.push(delivery);
  }

  retryIn(delivery: QueuedDelivery, ms: number, onDue: () => void): void {
    const timer = setTimeout(
      () => {
        this.timers.delete(delivery.seq);
        this.due.push(delivery);
        onDue();
      },
      Math.max(0, ms),
    );
    this.timers.set(delivery.seq, timer);
  }

  /** The next attempt that may begin now. The caller must call `ended` afterwards. */
  next(): Start | undefined {
    if (this.isClosed || this.isStale || this.target === undefined || performance.now() > this.heldUntilMs) return undefined;
    const retry = this.retriesUnderWay < MOST_RETRIES ? this.due.shift() : undefined;
    if (retry !== undefined) {
      this.retriesUnderWay += 1;
      return { delivery: retry, isFirst: false };
    }
    const first = this.firstUnderWay ? undefined : this.waiting.shift();
    if (first === undefined) return undefined;
    this.firstUnderWay = true;
    return { delivery: first, isFirst: true };
  }

  ended({ isFirst }: Start): void {
    if (isFirst) this.firstUnderWay = false;
    else this.retriesUnderWay -= 1;
  }

  /** Puts back an attempt that could not start: it keeps its turn. */
  putBack(start: Start): void {
    this.ended(start);
    (start.isFirst ? this.waiting : this.due).unshift(start.delivery);
  }

  /** Forgets a delivery whose final outcome is stored, or whose next attempt is so far off that any process may make it. */
  forget(seq: number): void {
    this.known.delete(seq);
    if (this.known.size === 0) this.idleSinceMs = performance.now();
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    this.waiting.length = 0;
    this.due.length = 0;
  }
}
