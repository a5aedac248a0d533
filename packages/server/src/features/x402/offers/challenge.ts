/** The 402: the offer in the body, as the endpoint promises it, and in the header, as standard clients read it. */
import { MarketError, type UntrustedText, untrustedTextIn } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import type { Chain } from '../../../platform/chains/chain.ts';
import { createReference, type PurchaseReference } from '../../payments/index.ts';
import type { Purchase } from '../product.ts';
import type { X402Context } from '../x402-context.ts';
import type { ChallengeOptions } from './challenge-options.ts';
import { firstVersionSchema } from './discovery-extension.ts';
import { type FlatOffer, firstVersionAddress, firstVersionOffers, flatOffer, type Offer, orderedChains } from './offers.ts';
import { encodeChallenge, PAYMENT_NEEDED, standardChallenge } from './standard-challenge.ts';

export interface ChallengeReason {
  readonly code?: 'payment_required' | 'payment_rejected';
  readonly message?: string;
  /** Why a payment was refused, as a code of the catalogue or of the facilitator. */
  readonly cause?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function challenge(context: X402Context, offer: Offer, options: ChallengeOptions, reason: ChallengeReason = {}): MarketError {
  const words = reason.message ?? PAYMENT_NEEDED;
  const flat = offersFor(context, offer, options);
  const [first] = flat;
  if (first === undefined) return new MarketError('no_payment_network', { retryAfterSeconds: 60 });
  return new MarketError(reason.code ?? 'payment_required', {
    message: words,
    body: bodyOf(options, flat, first, words, { ...refusalOf(reason, words), ...untrustedMark(offer, options) }),
    headers: {
      'Cache-Control': 'private, no-store',
      ...(options.form === 'flat' && {
        'X-Payment-Scheme': first.scheme,
        'X-Payment-Network': first.network,
        'X-Payment-Asset': first.asset.currency,
      }),
      // Clients read this header before the body, so a version 1 client must not get it.
      ...(options.form !== 'strict' && standardHeader(context, offer, options, words)),
      ...reason.headers,
    },
  });
}

function offersFor(context: X402Context, offer: Offer, options: ChallengeOptions): readonly FlatOffer[] {
  const { network, form, url, reference } = options;
  if (form === 'flat' && network !== undefined && !context.chains.has(network)) throw new MarketError('network_not_available');
  const shown = form === 'strict' ? { ...offer, resource: firstVersionAddress(url) } : offer;
  return orderedChains(context.chains, network)
    .filter((chain) => form !== 'strict' || context.facilitator.networks.includes(chain.network))
    .map((chain) => {
      const flat = flatOffer(chain, context, shown);
      return reference === undefined || form === 'strict' ? flat : withPaymentReference(flat, chain, reference);
    });
}

/** Adds the text by which a transfer can name this purchase. */
export function withReference(
  { secrets, clock }: Pick<X402Context, 'secrets' | 'clock'>,
  { purpose, fingerprint, offer: { amountMicros }, challenge: options }: Purchase,
  caller: Caller,
): ChallengeOptions {
  const named = { purpose, amountMicros, fingerprint, asker: askerOf(caller) };
  return { ...options, reference: createReference(secrets, named, clock.now()) };
}

/**
 * The agent, program or account that asks for the price and will present the transfer. A wallet's signature is left out: another wallet may
 * pay, and may or may not sign each call.
 */
export function askerOf(caller: Caller | undefined): string | null {
  if (caller?.agent !== undefined) return caller.agent.id;
  if (caller?.connection !== undefined) return caller.connection.id;
  return caller?.user?.id ?? null;
}

/** Adds the reference text, and where a transfer on this chain carries it. */
function withPaymentReference(offer: FlatOffer, { kind }: Chain, { text, expiresAt }: PurchaseReference): FlatOffer {
  const carriedAs = kind === 'solana' ? 'memo' : 'calldata_suffix';
  return { ...offer, extra: { ...offer.extra, paymentReference: { text, carriedAs, expiresAt: expiresAt.toISOString() } } };
}

/**
 * Marks the description of a hire as untrusted, because it contains the title of the service. The strict form of version 1 has no field for
 * this mark.
 */
function untrustedMark({ bySeller }: Offer, { form }: ChallengeOptions): { readonly untrusted_text?: UntrustedText } {
  if (bySeller !== true || form === 'strict') return {};
  return { untrusted_text: untrustedTextIn([form === 'flat' ? '/description' : '/accepts/*/description']) };
}

/** Fields that explain a refused payment, on every 402. */
function refusalOf({ code, cause }: ChallengeReason, words: string): Record<string, unknown> {
  return code === 'payment_rejected' ? { error: words, code, ...(cause !== undefined && { reason: cause }) } : {};
}

function bodyOf(
  { form, method, outputSchema }: ChallengeOptions,
  flat: readonly FlatOffer[],
  first: FlatOffer,
  words: string,
  beside: Record<string, unknown>,
): Record<string, unknown> {
  if (form === 'flat') return { ...first, ...beside };
  if (form === 'accepts') return { x402Version: 1, error: words, ...beside, accepts: flat };
  // In version 1, `error` explains a refused payment; a missing payment has none.
  return {
    x402Version: 1,
    ...(words !== PAYMENT_NEEDED && { error: words }),
    accepts: firstVersionOffers(flat, outputSchema ?? firstVersionSchema(method)),
  };
}

function standardHeader(context: X402Context, offer: Offer, options: ChallengeOptions, words: string): Record<string, string> {
  const required = standardChallenge(context, offer, options, words);
  return required === undefined ? {} : { 'PAYMENT-REQUIRED': encodeChallenge(required) };
}
