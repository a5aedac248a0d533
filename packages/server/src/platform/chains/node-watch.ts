/**
 * Whether one network can be used. A node that has never proven its network gets no calls. A network whose node is unavailable answers
 * `ChainUnavailable` at once and recovers by itself.
 */
import type { NetworkName } from '@market/contract';
import { createAlarm } from '../alarm.ts';
import { type Backoff, backoffMs } from '../backoff.ts';
import type { Logger } from '../telemetry/logger.ts';
import { ChainUnavailable } from './chain.ts';
import { type JsonRpcClient, RpcError } from './json-rpc.ts';

/** The interface for clients of the node: a check before each call, and reports of answers and silence. */
export interface NodeWatch {
  /** Throws `ChainUnavailable` unless the node has proven its network. */
  requireProven(): void;
  noteAnswer(): void;
  noteSilence(): void;
}

export interface RunningNodeWatch extends NodeWatch {
  /** Why the network cannot be used; undefined while it can. */
  missing(): string | undefined;
  /** Tries once. Throws only when the node answers but is of another network: that is a wrong setting, not an outage. */
  begin(): Promise<void>;
  close(): void;
}

export interface NodeWatchOptions {
  readonly network: NetworkName;
  /** Proves the network. Neither this nor `prepare` may use clients that this watch guards. */
  readonly prove: () => Promise<void>;
  /** Runs after the proof, before any other call. Safe to repeat. */
  readonly prepare?: (() => Promise<void>) | undefined;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly pace?: Backoff;
}

/** The client for every call except the proof itself. */
export function guardedBy(watch: NodeWatch | undefined, rpc: JsonRpcClient): JsonRpcClient {
  if (watch === undefined) return rpc;
  return {
    async call(method, params, result) {
      watch.requireProven();
      try {
        const answer = await rpc.call(method, params, result);
        watch.noteAnswer();
        return answer;
      } catch (error) {
        if (error instanceof RpcError) watch.noteAnswer();
        else watch.noteSilence();
        throw error;
      }
    },
  };
}

/** A start waits at most this long for a node to prove its network. */
const START_PATIENCE_MS = 5_000;
const PACE: Backoff = { firstMs: 500, longestMs: 4_000 };
const AWAY = 'its node does not answer';
const UNFIT = 'its node answers, but is not of this network; the log says more';

export function createNodeWatch({ network, prove, prepare, log, pace = PACE }: NodeWatchOptions): RunningNodeWatch {
  const alarm = createAlarm();
  let isProven = false;
  let missing: string | undefined = AWAY;
  let looking: Promise<void> | undefined;
  let closing = false;

  /** Retries until the node answers and proves its network. */
  async function look(): Promise<void> {
    for (let attempt = 0; missing !== undefined; attempt++) {
      await alarm.wait(backoffMs(attempt, pace));
      if (closing) return;
      await prove().then(prepare).then(open, doubt);
    }
  }

  function open(): void {
    if (missing !== undefined && looking !== undefined) log.warn({ network }, 'the node is back: the network can be used again');
    isProven = true;
    missing = undefined;
  }

  function doubt(error: Error): void {
    if (error instanceof ChainUnavailable) {
      missing = AWAY;
      return;
    }
    isProven = false;
    if (missing !== UNFIT) log.error({ err: error, network }, 'the node cannot be used: nothing is asked of it');
    missing = UNFIT;
  }

  function lookFor(reason: string): void {
    missing = reason;
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }

  return {
    requireProven() {
      if (!isProven) throw new ChainUnavailable(network, missing ?? AWAY);
    },
    noteAnswer() {
      if (isProven) missing = undefined;
    },
    noteSilence() {
      if (isProven && missing === undefined && !closing) lookFor(AWAY);
    },
    missing: () => missing,
    async begin() {
      try {
        await inTime(network, prove());
        await prepare?.();
        open();
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
        log.warn({ err: error, network }, 'the node is away: this network answers 503 until it is back');
        lookFor(AWAY);
      }
    },
    close() {
      closing = true;
      alarm.wake();
    },
  };
}

async function inTime(network: NetworkName, proof: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ChainUnavailable(network, 'the node did not prove its network in time')), START_PATIENCE_MS);
  try {
    await Promise.race([late, proof]);
  } finally {
    clearTimeout(timer);
  }
}
