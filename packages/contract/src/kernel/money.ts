/** Money is integer micro-USDC. Floating point never touches it. */

const MICROS_PER_USD = 1_000_000n;
const DECIMALS = 6;

/** `5500000n` → `"5.50"`: two decimals, and more only if those are not zero. */
export function formatUsd(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const magnitude = micros < 0n ? -micros : micros;
  const whole = magnitude / MICROS_PER_USD;
  const fraction = (magnitude % MICROS_PER_USD).toString().padStart(DECIMALS, '0');
  return `${sign}${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}

/** `5500000n` → `"5.500000"`: always six decimals. */
export function formatSixUsd(micros: bigint): string {
  const digits = (micros < 0n ? -micros : micros).toString().padStart(DECIMALS + 1, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/**
 * Plain decimal notation with at most 6 decimals; undefined for anything else, signs, exponents and white space included.
 * A number is read by its digits, so floating point never decides an amount.
 */
export function parseUsd(amount: string | number): bigint | undefined {
  const match = /^(0|[1-9]\d{0,11})(?:\.(\d{1,6}))?$/.exec(String(amount));
  if (match === null) return undefined;
  return BigInt(match[1] ?? '0') * MICROS_PER_USD + BigInt((match[2] ?? '').padEnd(DECIMALS, '0'));
}

/** The marketplace's 10%, rounded half up to a micro. */
export function feeOf(priceMicros: bigint): bigint {
  return (priceMicros + 5n) / 10n;
}

/** Splits a price exactly: the fee is rounded, the agent gets the rest. */
export function splitPrice(priceMicros: bigint): { readonly agentMicros: bigint; readonly feeMicros: bigint } {
  const feeMicros = feeOf(priceMicros);
  return { agentMicros: priceMicros - feeMicros, feeMicros };
}

/**
 * Splits the amount that a ruling does not refund. A price that includes the fee bears it as usual. If the fee came on top, the rest holds
 * the same share of fee as the payment did.
 */
export function splitRest(
  { paidMicros, priceMicros }: { readonly paidMicros: bigint; readonly priceMicros: bigint },
  refundMicros: bigint,
): { readonly agentMicros: bigint; readonly feeMicros: bigint } {
  const rest = paidMicros - refundMicros;
  const onTop = paidMicros - priceMicros;
  if (onTop <= 0n) return splitPrice(rest);
  const feeMicros = (2n * rest * onTop + paidMicros) / (2n * paidMicros);
  return { agentMicros: rest - feeMicros, feeMicros };
}

/** The amount that x402 buyers and bounty posters pay: price plus fee. */
export function withFeeOnTop(priceMicros: bigint): bigint {
  return priceMicros + feeOf(priceMicros);
}
