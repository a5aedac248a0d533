/** Estimates the cost of a treasury transfer. Signs nothing: a node could use a signed authorisation to move money. */
import type { Hex } from 'viem';
import type { OutgoingTransfer } from '../chain.ts';
import { estimateGas } from './ask-node.ts';
import { readDataFee } from './data-fee.ts';
import type { EvmContext } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';
import { explainRefusal } from './explain-refusal.ts';
import { readGasPrice } from './fees.ts';
import { estimateNativeGas } from './native-gas.ts';
import { requirePayable } from './require-payable.ts';
import { encodePlainTransfer } from './usdc.ts';

/** Extra gas over a plain USDC transfer: the longer call, checking the signature, and storing the authorisation's nonce. */
const AUTHORIZATION_GAS = 40_000n;
/** Sizes of the transactions that `sealTransaction` signs, rounded up. */
const NATIVE_BYTES = 128n;
const USDC_BYTES = 448n;

export async function estimateFee(context: EvmContext, transfer: OutgoingTransfer): Promise<bigint> {
  const isNative = transfer.asset === 'native';
  const gas = await (isNative ? estimateNativeGas : estimateUsdcGas)(context, transfer);
  const [price, dataFee] = await Promise.all([readGasPrice(context), readDataFee(context, isNative ? NATIVE_BYTES : USDC_BYTES)]);
  return gas * price + dataFee;
}

async function estimateUsdcGas(context: EvmContext, transfer: OutgoingTransfer): Promise<bigint> {
  const to: Hex = requirePayable(context, transfer);
  try {
    const data = encodePlainTransfer(to, transfer.amount);
    return AUTHORIZATION_GAS + (await estimateGas(context, { from: context.treasury, to: context.usdc, data }));
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
    throw await explainRefusal(context, transfer, error);
  }
}
