/** A sleep that other code can end with `wake`. A `wake` while nobody sleeps ends the next sleep at once. */
export interface Alarm {
  readonly wake: () => void;
  wait(ms: number): Promise<void>;
}

export function createAlarm(): Alarm {
  let isWoken = false;
  let end: (() => void) | undefined;
  return {
    wake() {
      isWoken = true;
      end?.();
    },
    async wait(ms) {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      end = undefined;
      isWoken = false;
    },
  };
}
