/** The name of the payment that a request carries: the same payment again has the same name, whatever it buys. */
import { MarketError } from '@market/contract';
import { standardOffer } from '../offers/offers.ts';
import type { X402Context } from '../x402-context.ts';
import { classifyPayment, type PaymentHeaders } from './classify-payment.ts';

export interface NamedPayment {
  /** A transfer is on chain already; a signed payment is not. */
  readonly kind: 'transfer' | 'payment';
  readonly caip2: string;
  readonly name: string;
}

/** Undefined where the request carries no payment, or none that its handler would take. */
export function namePayment(context: X402Context, headers: PaymentHeaders): NamedPayment | undefined {
  try {
    const payment = classifyPayment(headers, context.chains);
    if (payment.kind === 'none') return undefined;
    const chain = context.chains.get(payment.network);
    if (chain === undefined) return undefined;
    const name =
      payment.kind === 'transfer'
        ? chain.canonicalReference(payment.reference)
        : context.facilitator.identityOf({ ...payment, requirement: standardOffer(chain, context.facilitator, 1n) });
    return name === undefined ? undefined : { kind: payment.kind === 'transfer' ? 'transfer' : 'payment', caip2: chain.caip2, name };
  } catch (error) {
    if (error instanceof MarketError) return undefined;
    throw error;
  }
}
