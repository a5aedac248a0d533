/** Advances a movement while the caller waits. If the caller leaves, a job goes on. */
import type { Call } from '../../access/call.ts';
import { DONE, followSteps } from '../outgoing/index.ts';
import { advanceMovement } from './advance-movement.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';

/** Returns when the chain shows the movement (`landed`), when it is final (`final`), or when the answer is due. */
export async function followMovement(
  context: AgentWalletsContext,
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
