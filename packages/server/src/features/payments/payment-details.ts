/** Columns in which a purchase stores the transfer that paid for it. */
import { type NetworkName, networkOfChain, type PaymentChain, usualNetwork } from '@market/contract';
import type { VerifiedPayment } from './claim-payment.ts';
import type { surplusOf } from './present.ts';

export function paymentDetails(payment: VerifiedPayment): Parameters<typeof surplusOf>[1] & { readonly reference: string } {
  if (payment.kind === 'repeated') return payment.claim;
  const { judged, request, key } = payment;
  const { payer, surplusMicros } = judged;
  const { expectedMicros: priceMicros } = request;
  return { reference: key.reference, payer, amountMicros: priceMicros + surplusMicros, priceMicros };
}

/** A 0x hash without a chain is Base, as the specification says; other EVM networks must be named. */
export function networkOfReference(chain: PaymentChain | undefined, reference: string): NetworkName {
  if (chain !== undefined) return networkOfChain(chain);
  return usualNetwork[/^\s*0x/i.test(reference) ? 'evm' : 'solana'];
}
