/** Creates the order of a hire by machine, which is paid before its order exists. */
import { deliveryDeadlines, feeOf, formatUsd, isWorkspace, type NetworkName, type OrderId, toWireTime } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { isOwnAgent } from '../../agents/index.ts';
import type { ServiceRow } from '../../services/index.ts';
import { openWorkspace } from '../lifecycle/open-workspace.ts';
import { readSides } from '../lifecycle/sides-repository.ts';
import type { NewOrder } from '../lifecycle/step-repository.ts';
import { beginOrder } from '../lifecycle/take-step.ts';
import { deliveryTimers } from '../lifecycle/timer-job.ts';
import type { OrdersContext } from '../orders-context.ts';
import { findPaidAgent, type OrderRow } from '../repository.ts';

/** The terms when the price was shown: enough to create the order after a crash. */
export interface MachineHire {
  readonly orderId: OrderId;
  readonly service: Pick<ServiceRow, 'id' | 'agentId' | 'title' | 'category' | 'turnaroundHours' | 'maxRevisions' | 'quotaLimit'>;
  readonly brief: string;
  readonly referenceUrls: readonly string[];
  readonly requirementAnswers: Readonly<Record<string, unknown>> | null;
  readonly priceMicros: bigint;
  readonly settlement: 'instant' | 'on_approval';
  readonly clientAgentId: OrderRow['clientAgentId'];
}

export interface MachinePayment {
  readonly network: NetworkName;
  readonly reference: string;
  readonly payer: string;
  readonly paidMicros: bigint;
  /** Set for a bare transfer: until then its payer can contest the order, and the provider may wait before it begins. */
  readonly contestableUntil: Date | null;
}

type PaidAgent = Awaited<ReturnType<typeof findPaidAgent>>;

/** Call it after the payment is claimed, in the same transaction: without the claim there is no order. */
export async function createMachineOrder(
  tx: Tx,
  context: OrdersContext,
  hire: MachineHire,
  payment: MachinePayment,
  now: Date,
): Promise<OrderRow> {
  const { service, orderId: id } = hire;
  const terms = { priceType: 'fixed', quotaTotal: service.quotaLimit } as const;
  const deadlines = isWorkspace(terms) ? undefined : deliveryDeadlines(service.turnaroundHours, now);
  const agent = await findPaidAgent(tx, service.agentId);
  // An agent with overdue orders is always paid on approval.
  const settlement = agent.payoutHeldSince === null ? hire.settlement : 'on_approval';
  const parties = {
    providerAgentId: service.agentId,
    clientAgentId: hire.clientAgentId,
    clientWallet: payment.payer,
    payer: payment.payer,
  };
  const sides = await readSides(tx, parties, await isOwnProvider(tx, agent, hire.clientAgentId, payment.payer));
  const begun: NewOrder = {
    id,
    kind: 'machine',
    serviceId: service.id,
    ...parties,
    serviceTitle: service.title,
    category: service.category,
    ...terms,
    turnaroundHours: service.turnaroundHours,
    maxRevisions: service.maxRevisions,
    brief: hire.brief,
    referenceUrls: [...hire.referenceUrls],
    requirementAnswers: hire.requirementAnswers === null ? null : JSON.stringify(hire.requirementAnswers),
    status: 'paid',
    priceMicros: hire.priceMicros,
    feeMicros: feeOf(hire.priceMicros),
    settlement,
    paymentMethod: 'x402',
    paymentNetwork: payment.network,
    paymentReference: payment.reference,
    paidMicros: payment.paidMicros,
    quotedAt: now,
    paidAt: now,
    ...deadlines,
    createdAt: now,
    updatedAt: now,
  };
  const order = await beginOrder(
    tx,
    context,
    { begun, sides, contestableUntil: payment.contestableUntil },
    {
      command: 'hire',
      actor: { role: 'buyer', name: `wallet:${payment.payer}` },
      note: `${formatUsd(payment.paidMicros)} USDC`,
      events: [
        {
          type: 'order.created',
          data: {
            service_id: service.id,
            brief: hire.brief,
            ...(hire.requirementAnswers !== null && { requirement_answers: hire.requirementAnswers as Record<string, string> }),
            status: 'paid',
            service_title: service.title,
            payment_method: 'x402',
            ...(payment.contestableUntil !== null && { contestable_until: toWireTime(payment.contestableUntil) }),
          },
        },
      ],
      timers: [
        ...(deadlines === undefined ? [] : deliveryTimers(deadlines)),
        ...(settlement === 'instant' ? [{ command: 'pay_at_hire' } as const] : []),
      ],
    },
  );
  if (!isWorkspace(terms)) return order;
  return await openWorkspace(tx, context, order, now);
}

/** Whether the buyer hires their own agent. The buyer is the paying wallet and the agent whose key came with the request. */
async function isOwnProvider(
  tx: Tx,
  provider: PaidAgent,
  clientAgentId: OrderRow['clientAgentId'],
  payer: string,
): Promise<boolean | ReturnType<typeof isOwnAgent>> {
  if (clientAgentId === provider.id) return true;
  const client = clientAgentId === null ? undefined : await findPaidAgent(tx, clientAgentId);
  const buyer = { accounts: [client?.ownerUserId], wallets: [payer, client?.ownerWallet] };
  return isOwnAgent(provider.id, buyer);
}
