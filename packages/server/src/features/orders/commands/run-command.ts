/** Runs a command of a party: find the order, find the caller's role, then decide and write in one transaction. */
import type { OrderCommand, OrderStatus } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { markIfOverdue } from '../lifecycle/overdue.ts';
import { type Actor, requireActor } from '../lifecycle/parties.ts';
import { judgeLocked, type Step, takeStep } from '../lifecycle/take-step.ts';
import type { OrdersContext } from '../orders-context.ts';
import { presentChanged } from '../present/present-order.ts';
import type { OrderRow } from '../repository.ts';
import { requireLockedOrder, requireOrder } from '../require-order.ts';

export interface AllowedCommand {
  readonly tx: Tx;
  readonly order: OrderRow;
  readonly actor: Actor;
  readonly to: OrderStatus;
  readonly now: Date;
}

/** `work` writes what the command needs beside the step, and returns what the step writes. */
export async function runCommand(
  context: OrdersContext,
  call: Call,
  id: string,
  command: OrderCommand,
  work: (allowed: AllowedCommand) => Promise<Omit<Step, 'command' | 'to' | 'actor'>>,
) {
  return await call.commit(async (tx) => await runLocked(tx, context, call, await requireLockedOrder(tx, id), command, work));
}

/** Refuses with 404 first, then 403, and only then because of the order's state. */
export async function runLocked(
  tx: Tx,
  context: OrdersContext,
  call: Call,
  locked: OrderRow,
  command: OrderCommand,
  work: (allowed: AllowedCommand) => Promise<Omit<Step, 'command' | 'to' | 'actor'>>,
) {
  const actor = requireActor(call.caller, call.clientAddress, locked, command);
  const { order: judged, to } = await judgeLocked(tx, context, locked, command, actor);
  const order = await markIfOverdue(tx, context, judged);
  const step = await work({ tx, order, actor, to, now: order.now });
  const changed = await takeStep(tx, context, order, { ...step, command, to, actor });
  return { data: await presentChanged(tx, context, changed, actor) };
}

/** Finds the order without a lock, for a command that asks a chain before its transaction. */
export async function findForCommand(
  { database }: Pick<OrdersContext, 'database'>,
  call: Call,
  id: string,
  command: OrderCommand,
): Promise<{ order: OrderRow; actor: Actor }> {
  const order = await requireOrder(database.db, id);
  return { order, actor: requireActor(call.caller, call.clientAddress, order, command) };
}
