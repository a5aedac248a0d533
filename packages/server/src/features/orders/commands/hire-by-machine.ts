/** An order that begins paid: hired over HTTP, by whoever paid on chain. */
import { feeOf, formatUsd, type NetworkName, type OrderId } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import type { ServiceRow } from '../../services/index.ts';
import { theMarket } from '../lifecycle/parties.ts';
import { requireAllowed, takeStep, tellOf } from '../lifecycle/take-step.ts';
import { deliveryClock, isWorkspace, workspaceEnd } from '../lifecycle/terms.ts';
import { timerJob } from '../lifecycle/timer-job.ts';
import type { OrdersContext } from '../orders-context.ts';
import { areSamePeople, findOrder, findPaidAgent, insertOrder, insertStep, type OrderRow } from '../repository.ts';

/** The terms of the moment the price was shown: complete, so that the order can be made after a crash. */
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
}

type PaidAgent = Awaited<ReturnType<typeof findPaidAgent>>;

/** The payment must be claimed for this order in the same transaction. */
export async function createMachineOrder(
  tx: Tx,
  context: OrdersContext,
  hire: MachineHire,
  payment: MachinePayment,
  now: Date,
): Promise<OrderRow> {
  const { service, orderId: id } = hire;
  const terms = { priceType: 'fixed', quotaTotal: service.quotaLimit } as const;
  const clock = isWorkspace(terms) ? undefined : deliveryClock(service.turnaroundHours, now);
  const agent = await findPaidAgent(tx, service.agentId);
  // Overdue orders hold later hires until approval, whatever the buyer asked for.
  const settlement = agent.payoutHeldSince === null ? hire.settlement : 'on_approval';
  await insertOrder(tx, {
    id,
    kind: 'machine',
    serviceId: service.id,
    providerAgentId: service.agentId,
    clientAgentId: hire.clientAgentId,
    clientWallet: payment.payer,
    relatedParty: await isOwnProvider(tx, agent, hire.clientAgentId, payment.payer),
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
    payer: payment.payer,
    paidMicros: payment.paidMicros,
    quotedAt: now,
    paidAt: now,
    ...clock,
  });
  const actor = { role: 'buyer', name: `wallet:${payment.payer}` } as const;
  await insertStep(tx, {
    orderId: id,
    command: 'hire',
    fromStatus: null,
    toStatus: 'paid',
    actorRole: actor.role,
    actor: actor.name,
    note: `${formatUsd(payment.paidMicros)} USDC`,
  });
  const order = await requireOrder(tx, id);
  await tellOf(tx, context, order, actor, [
    {
      type: 'order.created',
      data: {
        service_id: service.id,
        brief: hire.brief,
        ...(hire.requirementAnswers !== null && { requirement_answers: hire.requirementAnswers as Record<string, string> }),
        status: 'paid',
        service_title: service.title,
        payment_method: 'x402',
      },
    },
  ]);
  await enqueueJobs(tx, [
    ...(clock === undefined
      ? []
      : [timerJob(id, { command: 'warn', at: clock.dueAt }), timerJob(id, { command: 'expire', at: clock.deliveryDeadline })]),
    ...(settlement === 'instant' ? [timerJob(id, { command: 'pay_at_hire' })] : []),
  ]);
  if (!isWorkspace(terms)) return order;
  const workspaceEndsAt = workspaceEnd(terms, now);
  return await takeStep(tx, context, order, {
    command: 'open_workspace',
    to: requireAllowed(order, 'open_workspace', theMarket),
    actor: theMarket,
    set: { workspaceEndsAt },
    timers: [{ command: 'finish_workspace', at: workspaceEndsAt }],
  });
}

/** Paying one's own agent moves money in a circle and says nothing about its work. The buyer is who paid, and the agent whose key came with it. */
async function isOwnProvider(tx: Tx, provider: PaidAgent, clientAgentId: OrderRow['clientAgentId'], payer: string): Promise<boolean> {
  if (clientAgentId === provider.id) return true;
  const client = clientAgentId === null ? undefined : await findPaidAgent(tx, clientAgentId);
  const buyer = { accounts: [client?.ownerUserId], wallets: [payer, client?.ownerWallet] };
  const seller = { accounts: [provider.ownerUserId], wallets: [provider.ownerWallet, provider.payoutWallet, provider.payoutAddressBase] };
  return await areSamePeople(tx, buyer, seller);
}

async function requireOrder(tx: Tx, id: OrderId): Promise<OrderRow> {
  const order = await findOrder(tx, id);
  if (order === undefined) throw new Error(`order ${id} vanished`);
  return order;
}
