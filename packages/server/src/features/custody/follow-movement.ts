/** Sends and looks while the caller waits. The stored intent is carried on either way. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Call } from '../../access/call.ts';
import { advanceMovement } from './advance-movement.ts';
import type { CustodyContext } from './custody-context.ts';

const LOOK_MS = 200;

/** Ends when the chain shows the movement (`landed`) or keeps it for good (`final`), or when the answer cannot wait longer. */
export async function followMovement(
  context: CustodyContext,
  call: Call,
  id: string,
  until: 'landed' | 'final',
): Promise<{ readonly landed: string | undefined }> {
  const giveUpAt = performance.now() + context.waitSeconds * 1000;
  let landed: string | undefined;
  try {
    for (;;) {
      const next = await advanceMovement(context, id);
      if (next.kind === 'done') break;
      landed = next.landed;
      if (until === 'landed' && landed !== undefined) break;
      if (next.seconds > 1 || performance.now() > giveUpAt || call.gone.aborted) break;
      await pause(next.seconds === 0 ? 0 : LOOK_MS);
    }
  } catch (error) {
    call.log.warn({ err: error, movement: id }, 'a movement could not be followed; its job carries on');
  }
  return { landed };
}
