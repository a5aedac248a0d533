/**
 * The native coin leaves in a plain transaction, and no contract refuses a second one for the same intent. Only the account nonce does:
 * these bytes land with their nonce or never. So nothing is signed again until another transaction has used that nonce in a final block.
 * `readNativeOutcome` proves this before it returns `expired`.
 */
import type { OutgoingTransfer, SignedTransfer } from '../chain.ts';
import type { EvmSigner } from '../treasury-signer.ts';
import { readNativeBalance, readTransactionCount } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { estimateFees } from './fees.ts';
import { estimateNativeGas } from './native-gas.ts';
import { requirePayable } from './require-payable.ts';
import { addGasMargin, requireCoins, sealTransaction } from './treasury-transaction.ts';

export async function signNativeTransfer(context: EvmContext, signer: EvmSigner, transfer: OutgoingTransfer): Promise<SignedTransfer> {
  const { amount } = transfer;
  // Offers the whole ceiling from the start, because these bytes are never replaced.
  const fees = { ...(await estimateFees(context)), maxFeePerGas: context.maxFeePerGas };
  const gas = addGasMargin(await estimateNativeGas(context, transfer));
  requireCoins(context, await readNativeBalance(context, context.treasury), amount + gas * fees.maxFeePerGas);
  const nonce = await readTransactionCount(context, context.treasury, 'pending');
  return await sealTransaction(context, signer, { to: requirePayable(context, transfer), value: amount, data: '0x', gas, fees, nonce });
}
