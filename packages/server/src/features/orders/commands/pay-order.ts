/** The buyer pays. The transfer is checked on chain first, then claimed for the order in one transaction with the step. */
import { decide, deliveryDeadlines, isWorkspace, MarketError, networkFacts } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { asPresenter, networkOfReference, paymentDetails, refuseUsedPayment, surplusOf, verifyPayment } from '../../payments/index.ts';
import { factsOf } from '../lifecycle/facts.ts';
import { openWorkspace } from '../lifecycle/open-workspace.ts';
import { requireAllowed, takeStep } from '../lifecycle/take-step.ts';
import { deliveryTimers } from '../lifecycle/timer-job.ts';
import { namedByReference } from '../money/order-reference.ts';
import type { OrdersContext } from '../orders-context.ts';
import { presentChanged } from '../present/present-order.ts';
import { requireLockedOrder } from '../require-order.ts';
import { findForCommand } from './run-command.ts';

export function payOrder(context: OrdersContext): HandlersOf<'orders'>['pay'] {
  return async ({ id, escrow_tx_hash: reference, payment_chain: chain }, call) => {
    const { order, actor } = await findForCommand(context, call, id, 'pay');
    const network = networkOfReference(chain, reference);
    const request = { network, reference, purpose: 'order', subjectId: order.id } as const;
    if (!decide(factsOf(order), 'pay', actor.role, order.now).allowed) {
      // Refuse a used reference first. The same payment sent again for this order gets the first answer.
      const repeated = await refuseUsedPayment(context, request);
      if (repeated !== undefined) {
        const data = await presentChanged(context.database.db, context, order, actor);
        return { data, surplus: surplusOf(network, repeated) };
      }
      requireAllowed(order, 'pay', actor);
    }
    const presenter = await asPresenter(context.database.db, call.caller, network);
    const payment = await verifyPayment(context, {
      ...request,
      expectedMicros: order.priceMicros ?? 0n,
      payers: presenter.wallets.map(({ address }) => address),
      presenter,
      ...namedByReference(context, order),
      payableSince: order.quotedAt ?? order.createdAt,
      gone: call.gone,
    });

    return await call.commit(async (tx) => {
      const locked = await requireLockedOrder(tx, id);
      const paid = paymentDetails(payment);
      const surplus = surplusOf(network, paid);
      // The same payment sent twice at the same moment: the second request finds the order paid.
      if (locked.paymentNetwork === network && locked.paymentReference === paid.reference) {
        return { data: await presentChanged(tx, context, locked, actor), surplus };
      }
      const to = requireAllowed(locked, 'pay', actor);
      // The provider replaced the quote after the transfer was checked.
      if (locked.priceMicros !== order.priceMicros) throw new MarketError('price_changed');
      const workspace = isWorkspace(locked);
      const deadlines = workspace ? undefined : deliveryDeadlines(locked.turnaroundHours, locked.now);
      const changed = await takeStep(tx, context, locked, {
        command: 'pay',
        to,
        actor,
        payment,
        set: {
          paymentMethod: networkFacts[network].paymentMethod,
          paymentNetwork: network,
          paymentReference: paid.reference,
          payer: paid.payer,
          paidMicros: paid.priceMicros,
          paidAt: locked.now,
          ...deadlines,
        },
        ...(deadlines !== undefined && { timers: deliveryTimers(deadlines) }),
        events: [{ type: 'order.paid', data: { status: workspace ? 'in_progress' : to, service_title: locked.serviceTitle } }],
      });
      const begun = workspace ? await openWorkspace(tx, context, changed, changed.now) : changed;
      return { data: await presentChanged(tx, context, begun, actor), surplus };
    });
  };
}
