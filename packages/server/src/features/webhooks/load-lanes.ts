/** Loads deliveries and endpoints of the agents held here. */
import type { Database } from '../../platform/db/database.ts';
import { type Attempts, HORIZON_SECONDS } from './attempts.ts';
import type { HeldLanes } from './held-lanes.ts';
import type { Lane } from './lane.ts';
import { openTarget, type TargetOptions } from './open-target.ts';
import { loadRetries, loadTargets, loadWaiting, type QueuedDelivery } from './queue-repository.ts';

const PER_LOAD = 128;
/** The first batch per agent is small, so sending starts early; the rest is read meanwhile. */
const PER_LOOK = 32;

export interface LaneLoaderOptions extends TargetOptions {
  readonly pool: Database['pool'];
  readonly held: HeldLanes;
  readonly attempts: Attempts;
}

export class LaneLoader {
  private readonly options: LaneLoaderOptions;

  constructor(options: LaneLoaderOptions) {
    this.options = options;
  }

  /** Loads first attempts after those that are known. */
  async loadMore(): Promise<void> {
    const { pool, held, attempts } = this.options;
    const wanting = held.all().filter((lane) => lane.wantsMore && !lane.wantsLook);
    if (wanting.length === 0) return;
    // Clear this before reading: a notification from here on asks for another read.
    for (const lane of wanting) lane.isDirty = false;
    try {
      this.takeOn(await loadWaiting(pool, wanting, PER_LOAD), PER_LOAD, (lane) => (lane.isDirty = true));
    } catch (error) {
      for (const lane of wanting) lane.isDirty = true;
      throw error;
    }
    for (const lane of wanting) attempts.advance(lane);
  }

  /** Loads the current endpoint of an agent and all its deliveries. */
  async look(): Promise<void> {
    const { held, attempts } = this.options;
    const wanting = held.all().filter((lane) => lane.wantsLook);
    if (wanting.length === 0) return;
    for (const lane of wanting) Object.assign(lane, { isDirty: false, isStale: false, wantsRetries: false });
    try {
      await this.readAll(wanting);
    } catch (error) {
      for (const lane of wanting) Object.assign(lane, { isStale: true, wantsRetries: true });
      throw error;
    }
    for (const lane of wanting) {
      if (lane.isIdle && lane.idleSinceMs === 0) lane.idleSinceMs = performance.now();
      attempts.advance(lane);
    }
  }

  private async readAll(wanting: readonly Lane[]): Promise<void> {
    const { pool, held } = this.options;
    const agentIds = wanting.map(({ agentId }) => agentId);
    const [targets, waiting, retries] = await Promise.all([
      loadTargets(pool, agentIds),
      loadWaiting(pool, wanting, PER_LOOK),
      loadRetries(pool, wanting, PER_LOAD, HORIZON_SECONDS),
    ]);
    for (const row of targets) {
      const lane = held.get(row.agentId);
      if (lane !== undefined) lane.target = openTarget(row, this.options);
    }
    this.takeOn(waiting, PER_LOOK, (lane) => (lane.isDirty = true));
    this.takeOn(retries, PER_LOAD, (lane) => (lane.wantsRetries = true));
  }

  /** Calls `more` for an agent with as many deliveries as were requested: there may be others. */
  private takeOn(deliveries: readonly QueuedDelivery[], askedFor: number, more: (lane: Lane) => void): void {
    const { held, attempts } = this.options;
    for (const [agentId, loaded] of Map.groupBy(deliveries, (delivery) => delivery.agentId)) {
      const lane = held.get(agentId);
      if (lane === undefined) continue;
      for (const delivery of loaded.sort((a, b) => a.seq - b.seq)) lane.add(delivery, () => attempts.advance(lane));
      if (loaded.length >= askedFor) more(lane);
    }
  }
}
