/** Restarts a child part of this deployment when it dies, with growing pauses. */
import { createAlarm } from '../platform/alarm.ts';
import { type Backoff, backoffMs } from '../platform/backoff.ts';
import type { Logger } from '../platform/telemetry/logger.ts';

export interface RunningPart {
  /** Resolves when the part is gone, whether it was stopped or died. */
  readonly ended: Promise<void>;
}

export interface KeepOptions<Part extends RunningPart> {
  /** The subject of log sentences, so it is capitalised. */
  readonly name: string;
  readonly start: (previous: Part | undefined) => Promise<Part>;
  /** Starts that fail while the disk is full do not count as failures. */
  readonly isDiskFull: () => Promise<boolean>;
  /** Called once when the part cannot be restarted. */
  readonly onGivenUp: (error: Error) => void;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  readonly pace?: KeepPace;
}

export interface KeepPace extends Backoff {
  /** Gives up after this many consecutive failures: failed starts, or deaths soon after a start. */
  readonly mostFailures: number;
  /** A part that lived this long was healthy. */
  readonly healthyAfterMs: number;
}

export interface KeptPart<Part> {
  /** The latest instance; it may be dead. */
  readonly current: Part;
  /** Why the part is not running; undefined while it runs. */
  readonly missing: () => string | undefined;
  /** Stops restarting the part. Resolves when no start is under way. */
  stopKeeping(): Promise<void>;
}

const PACE: KeepPace = { firstMs: 200, longestMs: 8_000, mostFailures: 8, healthyAfterMs: 30_000 };

export async function keepRunning<Part extends RunningPart>(options: KeepOptions<Part>): Promise<KeptPart<Part>> {
  const { name, log, pace = PACE } = options;
  const alarm = createAlarm();
  let current = await options.start(undefined);
  let missing: string | undefined;
  let stopping = false;

  async function keep(): Promise<void> {
    for (let failures = 0; ; ) {
      const startedAt = performance.now();
      await current.ended;
      if (stopping) return;
      missing = 'ended, is being started again';
      log.error(`${name} ended; starting it again`);
      if (performance.now() - startedAt >= pace.healthyAfterMs) failures = 0;
      for (let isBack = false; !isBack; ) {
        await alarm.wait(backoffMs(failures, pace));
        if (stopping) return;
        const error = await tryStart();
        isBack = error === undefined;
        if (await options.isDiskFull()) missing = 'the disk is full';
        else failures += 1;
        if (error === undefined) continue;
        if (failures >= pace.mostFailures) {
          missing = 'cannot be started';
          options.onGivenUp(new Error(`${name} ended and could not be started again: ${error.message}`, { cause: error }));
          return;
        }
        log.warn({ err: error, failures }, `${name} could not be started; the next try follows`);
      }
      missing = undefined;
      // `stopKeeping` waits for this loop; its caller closes the part afterwards.
      if (stopping) return;
      log.warn({ ms: Math.round(performance.now() - startedAt) }, `${name} is running again`);
    }
  }

  async function tryStart(): Promise<Error | undefined> {
    try {
      current = await options.start(current);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  const kept = keep();
  return {
    get current() {
      return current;
    },
    missing: () => missing,
    async stopKeeping() {
      stopping = true;
      alarm.wake();
      // While the part lives, the loop waits for its end, and the caller ends the part only after this call.
      if (missing !== undefined) await kept;
    },
  };
}
