/** The agents whose lease this process holds: takes leases, renews them, and lets them go. */
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Database } from '../../platform/db/database.ts';
import { Lane } from './lane.ts';
import { claimLanes, lookAtQueue, releaseLanes, renewLanes } from './queue-repository.ts';

const LEASE_SECONDS = 10;
const RENEW_MS = 3_000;
/** The interval of polling for work without a notification: crashed processes left it, or the notification was lost. */
const LOOK_AROUND_MS = 2_000;
/** The same while nothing is queued: only a lost notification could be found. */
const LOOK_WHEN_EMPTY_MS = 15_000;
const SHORTEST_LOOK_MS = 100;
/** A lease is kept a little longer than needed, because events come in groups. */
const LINGER_MS = 2_000;
const MOST_CLAIMED = 500;

export class HeldLanes {
  private readonly db: Database['db'];
  private readonly lanes = new Map<string, Lane>();
  /** Agents named in notifications and not held here. */
  private readonly mentioned = new Set<string>();
  private lookAroundAtMs = 0;
  private renewAtMs = 0;

  constructor({ db }: Database) {
    this.db = db;
  }

  get(agentId: string): Lane | undefined {
    return this.lanes.get(agentId);
  }

  all(): Lane[] {
    return [...this.lanes.values()];
  }

  mention(agentId: string): void {
    this.mentioned.add(agentId);
  }

  /** The next `claimMore` looks at every agent, not only at those mentioned. */
  lookAroundSoon(): void {
    this.lookAroundAtMs = 0;
  }

  msToNextTurn(): number {
    const now = performance.now();
    const dates = [this.lookAroundAtMs, ...(this.lanes.size > 0 ? [this.renewAtMs, now + LINGER_MS] : [])];
    return Math.max(0, Math.min(...dates) - now);
  }

  /** True when leases were renewed or lost. Nothing starts while they are in doubt. */
  async renewIfDue(): Promise<boolean> {
    if (performance.now() < this.renewAtMs) return false;
    this.renewAtMs = performance.now() + RENEW_MS;
    if (this.lanes.size === 0) return false;
    const heldUntilMs = performance.now() + LEASE_SECONDS * 1000;
    const held = new Set(await renewLanes(this.db, this.all(), LEASE_SECONDS));
    for (const lane of this.lanes.values()) {
      if (held.has(lane.agentId)) lane.heldUntilMs = heldUntilMs;
      else this.drop(lane);
    }
    return true;
  }

  /** Leases more agents. Without room, leaves them to other processes. */
  async claimMore(hasRoom: () => boolean): Promise<void> {
    const wanted = new Set(this.mentioned);
    this.mentioned.clear();
    if (performance.now() >= this.lookAroundAtMs) await this.lookAround(wanted);
    if (wanted.size === 0 || !hasRoom()) return;
    const heldUntilMs = performance.now() + LEASE_SECONDS * 1000;
    for (const claimed of await claimLanes(this.db, [...wanted], LEASE_SECONDS)) {
      const lane = new Lane(claimed);
      lane.heldUntilMs = heldUntilMs;
      this.lanes.set(claimed.agentId, lane);
      reachCrashPoint('webhook.after_claim');
    }
  }

  /** Releases agents without deliveries for a while. */
  async letGoOfIdle(): Promise<void> {
    const now = performance.now();
    const over = this.all().filter((lane) => lane.isIdle && now - lane.idleSinceMs >= LINGER_MS);
    if (over.length === 0) return;
    for (const lane of over) this.drop(lane);
    await releaseLanes(this.db, over);
  }

  /** Nothing more is started for any agent; the leases stay. */
  closeAll(): void {
    for (const lane of this.lanes.values()) lane.close();
  }

  async releaseAll(): Promise<void> {
    const lanes = this.all();
    this.lanes.clear();
    await releaseLanes(this.db, lanes);
  }

  private async lookAround(wanted: Set<string>): Promise<void> {
    const { neglected, nextMs, isEmpty } = await lookAtQueue(this.db, MOST_CLAIMED);
    const longestMs = isEmpty ? LOOK_WHEN_EMPTY_MS : LOOK_AROUND_MS;
    this.lookAroundAtMs = performance.now() + Math.min(longestMs, Math.max(nextMs ?? longestMs, SHORTEST_LOOK_MS));
    for (const agentId of neglected) wanted.add(agentId);
    for (const lane of this.lanes.values()) lane.wantsRetries = true;
  }

  private drop(lane: Lane): void {
    lane.close();
    this.lanes.delete(lane.agentId);
  }
}
