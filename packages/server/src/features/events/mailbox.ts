/** A bounded queue between the hub and one follower. After an overflow, `take` reports only the overflow. */

export interface Mailbox<T> {
  put(item: T): void;
  /** Items since the last call; undefined after an overflow. */
  take(): readonly T[] | undefined;
  /** Waits for an item, a wake-up, or the end of the time. */
  wait(milliseconds: number): Promise<void>;
  wake(): void;
}

export function createMailbox<T>(capacity: number): Mailbox<T> {
  let items: T[] = [];
  let overflown = false;
  let wakeUp: (() => void) | undefined;
  return {
    put(item) {
      if (items.length < capacity) items.push(item);
      else overflown = true;
      wakeUp?.();
    },
    take() {
      const taken = overflown ? undefined : items;
      items = [];
      overflown = false;
      return taken;
    },
    async wait(milliseconds) {
      if (items.length > 0 || overflown) return;
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
