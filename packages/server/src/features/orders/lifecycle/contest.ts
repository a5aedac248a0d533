/** The paying wallet claims its transfer for another request, or confirms the order. */
import { type AgentId, decide, type NetworkName } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { escrow, type LedgerAccount } from '../../ledger/index.ts';
import type { OrdersContext } from '../orders-context.ts';
import { lockOrder } from '../repository.ts';
import { requireLockedOrder } from '../require-order.ts';
import { payoutNow } from './contestable.ts';
import { factsOf } from './facts.ts';
import { systemActor } from './parties.ts';
import { amendOrder, takeStep } from './take-step.ts';

const CONTESTED = 'The wallet that paid claimed its transfer for another request.';

/** Cancels the order and returns the account that holds its payment; undefined when that money has left. */
export async function giveUpOrder(tx: Tx, context: OrdersContext, id: string, network: NetworkName): Promise<LedgerAccount | undefined> {
  const locked = await requireLockedOrder(tx, id);
  const decision = decide(factsOf(locked), 'contest', systemActor.role, locked.now);
  if (!decision.allowed) return undefined;
  if (locked.status === 'disputed') await context.disputes.closeRefunded(tx, locked.id);
  const failed = await context.requests.failOpen(tx, locked, 'The order was cancelled.');
  await takeStep(tx, context, locked, {
    command: 'contest',
    to: decision.to,
    actor: systemActor,
    set: { quotaUsed: locked.quotaUsed - failed, cancelledAt: locked.now, paidMicros: 0n, paymentReference: null },
    note: CONTESTED,
    events: [{ type: 'order.cancelled', data: { previous_status: locked.status, reason: 'payment_contested' } }],
  });
  return escrow(network, locked.id);
}

/** Called after the payer confirmed the order: a provider who is paid at hire no longer waits. */
export async function keepOrder(tx: Tx, id: string): Promise<void> {
  const order = await lockOrder(tx, id);
  if (order !== undefined) await payoutNow(tx, order);
}

/** Makes the agent that asked for the price the buyer, because the transfer names it. */
export async function setClientAgent(tx: Tx, id: string, clientAgentId: AgentId): Promise<void> {
  const order = await lockOrder(tx, id);
  if (order !== undefined) await amendOrder(tx, order, { clientAgentId });
}

/** The agent that presented the payment is no longer the buyer: the order belongs to the wallet that paid. */
export async function removeClientAgent(tx: Tx, id: string): Promise<void> {
  const order = await lockOrder(tx, id);
  if (order !== undefined && order.clientAgentId !== null) await amendOrder(tx, order, { clientAgentId: null });
}
