/** Money arrives: the transfer is checked on chain first, then claimed, held and acknowledged in one transaction. */
import { decide, MarketError, type NetworkName, networkFacts, networkOfChain, type PaymentChain, usualNetwork } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { escrow } from '../../ledger/index.ts';
import { claimPayment, refuseUsedPayment, surplusOf, type VerifiedPayment, verifyPayment } from '../../payments/index.ts';
import { factsOf } from '../facts.ts';
import type { OrdersContext } from '../orders-context.ts';
import { theMarket } from '../parties.ts';
import { presentOrder } from '../present-order.ts';
import { listBuyerWallets, lockOrder, type OrderRow } from '../repository.ts';
import { findForCommand } from '../run-command.ts';
import { requireAllowed, takeStep } from '../take-step.ts';
import { deliveryClock, isWorkspace, workspaceEnd } from '../terms.ts';

export function payOrder(context: OrdersContext): HandlersOf<'orders'>['pay'] {
  return async ({ id, escrow_tx_hash: reference, payment_chain: chain }, call) => {
    const { order, actor } = await findForCommand(context, call, id, 'pay');
    const network = networkOf(chain, reference);
    const request = { network, reference, purpose: 'order', subjectId: order.id } as const;
    if (!decide(factsOf(order), 'pay', actor.role, order.now).allowed) {
      // A reference that was used elsewhere is told so first; the same payment told again is no mistake.
      const repeated = await refuseUsedPayment(context, request);
      if (repeated !== undefined) {
        const data = await presentOrder(context.database.db, context, order, actor.role);
        return { data, surplus: surplusOf(network, repeated) };
      }
      requireAllowed(order, 'pay', actor);
    }
    // Whoever may pay this order has shown a credential of one of these wallets, or of the account or agent they belong to.
    const payers = await listBuyerWallets(context.database.db, order);
    const payment = await verifyPayment(context, {
      ...request,
      expectedMicros: order.priceMicros ?? 0n,
      payers,
      presenter: { wallets: payers },
      payableSince: order.quotedAt ?? order.createdAt,
      gone: call.gone,
    });

    return await call.commit(async (tx) => {
      const locked = await lockOrder(tx, id);
      if (locked === undefined) throw new MarketError('order_not_found');
      // The same payment told twice at the same moment: the second finds it done.
      if (locked.paymentNetwork === network && locked.paymentReference === referenceOf(payment)) {
        return { data: await presentOrder(tx, context, locked, actor.role), surplus: surplusOf(network, paidBy(payment)) };
      }
      const to = requireAllowed(locked, 'pay', actor);
      // The transfer was judged by the price of a moment ago.
      if (locked.priceMicros !== order.priceMicros) throw new MarketError('price_changed');
      const claim = await claimPayment(tx, context, payment, escrow(network, locked.id));
      const workspace = isWorkspace(locked);
      const clock = workspace ? undefined : deliveryClock(locked.turnaroundHours, locked.now);
      const paid = await takeStep(tx, context, locked, {
        command: 'pay',
        to,
        actor,
        set: {
          paymentMethod: networkFacts[network].paymentMethod,
          paymentNetwork: network,
          paymentReference: claim.reference,
          payer: claim.payer,
          paidMicros: claim.priceMicros,
          paidAt: locked.now,
          ...clock,
        },
        ...(clock !== undefined && {
          timers: [
            { command: 'warn', at: clock.dueAt },
            { command: 'expire', at: clock.deliveryDeadline },
          ],
        }),
        events: [{ type: 'order.paid', data: { status: workspace ? 'in_progress' : to, service_title: locked.serviceTitle } }],
      });
      const begun = workspace ? await openWorkspace(tx, context, paid) : paid;
      return { data: await presentOrder(tx, context, begun, actor.role), surplus: surplusOf(network, claim) };
    });
  };
}

function referenceOf(payment: VerifiedPayment): string {
  return payment.kind === 'new' ? payment.key.reference : payment.claim.reference;
}

function paidBy(payment: VerifiedPayment): Parameters<typeof surplusOf>[1] {
  if (payment.kind === 'repeated') return payment.claim;
  const { judged, request } = payment;
  return { payer: judged.payer, amountMicros: judged.receipt.receivedMicros, priceMicros: request.expectedMicros };
}

async function openWorkspace(tx: Tx, context: OrdersContext, order: OrderRow): Promise<OrderRow> {
  const workspaceEndsAt = workspaceEnd(order, order.now);
  return await takeStep(tx, context, order, {
    command: 'open_workspace',
    to: requireAllowed(order, 'open_workspace', theMarket),
    actor: theMarket,
    set: { workspaceEndsAt },
    timers: [{ command: 'finish_workspace', at: workspaceEndsAt }],
  });
}

/** A 0x hash without a chain is Base, as the specification says; other EVM networks must be named. */
function networkOf(chain: PaymentChain | undefined, reference: string): NetworkName {
  if (chain !== undefined) return networkOfChain(chain);
  return usualNetwork[/^\s*0x/i.test(reference) ? 'evm' : 'solana'];
}
