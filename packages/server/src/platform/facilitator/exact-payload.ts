/** Parses the accepted `exact` payloads strictly into one canonical spelling, because later code compares and hashes them. */
import { getTransactionDecoder, type Transaction } from '@solana/transactions';
import type { Hex } from 'viem';
import { getAddress } from 'viem/utils';
import { z } from 'zod';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const address = z
  .string()
  .regex(ADDRESS)
  .transform((text) => getAddress(text.toLowerCase()));
/** Numbers up to 2^256; times are numbers, too. */
const digits = z.string().regex(/^(?:0|[1-9]\d{0,77})$/);
const MOST_SIGNATURE_BYTES = 4096;

const authorizedTransfer = z.object({
  signature: z
    .string()
    .regex(/^0x(?:[0-9a-fA-F]{2})+$/)
    .max(2 + 2 * MOST_SIGNATURE_BYTES)
    .transform((text) => spellSignature(text.toLowerCase() as Hex)),
  authorization: z.object({
    from: address,
    to: address,
    value: digits,
    validAfter: digits,
    validBefore: digits,
    nonce: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/)
      .transform((text) => text.toLowerCase() as Hex),
  }),
});

export type AuthorizedTransfer = z.output<typeof authorizedTransfer>;

export const ECDSA_HEX_LENGTH = 2 + 2 * 65;

/** Some wallets end an ECDSA signature in 0 or 1; USDC accepts only 27 and 28. */
function spellSignature(signature: Hex): Hex {
  if (signature.length !== ECDSA_HEX_LENGTH) return signature;
  const parity = Number.parseInt(signature.slice(-2), 16);
  return parity < 2 ? `${signature.slice(0, -2) as Hex}${(parity + 27).toString(16)}` : signature;
}

export function readAuthorizedTransfer(payload: Readonly<Record<string, unknown>>): AuthorizedTransfer | undefined {
  return authorizedTransfer.safeParse(payload).data;
}

/** With Permit2 the payer gives a third-party contract an unlimited approval, so we do not offer it. */
export function isPermit2(payload: Readonly<Record<string, unknown>>): boolean {
  return 'permit2Authorization' in payload;
}

export interface PartialTransaction {
  /** Base64 in its canonical spelling. */
  readonly wire: string;
  readonly transaction: Transaction;
}

/** Size of one packet on Solana's network. */
const MOST_TRANSACTION_BYTES = 1232;
const partialTransaction = z.object({ transaction: z.base64().max(Math.ceil(MOST_TRANSACTION_BYTES / 3) * 4) });

export function readPartialTransaction(payload: Readonly<Record<string, unknown>>): PartialTransaction | undefined {
  const wire = partialTransaction.safeParse(payload).data?.transaction;
  if (wire === undefined) return undefined;
  const bytes = Buffer.from(wire, 'base64');
  if (bytes.length === 0 || bytes.length > MOST_TRANSACTION_BYTES) return undefined;
  try {
    return { wire: bytes.toString('base64'), transaction: getTransactionDecoder().decode(bytes) };
  } catch {
    return undefined;
  }
}
