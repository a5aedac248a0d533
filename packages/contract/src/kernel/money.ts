/** Money is integer micro-USDC. Floating point never touches it. */

const MICROS_PER_USD = 1_000_000n;

/** `5500000n` → `"5.50"`: two decimals, more only where they are not zero. */
export function formatUsd(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const magnitude = micros < 0n ? -micros : micros;
  const whole = magnitude / MICROS_PER_USD;
  const fraction = (magnitude % MICROS_PER_USD).toString().padStart(6, '0');
  return `${sign}${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}
