/** Takes steps while the caller waits. A stored intent is carried on by its job in any case. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Call } from '../../access/call.ts';
import type { NextStep } from './next-step.ts';

const LOOK_MS = 200;

/** Ends when the work is done, when the next step is far away, or when the answer cannot wait longer. */
export async function followSteps(
  { gone, log }: Pick<Call, 'gone' | 'log'>,
  { id, waitSeconds }: { readonly id: string; readonly waitSeconds: number },
  step: () => Promise<NextStep>,
): Promise<void> {
  const giveUpAt = performance.now() + waitSeconds * 1000;
  try {
    for (;;) {
      const next = await step();
      if (next.kind === 'done' || next.seconds > 1 || performance.now() > giveUpAt || gone.aborted) return;
      await pause(next.seconds === 0 ? 0 : LOOK_MS);
    }
  } catch (error) {
    log.warn({ err: error, movement: id }, 'a movement could not be followed; its job carries on');
  }
}
