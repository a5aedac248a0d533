/** Whether signed bytes can never land because another transaction used their account nonce. */
import type { SignedTransfer } from '../chain.ts';
import { readTransactionCount } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { findNonceUser } from './find-nonce-user.ts';

/** A missing transaction proves little: nodes lag and forget. Finding another transaction with its nonce proves it. */
export async function isNonceGone(context: EvmContext, { reference, validity }: SignedTransfer, finalBlock: bigint): Promise<boolean> {
  const nonce = BigInt(validity);
  if ((await readTransactionCount(context, context.treasury, finalBlock)) <= nonce) return false;
  // If our own transaction used it, the next look finds its receipt.
  return (await findNonceUser(context, nonce, finalBlock)) !== reference;
}
