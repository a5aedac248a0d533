/**
 * Reads the payment headers: nothing, the reference of a transfer, or a standard x402 payment of either version. A reference is short and
 * of one alphabet, a payment is several hundred characters of base64, so the two cannot be confused.
 */
import { isDeepStrictEqual } from 'node:util';
import { MarketError, type NetworkName, networkFacts, networkNames, usualNetwork } from '@market/contract';
import { z } from 'zod';
import type { Chain } from '../../../platform/chains/chain.ts';
import { type NamedNetwork, networkChosen } from '../offers/challenge-options.ts';

export interface PaymentHeaders extends NamedNetwork {
  readonly x_payment?: string | undefined;
  readonly payment_signature?: string | undefined;
}

/** The offer that a version 2 client chose, as it echoes it. */
export type AcceptedOffer = z.output<typeof acceptedOffer>;

/** The reference of a transfer that was made beforehand. */
export interface PresentedTransfer {
  readonly kind: 'transfer';
  readonly network: NetworkName;
  readonly reference: string;
}

/** A signed x402 payment that is not broadcast yet. */
export interface PresentedStandard {
  readonly kind: 'standard';
  readonly version: 1 | 2;
  readonly network: NetworkName;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Version 1 does not echo it. */
  readonly accepted: AcceptedOffer | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
}

export type PresentedPayment = PresentedTransfer | PresentedStandard;

const anyObject = z.record(z.string(), z.unknown());
const digits = z.string().regex(/^(0|[1-9]\d{0,30})$/, 'amount must be digits');

const acceptedOffer = z.object({
  scheme: z.string().max(40),
  network: z.string().max(100),
  amount: digits,
  asset: z.string().max(100),
  payTo: z.string().max(100),
  maxTimeoutSeconds: z.number(),
  extra: anyObject.default({}),
});

const standardPayment = z.discriminatedUnion('x402Version', [
  z.object({ x402Version: z.literal(1), scheme: z.string().max(40), network: z.string().max(100), payload: anyObject }),
  z.object({ x402Version: z.literal(2), accepted: acceptedOffer, payload: anyObject, extensions: anyObject.optional() }),
]);

export function readPayment(
  headers: PaymentHeaders,
  chains: ReadonlyMap<NetworkName, Chain>,
): PresentedPayment | { readonly kind: 'none' } {
  const older = textOf(headers.x_payment);
  const newer = textOf(headers.payment_signature);
  // Clients that serve both versions send one payment under both names.
  if (older !== undefined && newer !== undefined && !isSamePayment(older, newer)) throw new MarketError('ambiguous_payment');
  const text = newer ?? older;
  if (text === undefined) return { kind: 'none' };
  return (older === text ? readTransfer(text, networkChosen(headers, chains)) : undefined) ?? readStandard(text, chains);
}

function textOf(header: string | undefined): string | undefined {
  return header?.trim() || undefined;
}

/** Compares what was signed: the versions wrap the same payload differently, base64 has two alphabets, and JSON many spellings. */
function isSamePayment(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one, other].map((text) => standardPayment.safeParse(decode(text)).data?.payload);
  return first !== undefined && isDeepStrictEqual(first, second);
}

const EVM_HASH = /^0x[0-9a-f]{64}$/i;
const BASE58_SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,90}$/;

/** A 0x hash without a network is Base, as the specification says. */
function readTransfer(text: string, chosen: NetworkName | undefined): PresentedPayment | undefined {
  const shape = EVM_HASH.test(text) ? 'evm' : BASE58_SIGNATURE.test(text) ? 'solana' : undefined;
  if (shape === undefined) return undefined;
  const network = chosen ?? usualNetwork[shape];
  if (networkFacts[network].kind !== shape) throw new MarketError('payment_network_mismatch');
  return { kind: 'transfer', network, reference: text };
}

function readStandard(text: string, chains: ReadonlyMap<NetworkName, Chain>): PresentedPayment {
  const parsed = standardPayment.safeParse(decode(text));
  if (!parsed.success) throw new MarketError('invalid_payment_header');
  const payment = parsed.data;
  const named = payment.x402Version === 1 ? payment.network : payment.accepted.network;
  const network = exactNetwork(payment.x402Version, named, chains);
  if (network === undefined) throw new MarketError('network_not_available', { message: `This service takes no payments on ${named}.` });
  return {
    kind: 'standard',
    version: payment.x402Version,
    network,
    payload: payment.payload,
    accepted: payment.x402Version === 2 ? payment.accepted : undefined,
    extensions: payment.x402Version === 2 ? (payment.extensions ?? {}) : {},
  };
}

/** Version 1 has fixed names; version 2 names networks by CAIP-2, letter for letter. */
function exactNetwork(version: 1 | 2, named: string, chains: ReadonlyMap<NetworkName, Chain>): NetworkName | undefined {
  if (version === 1) {
    return networkNames.find((name) => networkFacts[name].x402v1Name === named || networkFacts[name].aliases.includes(named));
  }
  return [...chains.values()].find(({ caip2 }) => caip2 === named)?.network;
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

function decode(text: string): unknown {
  if (!BASE64.test(text)) return undefined;
  try {
    const bytes = Buffer.from(text, 'base64');
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}
