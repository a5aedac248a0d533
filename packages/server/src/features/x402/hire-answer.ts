/** What a machine gets for its payment, and the one place where the order that it bought is made. */
import { feeOf, formatUsd, networkFacts, type OperationAnswer, type Operations, type OrderId, toWireTime } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { newOrderToken } from '../../platform/random.ts';
import { escrow } from '../ledger/index.ts';
import { createMachineOrder, type MachineHire } from '../orders/index.ts';
import { claimPayment, type NewPayment } from '../payments/index.ts';
import type { Bought } from './purchase.ts';
import type { PaidRequest } from './record-purchase.ts';
import { insertOrderToken, insertPurchase, type PurchaseRow } from './repository.ts';
import type { X402Context } from './x402-context.ts';

export type HireData = OperationAnswer<Operations['x402']['pay']>['data'];

export interface PaidHire extends PaidRequest {
  readonly hire: MachineHire;
}

/** Claims the transfer, makes the order, its token and the stored answer: together or not at all. */
export async function recordHire(tx: Tx, context: X402Context, payment: NewPayment, paid: PaidHire): Promise<PurchaseRow> {
  const { network, key } = payment;
  const claim = await claimPayment(tx, context, payment, escrow(network, paid.hire.orderId));
  const order = await createMachineOrder(
    tx,
    context,
    paid.hire,
    { network, reference: claim.reference, payer: claim.payer, paidMicros: claim.priceMicros },
    context.clock.now(),
  );
  const token = newOrderToken();
  await insertOrderToken(tx, firstOf(context.secrets.lookupHashes(token)), order.id);
  const { payer, reference, contestableUntil } = claim;
  const data = answerFor(context, paid, {
    payer,
    reference,
    contestableUntil,
    network,
    status: order.status,
    settlement: order.settlement,
    token,
  });
  return await insertPurchase(tx, {
    caip2: key.caip2,
    reference: claim.reference,
    subjectId: order.id,
    payer: claim.payer,
    purpose: paid.purpose,
    fingerprint: paid.fingerprint,
    sealedAnswer: context.secrets.seal(JSON.stringify(data), sealedHireFor(order.id)),
  });
}

/** What the presenter is told: the order, with the token that acts as its buyer or with the other way to it. */
export function hireAnswer({ secrets }: X402Context, { row, withSecrets }: Bought): HireData {
  const stored = JSON.parse(secrets.open(row.sealedAnswer, sealedHireFor(row.subjectId))) as HireData;
  // Answers stored before contests existed have no such field.
  const answer = { ...stored, contestable_until: stored.contestable_until ?? null };
  // Whoever proves the paying wallet stands by the request: nobody can contest it any more.
  if (withSecrets) return { ...answer, contestable_until: null };
  return { ...answer, read_token: null, poll_hint: 'Read status_url with a signature of the wallet that paid, every 30 seconds.' };
}

function firstOf(hashes: readonly Buffer[]): Buffer {
  const [current] = hashes;
  if (current === undefined) throw new Error('there is always a current key');
  return current;
}

export function sealedHireFor(subjectId: string): string {
  return `machine_hires/${subjectId}`;
}

interface Outcome {
  readonly payer: string;
  readonly reference: string;
  readonly contestableUntil: Date | null;
  readonly network: keyof typeof networkFacts;
  readonly status: string;
  readonly settlement: 'instant' | 'on_approval';
  readonly token: string;
}

function answerFor({ baseUrl }: X402Context, { hire, settledVia }: PaidHire, outcome: Outcome): HireData {
  const { chain } = networkFacts[outcome.network];
  const url = `${baseUrl}/api/orders/${hire.orderId satisfies OrderId}`;
  const fee = feeOf(hire.priceMicros);
  return {
    order_id: hire.orderId,
    status: outcome.status,
    status_url: url,
    result_url: url,
    read_token: outcome.token,
    poll_hint: 'Read status_url with the read token every 30 seconds until status is delivered.',
    contestable_until: outcome.contestableUntil === null ? null : toWireTime(outcome.contestableUntil),
    x402: {
      payment_verified: true,
      payer_wallet: outcome.payer,
      total_charged_usd: Number(formatUsd(hire.priceMicros + fee)),
      platform_fee_usd: Number(formatUsd(fee)),
      provider_payout_usd: Number(formatUsd(hire.priceMicros)),
      tx_signature: outcome.reference,
      payment_chain: chain,
      settled_via: settledVia,
      // It leaves when the payment is final; `order.payout_sent` tells.
      payout: { attempted: outcome.settlement === 'instant', paid: false, tx_hash: null, destination: null, chain },
    },
  };
}
