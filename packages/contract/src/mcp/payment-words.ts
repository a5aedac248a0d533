/** Messages for callers of tools instead of those about HTTP headers: tools have arguments and `_meta`. */
import type { ErrorCode } from '../errors.ts';

const inMeta = '_meta["x402/payment"]';

const words: Partial<Record<ErrorCode, string>> = {
  payment_required: `Payment required. Repeat this call with an x402 payment of version 2 in ${inMeta}.`,
  invalid_payment_header: `The payment is neither a transaction reference in tx_signature nor an x402 payment of version 1 or 2 in ${inMeta}.`,
  ambiguous_payment: `Send one payment: either ${inMeta} or tx_signature.`,
  payment_network_mismatch: 'chain names a network this transaction reference cannot belong to.',
  brief_required: 'A paid hire needs brief or requirements. Nothing was taken.',
};

const SPEAKS_OF_HEADERS = /\bheader\b|\bX-[A-Z]|PAYMENT-SIGNATURE/i;

/** Returns the message of a refusal, or its version for tools if it names headers. */
export function wordsForTools(code: string, message: string): string {
  return SPEAKS_OF_HEADERS.test(message) ? (words[code as ErrorCode] ?? message) : message;
}
