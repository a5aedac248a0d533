/** Between the one who tells and one who listens at their own pace. It holds a bounded number of things, then only that there were more. */

export interface Mailbox<T> {
  put(thing: T): void;
  /** What came since the last time; undefined when it was more than is kept. */
  take(): readonly T[] | undefined;
  /** Until there is something to take, somebody wakes the listener, or the time is over. */
  wait(milliseconds: number): Promise<void>;
  wake(): void;
}

export function createMailbox<T>(capacity: number): Mailbox<T> {
  let things: T[] = [];
  let overflown = false;
  let wakeUp: (() => void) | undefined;
  return {
    put(thing) {
      if (things.length < capacity) things.push(thing);
      else overflown = true;
      wakeUp?.();
    },
    take() {
      const taken = overflown ? undefined : things;
      things = [];
      overflown = false;
      return taken;
    },
    async wait(milliseconds) {
      if (things.length > 0 || overflown) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timeout = setTimeout(resolve, milliseconds);
      wakeUp = resolve;
      await promise;
      wakeUp = undefined;
      clearTimeout(timeout);
    },
    wake: () => wakeUp?.(),
  };
}
