/** Gas of a native transfer: constant for a key's address; for a contract, its code decides. */
import { type OutgoingTransfer, TransferRefused } from '../chain.ts';
import { estimateGas, readNativeBalance } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';
import { requirePayable } from './require-payable.ts';
import { requireCoins } from './treasury-transaction.ts';

export async function estimateNativeGas(context: EvmContext, transfer: OutgoingTransfer): Promise<bigint> {
  const { network, treasury } = context;
  const to = requirePayable(context, transfer);
  // Nodes simulate the transfer, and each words a lack of coins in its own way.
  requireCoins(context, await readNativeBalance(context, treasury), transfer.amount);
  try {
    return await estimateGas(context, { from: treasury, to, data: '0x', value: transfer.amount });
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
    throw new TransferRefused('destination', `The contract ${to} on ${network} does not take ETH: ${error.reason}`, error);
  }
}
