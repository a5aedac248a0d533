/** Receipts of standard payments: the header with the outcome of one, and our signature under a settled one. */
import { networkFacts } from '@market/contract';
import { type Extensions, type Signing, statementSchema } from '../offers/signed-offers.ts';
import type { SettledPayment } from '../offers/signed-offers-issuer.ts';
import type { Purchase } from '../product.ts';
import type { X402Context } from '../x402-context.ts';
import type { PresentedStandard } from './read-payment.ts';
import type { PurchaseRow } from './repository.ts';

export interface SettlementReceipt {
  readonly success: boolean;
  readonly transaction: string;
  /** CAIP-2. */
  readonly network: string;
  readonly payer?: string | undefined;
  readonly errorReason?: string | undefined;
  readonly extensions?: Extensions | undefined;
}

export function receiptHeader(payment: PresentedStandard, receipt: SettlementReceipt): Record<string, string> {
  const sent = payment.version === 2 ? receipt : { ...receipt, network: networkFacts[payment.network].x402v1Name ?? receipt.network };
  const encoded = Buffer.from(JSON.stringify(sent)).toString('base64');
  return { [payment.version === 2 ? 'PAYMENT-RESPONSE' : 'X-PAYMENT-RESPONSE']: encoded };
}

/** The receipt of a purchase that was made. */
export function settledReceipt(
  context: X402Context,
  { challenge }: Pick<Purchase, 'challenge'>,
  presented: PresentedStandard,
  { payer, reference: transaction, caip2: network }: PurchaseRow,
): Record<string, string> {
  const extensions = signedReceipt(context, { resourceUrl: challenge.url, network, payer, transaction });
  return receiptHeader(presented, { success: true, transaction, network, payer, extensions });
}

/** The extension `offer-receipt`; undefined without a signing key. */
export function signedReceipt({ issuer, clock }: Signing, payment: SettledPayment): Extensions | undefined {
  if (issuer === undefined) return undefined;
  const receipt = { format: 'jws', signature: issuer.receiptFor(payment, clock.realNow()) };
  return { 'offer-receipt': { info: { receipt }, schema: receiptSchema } };
}

const receiptSchema = { type: 'object', properties: { receipt: statementSchema }, required: ['receipt'] } as const;
