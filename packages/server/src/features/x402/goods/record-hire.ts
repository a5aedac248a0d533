/** Makes the order that a machine paid for, and keeps the answer that its buyer gets. */
import { feeOf, formatUsd, networkFacts, type OperationAnswer, type Operations, type OrderId } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { escrow } from '../../ledger/index.ts';
import { createMachineOrder } from '../../orders/index.ts';
import { type ClaimRow, claimPayment, type NewPayment, surplusOf } from '../../payments/index.ts';
import type { PaidRequest } from '../intake/purchase.ts';
import { insertPurchase, type PurchaseRow } from '../intake/repository.ts';
import type { X402Context } from '../x402-context.ts';
import { type IssuedTokens, issueOrderTokens, type StoredTokens } from './issue-order-tokens.ts';
import type { RequestedHire } from './stored-request.ts';

export type HireData = OperationAnswer<Operations['x402']['pay']>['data'];

export interface PaidHire extends PaidRequest, RequestedHire {}

/** Claims the transfer, makes the order and its tokens, and stores the answer, in one transaction. */
export async function recordHire(tx: Tx, context: X402Context, payment: NewPayment, paid: PaidHire): Promise<PurchaseRow> {
  const { network, key } = payment;
  const claim = await claimPayment(tx, context, payment, escrow(network, paid.hire.orderId));
  const order = await createMachineOrder(
    tx,
    context,
    paid.hire,
    { network, reference: claim.reference, payer: claim.payer, paidMicros: claim.priceMicros, contestableUntil: claim.contestableUntil },
    context.clock.now(),
  );
  const tokens = await issueOrderTokens(tx, context, order.id, paid);
  const data = storedAnswer(context, paid, { claim, network, status: order.status, tokens });
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

export function sealedHireFor(subjectId: string): string {
  return `machine_hires/${subjectId}`;
}

/** As it is sealed: with all tokens, and without what may change. */
export interface StoredHire
  extends Omit<HireData, 'x402' | 'contestable_until' | 'poll_hint' | 'read_token' | 'buyer_token' | 'token_expires_at'>,
    StoredTokens {
  readonly x402: Omit<HireData['x402'], 'payout'>;
}

interface Outcome {
  readonly claim: ClaimRow;
  readonly network: keyof typeof networkFacts;
  readonly status: string;
  readonly tokens: IssuedTokens;
}

function storedAnswer({ baseUrl }: X402Context, { hire, settledVia }: PaidHire, outcome: Outcome): StoredHire {
  const { claim, network } = outcome;
  const url = `${baseUrl}/api/orders/${hire.orderId satisfies OrderId}`;
  const fee = feeOf(hire.priceMicros);
  return {
    order_id: hire.orderId,
    status: outcome.status,
    status_url: url,
    result_url: url,
    tokens: outcome.tokens,
    x402: {
      payment_verified: true,
      payer_wallet: claim.payer,
      total_charged_usd: Number(formatUsd(hire.priceMicros + fee)),
      platform_fee_usd: Number(formatUsd(fee)),
      provider_payout_usd: Number(formatUsd(hire.priceMicros)),
      tx_signature: claim.reference,
      payment_chain: networkFacts[network].chain,
      settled_via: settledVia,
      surplus: surplusOf(network, claim),
    },
  };
}
