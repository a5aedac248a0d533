/**
 * Limits the concurrent attempts. Endpoints whose last attempt failed share a separate part, and a slow attempt counts there while it
 * lasts. So hanging endpoints never take the slots of healthy ones.
 */

export interface SlotLimits {
  /** Attempts to endpoints that answered last time, or that have no attempt yet. */
  readonly prompt: number;
  /** Attempts to endpoints that failed last time. */
  readonly doubtful: number;
  /** All of them. An attempt that turned out slow counts as doubtful even where that is more than its limit. */
  readonly total: number;
  /** After this long an attempt counts as doubtful. */
  readonly slowMs: number;
}

/** Held while an attempt is under way. */
export interface Slot {
  release(): void;
}

type Kind = 'prompt' | 'doubtful';

interface Held {
  kind: Kind;
  readonly sinceMs: number;
}

export class Slots {
  private readonly limits: SlotLimits;
  private readonly held = { prompt: 0, doubtful: 0 };
  /** Held as prompt, the oldest first. */
  private readonly prompt = new Set<Held>();
  private watcher: NodeJS.Timeout | undefined;
  private readonly queues: Record<Kind, ((slot: Slot) => void)[]> = { prompt: [], doubtful: [] };

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  get inUse(): number {
    return this.held.prompt + this.held.doubtful;
  }

  /** No attempt is waiting that could start. */
  get hasRoom(): boolean {
    return this.queues.prompt.length === 0 && this.isFree('prompt');
  }

  /** Calls `start` as soon as there is a free slot, in turn. */
  take(kind: Kind, start: (slot: Slot) => void): void {
    if (this.queues[kind].length === 0 && this.isFree(kind)) this.begin(kind, start);
    else this.queues[kind].push(start);
  }

  private isFree(kind: Kind): boolean {
    return this.inUse < this.limits.total && this.held[kind] < this.limits[kind];
  }

  private begin(kind: Kind, start: (slot: Slot) => void): void {
    const held: Held = { kind, sinceMs: performance.now() };
    this.held[kind] += 1;
    if (kind === 'prompt') {
      this.prompt.add(held);
      this.watcher ??= setInterval(() => this.moveSlow(), this.limits.slowMs / 4).unref();
    }
    start({
      release: () => {
        this.prompt.delete(held);
        this.held[held.kind] -= 1;
        this.serve();
      },
    });
  }

  private moveSlow(): void {
    const before = performance.now() - this.limits.slowMs;
    // In the order they began.
    for (const held of this.prompt) {
      if (held.sinceMs > before) break;
      this.prompt.delete(held);
      held.kind = 'doubtful';
      this.held.prompt -= 1;
      this.held.doubtful += 1;
    }
    if (this.prompt.size === 0) {
      clearInterval(this.watcher);
      this.watcher = undefined;
    }
    this.serve();
  }

  private serve(): void {
    for (const kind of ['prompt', 'doubtful'] as const) {
      const queue = this.queues[kind];
      while (queue.length > 0 && this.isFree(kind)) {
        const start = queue.shift();
        if (start !== undefined) this.begin(kind, start);
      }
    }
  }
}
