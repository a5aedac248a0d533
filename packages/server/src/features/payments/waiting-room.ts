/**
 * Requests wait here for a payment that is in no block yet, or not final enough. A waiting request holds no database connection. Places are
 * few, and one transfer gets only a share of them. Its reference is public, so strangers can present it many times at once. References that
 * the chain does not show share a part of the places: they cost nothing to invent.
 */
import { setTimeout as pause } from 'node:timers/promises';

export interface WaitingRoom {
  /** A place for a request that presents this transfer, until `gone` aborts; undefined when none is free. `isSeen`: it is in a block. */
  enter(transfer: string, gone: AbortSignal, isSeen: boolean): Stay | undefined;
  /** Requests that wait now. */
  waiting(): number;
  /** Ends every stay at once: this process stops. */
  close(): void;
}

export interface Stay {
  /** Resolves to true when it is time to look again, to false when the wait is over. */
  next(): Promise<boolean>;
  leave(): void;
}

export interface WaitingRoomOptions {
  /** The longest wait of one request; 0 never waits. */
  readonly seconds: number;
  readonly places: number;
}

const FIRST_PAUSE_MS = 250;
/** Blocks take a second or two: looking more often only costs the node. */
const LONGEST_PAUSE_MS = 1_000;
const SHARE_OF_ONE_TRANSFER = 0.25;
const SHARE_OF_UNSEEN = 0.25;

export function createWaitingRoom({ seconds, places }: WaitingRoomOptions): WaitingRoom {
  const closing = new AbortController();
  const shareOf = (part: number) => Math.max(1, Math.floor(places * part));
  const perTransfer = shareOf(SHARE_OF_ONE_TRANSFER);
  const forUnseen = shareOf(SHARE_OF_UNSEEN);
  const taken = new Map<string, number>();
  let waiting = 0;
  let unseen = 0;

  function leave(transfer: string, isSeen: boolean): void {
    const left = (taken.get(transfer) ?? 1) - 1;
    if (left === 0) taken.delete(transfer);
    else taken.set(transfer, left);
    waiting -= 1;
    if (!isSeen) unseen -= 1;
  }

  return {
    enter(transfer, gone, isSeen) {
      const present = taken.get(transfer) ?? 0;
      if (!isSeen && unseen >= forUnseen) return undefined;
      if (seconds === 0 || closing.signal.aborted || waiting >= places || present >= perTransfer) return undefined;
      taken.set(transfer, present + 1);
      waiting += 1;
      if (!isSeen) unseen += 1;
      const endsAt = performance.now() + seconds * 1000;
      const over = AbortSignal.any([gone, closing.signal]);
      let pauseMs = FIRST_PAUSE_MS;
      return {
        async next() {
          const leftMs = endsAt - performance.now();
          if (leftMs <= 0) return false;
          const pausing = sleep(Math.min(pauseMs, leftMs), over);
          pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
          return await pausing;
        },
        leave: () => leave(transfer, isSeen),
      };
    },
    waiting: () => waiting,
    close: () => closing.abort(),
  };
}

/** False when the signal cut it short. */
async function sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(milliseconds, undefined, { signal });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
