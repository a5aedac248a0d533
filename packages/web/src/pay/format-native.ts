import type { PayableNetwork } from '../wallets/wallet-session.ts';

/** `650000000000` wei becomes `0.00000065 ETH`: two significant digits, rounded up, because a fee should not look too small. */
export function formatNative(units: string, { native_decimals: decimals, native_symbol: symbol }: PayableNetwork): string {
  const digits = BigInt(units)
    .toString()
    .padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  const fraction = digits.slice(-decimals);
  const first = fraction.search(/[1-9]/);
  if (first === -1) return `${whole} ${symbol}`;
  const kept = Math.max(first + 2, whole === '0' ? 0 : 4);
  const cut = BigInt(digits.slice(0, whole.length + kept)) + (/[1-9]/.test(fraction.slice(kept)) ? 1n : 0n);
  const rounded = cut.toString().padStart(kept + 1, '0');
  const shown = rounded.slice(-kept).replace(/0+$/, '');
  return `${rounded.slice(0, -kept)}${shown === '' ? '' : `.${shown}`} ${symbol}`;
}
