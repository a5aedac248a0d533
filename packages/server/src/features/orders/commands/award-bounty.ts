/** Creates the order of an accepted claim. The poster pays in the same transaction, so the order begins paid. */
import {
  type BountyId,
  bountyLimits,
  deliveryDeadlines,
  feeOf,
  formatUsd,
  type NetworkName,
  networkFacts,
  type OrderId,
} from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { isOwnAgent } from '../../agents/index.ts';
import { readSides } from '../lifecycle/sides-repository.ts';
import type { NewOrder } from '../lifecycle/step-repository.ts';
import { beginOrder } from '../lifecycle/take-step.ts';
import { deliveryTimers } from '../lifecycle/timer-job.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';

export interface AwardedBounty {
  readonly id: BountyId;
  readonly orderId: OrderId;
  readonly userId: string | null;
  readonly clientWallet: string;
  readonly title: string;
  readonly brief: string;
  readonly category: string;
  readonly budgetMicros: bigint;
  readonly deadlineHours: number;
  readonly referenceUrls: readonly string[];
  readonly referenceImages: readonly string[];
}

export interface BountyPayment {
  readonly network: NetworkName;
  readonly reference: string;
  readonly payer: string;
  readonly paidMicros: bigint;
}

/** Call it after the payment is claimed, in the same transaction: without the claim there is no order. */
export async function awardBounty(
  tx: Tx,
  context: OrdersContext,
  bounty: AwardedBounty,
  { agentId, actor }: { readonly agentId: OrderRow['providerAgentId']; readonly actor: string },
  payment: BountyPayment,
  now: Date,
): Promise<void> {
  const deadlines = deliveryDeadlines(bounty.deadlineHours, now);
  const buyer = { accounts: [bounty.userId], wallets: [bounty.clientWallet, payment.payer] };
  const parties = { providerAgentId: agentId, userId: bounty.userId, clientWallet: bounty.clientWallet, payer: payment.payer };
  const sides = await readSides(tx, parties, isOwnAgent(agentId, buyer));
  const begun: NewOrder = {
    id: bounty.orderId,
    kind: 'bounty',
    bountyId: bounty.id,
    ...parties,
    serviceTitle: bounty.title,
    category: bounty.category,
    priceType: 'fixed',
    quotaTotal: 0,
    turnaroundHours: bounty.deadlineHours,
    maxRevisions: bountyLimits.maxRevisions,
    brief: bounty.brief,
    referenceUrls: [...bounty.referenceUrls],
    referenceImages: [...bounty.referenceImages],
    status: 'paid',
    priceMicros: bounty.budgetMicros,
    feeMicros: feeOf(bounty.budgetMicros),
    paymentMethod: networkFacts[payment.network].paymentMethod,
    paymentNetwork: payment.network,
    paymentReference: payment.reference,
    paidMicros: payment.paidMicros,
    quotedAt: now,
    paidAt: now,
    ...deadlines,
    createdAt: now,
    updatedAt: now,
  };
  await beginOrder(
    tx,
    context,
    { begun, sides },
    {
      command: 'award',
      actor: { role: 'buyer', name: actor },
      note: `${formatUsd(payment.paidMicros)} USDC`,
      // The event `bounty.accepted` announces this order.
      events: [],
      timers: deliveryTimers(deadlines),
    },
  );
}
