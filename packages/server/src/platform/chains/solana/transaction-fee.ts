/** Priority fee of a transaction: competitive under normal load, never above a fixed limit. */
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import { setComputeLimit, setComputePrice } from './instructions.ts';
import type { SolanaContext } from './solana-context.ts';

/** Several times the compute units of opening an account, a transfer and a memo. */
const COMPUTE_UNITS = 150_000;
const MIN_PRICE_MICRO_LAMPORTS = 1_000;
/** With the compute limit above at most 0.00015 SOL; for a launch on pump.fun twice that. */
const MAX_PRICE_MICRO_LAMPORTS = 1_000_000;

/** `contended` is the account that other transactions may write at the same time. */
export async function offerFee(
  { rpc }: SolanaContext,
  contended: Address,
  computeUnits = COMPUTE_UNITS,
): Promise<readonly [Instruction, Instruction]> {
  const price = priceAmong(await rpc.listPriorityFees([contended]));
  return [setComputeLimit(computeUnits), setComputePrice(price)];
}

/** The price that three quarters of the recent transactions did not exceed. */
export function priceAmong(recentPrices: readonly number[]): bigint {
  const sorted = recentPrices.toSorted((a, b) => a - b);
  const usual = sorted[Math.floor(sorted.length * 0.75)] ?? 0;
  return BigInt(Math.min(Math.max(usual, MIN_PRICE_MICRO_LAMPORTS), MAX_PRICE_MICRO_LAMPORTS));
}
