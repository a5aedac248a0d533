/** Decides whether a standard payment pays for a purchase. It must match our own requirement, at a price we honour. */
import { MarketError } from '@market/contract';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import type { StandardPayment } from '../../../platform/facilitator/facilitator.ts';
import { readNamedPayer } from '../../../platform/facilitator/payment-identity.ts';
import { challenge } from '../offers/challenge.ts';
import { type StandardOffer, standardOffer } from '../offers/offers.ts';
import type { Price, Purchase } from '../product.ts';
import type { X402Context } from '../x402-context.ts';
import type { AcceptedOffer, PresentedStandard } from './read-payment.ts';
import { receiptHeader } from './receipts.ts';

export interface HonouredOffer {
  readonly requirement: StandardOffer;
  readonly price: Price;
}

/** A refused payment is answered with a new challenge. */
export type StandardVerdict =
  | {
      readonly valid: true;
      readonly honoured: HonouredOffer;
      readonly payer: string;
      /** The transaction by which somebody else than we settled it. Since then everybody can copy the payment. */
      readonly landedIn?: string;
    }
  | { readonly valid: false; readonly refusal: MarketError };

/** A payment that a third party broadcast first has still paid us. */
export async function judgeStandardPayment(
  context: X402Context,
  purchase: Purchase,
  presented: PresentedStandard,
): Promise<StandardVerdict> {
  const { network, payload } = presented;
  const offers = offersFor(context, purchase, presented);
  if (offers === undefined) {
    const refusal = rejected(context, purchase, presented, 'invalid_payment_requirements', 'The accepted offer is not one of ours.');
    return { valid: false, refusal };
  }
  let refusal: MarketError | undefined;
  try {
    for (const honoured of offers) {
      const payment: StandardPayment = { network, requirement: honoured.requirement, payload };
      const verified = await context.facilitator.verify(payment);
      if (verified.valid) return { valid: true, honoured, payer: verified.payer };
      const preempted = await findPreempted(context, payment);
      if (preempted !== undefined) return { valid: true, honoured, ...preempted };
      refusal ??= rejected(context, purchase, presented, verified.reason, verified.message);
    }
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('chain_unavailable', { retryAfterSeconds: 5, cause: error });
    throw error;
  }
  if (refusal === undefined) throw new Error('a purchase has at least one price');
  return { valid: false, refusal };
}

export function rejected(
  context: X402Context,
  purchase: Purchase,
  presented: PresentedStandard,
  reason: string,
  message: string,
): MarketError {
  const network = context.chains.get(presented.network)?.caip2 ?? '';
  return challenge(context, purchase.offer, purchase.challenge, {
    code: 'payment_rejected',
    cause: reason,
    message: reason === message ? reason : `${reason}: ${message}`,
    headers: receiptHeader(presented, { success: false, transaction: '', network, errorReason: reason }),
  });
}

/** Finds a settlement by a third party. Its payer is the wallet that authorised it: the transaction may carry payments of others. */
async function findPreempted(
  context: X402Context,
  payment: StandardPayment,
): Promise<{ readonly payer: string; readonly landedIn: string } | undefined> {
  const landedIn = await context.facilitator.findPreempted(payment);
  const payer = landedIn === undefined ? undefined : readNamedPayer(payment.payload);
  return landedIn === undefined || payer === undefined ? undefined : { payer, landedIn };
}

/**
 * Our requirements at today's price and at one shown a moment ago. Undefined when a version 2 client chose another requirement. A version 1
 * payment on Solana does not say which price it was shown, so either will do.
 */
function offersFor(context: X402Context, { prices }: Purchase, presented: PresentedStandard): readonly HonouredOffer[] | undefined {
  const chain = context.chains.get(presented.network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const offers = prices.map((price) => ({ price, requirement: standardOffer(chain, context, price.amountMicros) }));
  const { accepted } = presented;
  const wanted = accepted?.amount ?? signedAmount(presented.payload);
  if (wanted === undefined) return offers;
  const chosen = offers.find(({ requirement }) => requirement.amount === wanted) ?? offers[0];
  if (chosen === undefined) return [];
  return accepted !== undefined && !isSameOffer(accepted, chosen.requirement) ? undefined : [chosen];
}

/** The amount that an EIP-3009 authorisation names: version 1 does not say which price it was shown. */
function signedAmount(payload: Readonly<Record<string, unknown>>): string | undefined {
  const authorization = payload['authorization'];
  const value =
    typeof authorization === 'object' && authorization !== null ? (authorization as Record<string, unknown>)['value'] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function isSameOffer(accepted: AcceptedOffer, ours: StandardOffer): boolean {
  const sameExtra = Object.entries(ours.extra).every(([name, value]) => JSON.stringify(accepted.extra[name]) === JSON.stringify(value));
  return (
    sameExtra &&
    accepted.scheme === ours.scheme &&
    accepted.network === ours.network &&
    accepted.amount === ours.amount &&
    accepted.asset === ours.asset &&
    accepted.payTo === ours.payTo &&
    accepted.maxTimeoutSeconds === ours.maxTimeoutSeconds
  );
}
