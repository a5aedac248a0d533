/** A paid workspace opens at once: the buyer may ask until its time or quota is used up. */
import { workspaceEnd } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';
import { systemActor } from './parties.ts';
import { requireAllowed, takeStep } from './take-step.ts';

export async function openWorkspace(tx: Tx, context: OrdersContext, order: OrderRow, from: Date): Promise<OrderRow> {
  const workspaceEndsAt = workspaceEnd(order, from);
  return await takeStep(tx, context, order, {
    command: 'open_workspace',
    to: requireAllowed(order, 'open_workspace', systemActor),
    actor: systemActor,
    set: { workspaceEndsAt },
    timers: [{ command: 'finish_workspace', at: workspaceEndsAt }],
  });
}
