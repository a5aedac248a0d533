/** Sends and looks while the caller waits. The stored intent is carried on either way. */
import type { Call } from '../../access/call.ts';
import { DONE, followSteps } from '../outgoing/index.ts';
import { advanceMovement } from './advance-movement.ts';
import type { CustodyContext } from './custody-context.ts';

/** Ends when the chain shows the movement (`landed`) or keeps it for good (`final`), or when the answer cannot wait longer. */
export async function followMovement(
  context: CustodyContext,
  call: Call,
  id: string,
  until: 'landed' | 'final',
): Promise<{ readonly landed: string | undefined }> {
  let landed: string | undefined;
  await followSteps(call, { id, waitSeconds: context.waitSeconds }, async () => {
    const next = await advanceMovement(context, id);
    if (next.kind === 'done') return next;
    landed = next.landed;
    return until === 'landed' && landed !== undefined ? DONE : next;
  });
  return { landed };
}
