/**
 * The names of a payment. One follows from its content: the same payment again has the same name, whatever it buys. Another comes from the
 * client, by the extension `payment-identifier` of version 2 or an Idempotency-Key. The same name again means the same purchase, even with
 * another payment.
 */
import { MarketError } from '@market/contract';
import { z } from 'zod';
import type { Call } from '../../../access/call.ts';
import type { Chain } from '../../../platform/chains/chain.ts';
import { readNamedPayer } from '../../../platform/facilitator/payment-identity.ts';
import { isUnguessable } from '../../../platform/idempotency/unguessable.ts';
import { standardOffer } from '../offers/offers.ts';
import type { X402Context } from '../x402-context.ts';
import { type PaymentHeaders, type PresentedPayment, type PresentedStandard, readPayment } from './read-payment.ts';
import type { Identifier, PaymentKey } from './repository.ts';

export interface NamedPayment {
  /** A transfer is on chain already; a signed payment is not. */
  readonly kind: 'transfer' | 'payment';
  readonly caip2: string;
  readonly name: string;
}

/** Undefined where the request carries no payment, or none that its handler would take. */
export function namePayment(context: X402Context, headers: PaymentHeaders): NamedPayment | undefined {
  return readNamed(context, headers)?.named;
}

/**
 * Tells anonymous callers apart who share a client address. An honest repeat may sign anew, so a signed payment stands for the wallet that
 * it names. A transfer stands for itself: its payer is known only on chain.
 */
export function namePayer(context: X402Context, headers: PaymentHeaders): string | undefined {
  const read = readNamed(context, headers);
  if (read === undefined) return undefined;
  const { presented, named } = read;
  const payer = presented.kind === 'standard' ? readNamedPayer(presented.payload) : undefined;
  return payer === undefined ? `${named.kind} ${named.caip2} ${named.name}` : `payer ${named.caip2} ${payer}`;
}

function readNamed(
  context: X402Context,
  headers: PaymentHeaders,
): { readonly presented: PresentedPayment; readonly named: NamedPayment } | undefined {
  try {
    const presented = readPayment(headers, context.chains);
    if (presented.kind === 'none') return undefined;
    const chain = context.chains.get(presented.network);
    if (chain === undefined) return undefined;
    const isTransfer = presented.kind === 'transfer';
    const name = isTransfer ? chain.canonicalReference(presented.reference) : aliasOf(context, chain, presented);
    return name === undefined ? undefined : { presented, named: { kind: isTransfer ? 'transfer' : 'payment', caip2: chain.caip2, name } };
  } catch (error) {
    if (error instanceof MarketError) return undefined;
    throw error;
  }
}

/** The names of one presented payment: its own, and the one that its client gives it. */
export interface PaymentNames {
  readonly key: PaymentKey;
  readonly identifier: Identifier | undefined;
}

export function namesOf(context: X402Context, call: Call, presented: PresentedStandard): PaymentNames {
  const identifier = identifierOf(context, call, presented);
  const chain = requireChain(context, presented);
  const alias = aliasOf(context, chain, presented);
  if (alias === undefined) throw new MarketError('invalid_payment_header');
  return { key: { caip2: chain.caip2, alias }, identifier };
}

export function requireChain({ chains }: Pick<X402Context, 'chains'>, { network }: Pick<PresentedPayment, 'network'>): Chain {
  const chain = chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  return chain;
}

/** The name does not depend on the price: an earlier payment is found after the price changed. */
export function aliasOf(context: X402Context, chain: Chain, { payload }: Pick<PresentedStandard, 'payload'>): string | undefined {
  return context.facilitator.identityOf({ network: chain.network, payload, requirement: standardOffer(chain, context, 1n) });
}

const EXTENSION = 'payment-identifier';
const SHORTEST = 16;
const LONGEST = 128;
const PATTERN = '^[a-zA-Z0-9_-]+$';

/**
 * Tells clients in the challenge that we take a name, and its form. Not the official package: it compiles the schema that a client sends
 * along.
 */
export const paymentIdentifierExtension = {
  [EXTENSION]: {
    info: { required: false },
    schema: {
      type: 'object',
      properties: { id: { type: 'string', minLength: SHORTEST, maxLength: LONGEST, pattern: PATTERN } },
    },
  },
} as const;

/** A client that only echoes our declaration gives no name. */
const given = z.object({ info: z.object({ id: z.string().min(SHORTEST).max(LONGEST).regex(new RegExp(PATTERN)).optional() }) });

/** The client's own name counts first. Without one, an Idempotency-Key names the payment, too. */
function identifierOf({ secrets }: Pick<X402Context, 'secrets'>, call: Call, presented: PresentedStandard): Identifier | undefined {
  const given = readGiven(presented);
  if (given !== undefined) return { spellings: [given], isKeyed: false, isProof: isUnguessable(given) };
  if (call.keyed === undefined) return undefined;
  // Keyed hashes: a client must not give its payment the name of another caller's key.
  const spellings = secrets.lookupHashes(`payment of ${call.keyed.name}`).map((hash) => hash.toString('base64url'));
  return { spellings, isKeyed: true, isProof: call.keyed.isPrivate };
}

function readGiven({ extensions }: PresentedStandard): string | undefined {
  const extension = extensions[EXTENSION];
  if (extension === undefined || extension === null) return undefined;
  const parsed = given.safeParse(extension);
  if (!parsed.success) throw new MarketError('invalid_payment_identifier');
  return parsed.data.info.id;
}
