/** Makes the order that a machine paid for, and keeps the answer that its buyer gets. */
import { feeOf, formatUsd, networkFacts, type OperationAnswer, type Operations, type OrderId } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { newOrderToken } from '../../../platform/random.ts';
import { escrow } from '../../ledger/index.ts';
import { createMachineOrder, type MachineHire } from '../../orders/index.ts';
import { type ClaimRow, claimPayment, type NewPayment, surplusOf } from '../../payments/index.ts';
import type { PaidRequest } from '../intake/purchase.ts';
import { insertOrderToken, insertPurchase, type PurchaseRow } from '../intake/repository.ts';
import type { X402Context } from '../x402-context.ts';

export type HireData = OperationAnswer<Operations['x402']['pay']>['data'];

export interface PaidHire extends PaidRequest {
  readonly hire: MachineHire;
}

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
  const buyersToken = await issueToken(tx, context, order.id, { readsOnly: false });
  // A public reference proves no payer: the first presenter may read the order, and no more.
  const readersToken = paid.settledVia === 'transfer' ? await issueToken(tx, context, order.id, { readsOnly: true }) : null;
  const data = storedAnswer(context, paid, { claim, network, status: order.status, buyersToken, readersToken });
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

/** A new token of the order; only its hash is stored. */
export async function issueToken(tx: Tx, { secrets }: X402Context, orderId: OrderId, { readsOnly }: { readonly readsOnly: boolean }) {
  const token = newOrderToken();
  await insertOrderToken(tx, { tokenHash: firstOf(secrets.lookupHashes(token)), orderId, readsOnly });
  return token;
}

function firstOf(hashes: readonly Buffer[]): Buffer {
  const [current] = hashes;
  if (current === undefined) throw new Error('there is always a current key');
  return current;
}

export function sealedHireFor(subjectId: string): string {
  return `machine_hires/${subjectId}`;
}

/** As it is sealed: with both tokens, and without what may change. */
export interface StoredHire extends Omit<HireData, 'x402' | 'contestable_until' | 'poll_hint'> {
  readonly x402: Omit<HireData['x402'], 'payout'>;
  readonly readers_token?: string | null;
}

interface Outcome {
  readonly claim: ClaimRow;
  readonly network: keyof typeof networkFacts;
  readonly status: string;
  readonly buyersToken: string;
  readonly readersToken: string | null;
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
    read_token: outcome.buyersToken,
    readers_token: outcome.readersToken,
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
