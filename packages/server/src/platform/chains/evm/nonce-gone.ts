/** Whether signed bytes can never land because another transaction used their account nonce. */
import type { SignedTransfer } from '../chain.ts';
import { readTransactionCount } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { findNonceUser } from './find-nonce-user.ts';

/** Not finding a transaction proves little: nodes lag and forget. Finding the other one in its place does. */
export async function isNonceGone(context: EvmContext, { reference, validity }: SignedTransfer, finalBlock: bigint): Promise<boolean> {
  const nonce = BigInt(validity);
  if ((await readTransactionCount(context, context.treasury, finalBlock)) <= nonce) return false;
  // Our own after all: the next look finds its receipt.
  return (await findNonceUser(context, nonce, finalBlock)) !== reference;
}
