/** A sleep that other code can end with `ring`. A ring while awake ends the next sleep at once. */
export interface Alarm {
  readonly ring: () => void;
  wait(ms: number): Promise<void>;
}

export function createAlarm(): Alarm {
  let rung = false;
  let end: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      end?.();
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      end = undefined;
      rung = false;
    },
  };
}
