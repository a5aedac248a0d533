/** The standard's receipt headers: what became of a payment, for the client that sent it. */
import { networkFacts } from '@market/contract';
import type { PresentedStandard } from './classify-payment.ts';

export interface SettlementReceipt {
  readonly success: boolean;
  readonly transaction: string;
  /** CAIP-2. */
  readonly network: string;
  readonly payer?: string | undefined;
  readonly errorReason?: string | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

export function receiptHeader(payment: PresentedStandard, receipt: SettlementReceipt): Record<string, string> {
  const sent = payment.version === 2 ? receipt : { ...receipt, network: networkFacts[payment.network].x402v1Name ?? receipt.network };
  const encoded = Buffer.from(JSON.stringify(sent)).toString('base64');
  return { [payment.version === 2 ? 'PAYMENT-RESPONSE' : 'X-PAYMENT-RESPONSE']: encoded };
}
