/** A bounded queue between the hub and one follower. When it overflows, it only remembers that there were more. */

export interface Mailbox<T> {
  put(thing: T): void;
  /** Items since the last call; undefined after an overflow. */
  take(): readonly T[] | undefined;
  /** Waits for an item, a wake-up, or the end of the time. */
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
