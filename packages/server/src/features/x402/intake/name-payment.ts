/** The name of the payment that a request carries: the same payment again has the same name, whatever it buys. */
import { MarketError } from '@market/contract';
import { readNamedPayer } from '../../../platform/facilitator/payment-identity.ts';
import { standardOffer } from '../offers/offers.ts';
import type { X402Context } from '../x402-context.ts';
import { classifyPayment, type PaymentHeaders, type PresentedPayment } from './classify-payment.ts';

export interface NamedPayment {
  /** A transfer is on chain already; a signed payment is not. */
  readonly kind: 'transfer' | 'payment';
  readonly caip2: string;
  readonly name: string;
}

/** Undefined where the request carries no payment, or none that its handler would take. */
export function namePayment(context: X402Context, headers: PaymentHeaders): NamedPayment | undefined {
  return readPayment(context, headers)?.named;
}

/**
 * Tells anonymous callers apart who share a client address. An honest repeat may sign anew, so a signed payment stands for the wallet that
 * it names. A transfer stands for itself: its payer is known only on chain.
 */
export function namePayer(context: X402Context, headers: PaymentHeaders): string | undefined {
  const read = readPayment(context, headers);
  if (read === undefined) return undefined;
  const { presented, named } = read;
  const payer = presented.kind === 'standard' ? readNamedPayer(presented.payload) : undefined;
  return payer === undefined ? `${named.kind} ${named.caip2} ${named.name}` : `payer ${named.caip2} ${payer}`;
}

function readPayment(
  context: X402Context,
  headers: PaymentHeaders,
): { readonly presented: PresentedPayment; readonly named: NamedPayment } | undefined {
  try {
    const presented = classifyPayment(headers, context.chains);
    if (presented.kind === 'none') return undefined;
    const chain = context.chains.get(presented.network);
    if (chain === undefined) return undefined;
    const isTransfer = presented.kind === 'transfer';
    const name = isTransfer
      ? chain.canonicalReference(presented.reference)
      : context.facilitator.identityOf({ ...presented, requirement: standardOffer(chain, context, 1n) });
    return name === undefined ? undefined : { presented, named: { kind: isTransfer ? 'transfer' : 'payment', caip2: chain.caip2, name } };
  } catch (error) {
    if (error instanceof MarketError) return undefined;
    throw error;
  }
}
