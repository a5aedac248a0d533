/** Gas price limits of a transaction. */
import { formatGwei } from 'viem/utils';
import { ChainUnavailable } from '../chain.ts';
import { askNode } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { feeHistoryAnswer } from './node-answers.ts';

export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

const BLOCKS = '0x5';
const MEDIAN = 50;
const GWEI = 10n ** 9n;
const LEAST_TIP = GWEI / 1000n;
const LARGEST_TIP = GWEI;

/** A node accepts a replacement only if it raises both fees by a tenth or more; doubling satisfies every node. */
const RAISE = 2n;

/**
 * Offers half of the ceiling at first, if that covers today's price twice. The chain takes only the block's fee and the tip. A transaction
 * that gets stuck can still be replaced by one that offers the whole ceiling.
 */
export async function estimateFees(context: EvmContext): Promise<Fees> {
  const { maxFeePerGas: ceiling } = context;
  const { nextBaseFee, tip } = await readAffordablePrices(context);
  const roomy = ceiling / RAISE;
  return { maxFeePerGas: (nextBaseFee + tip) * 2n <= roomy ? roomy : ceiling, maxPriorityFeePerGas: tip };
}

/** Fees of a replacement for `offered` under the same account nonce; undefined when `offered` is already our maximum. */
export async function raiseFees(context: EvmContext, offered: Fees): Promise<Fees | undefined> {
  const { maxFeePerGas: ceiling } = context;
  const raised = offered.maxFeePerGas * RAISE;
  if (raised > ceiling) return undefined;
  const { tip } = await readAffordablePrices(context);
  const doubled = offered.maxPriorityFeePerGas * RAISE;
  return { maxFeePerGas: ceiling, maxPriorityFeePerGas: clamp(tip, doubled, ceiling) };
}

type Prices = { readonly nextBaseFee: bigint; readonly tip: bigint };

/** Throws when the next block costs more than our limit. Fees of one transaction must come from one reading. */
export async function readAffordablePrices(context: EvmContext): Promise<Prices> {
  const { network, maxFeePerGas } = context;
  const prices = await readPrices(context);
  if (prices.nextBaseFee + prices.tip <= maxFeePerGas) return prices;
  const message = `fees are at ${formatGwei(prices.nextBaseFee)} gwei, above the limit of ${formatGwei(maxFeePerGas)} gwei`;
  throw new ChainUnavailable(network, message);
}

/** The expected price of a unit of gas in the next block. */
export async function readGasPrice(context: EvmContext): Promise<bigint> {
  const { nextBaseFee, tip } = await readPrices(context);
  return nextBaseFee + tip;
}

export async function readPrices(context: EvmContext): Promise<Prices> {
  const { baseFeePerGas, reward } = await askNode(context, 'eth_feeHistory', [BLOCKS, 'latest', [MEDIAN]], feeHistoryAnswer);
  return { nextBaseFee: baseFeePerGas.at(-1) ?? 0n, tip: clamp(median((reward ?? []).flat()), LEAST_TIP, LARGEST_TIP) };
}

function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : 1));
  return sorted[Math.floor(sorted.length / 2)] ?? 0n;
}

function clamp(value: bigint, least: bigint, largest: bigint): bigint {
  if (value < least) return least;
  return value > largest ? largest : value;
}
