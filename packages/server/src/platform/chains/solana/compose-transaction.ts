/** Instructions → a transaction that one key pays for and signs, or a second one pays for. */
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import {
  appendTransactionMessageInstructions,
  type BlockhashLifetimeConstraint,
  createTransactionMessage,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/transaction-messages';
import { compileTransaction, getBase64EncodedWireTransaction, type Transaction } from '@solana/transactions';
import { SYSTEM_PROGRAM } from './programs.ts';
import { type SolanaSigner, signChecked } from './solana-signer.ts';

/** For a trial run, in which the node puts in a blockhash of its own. */
const ANY_BLOCKHASH: BlockhashLifetimeConstraint = {
  blockhash: SYSTEM_PROGRAM as string as BlockhashLifetimeConstraint['blockhash'],
  lastValidBlockHeight: 0n,
};

export function composeTransaction(
  payer: Address,
  lifetime: BlockhashLifetimeConstraint,
  instructions: readonly Instruction[],
): Transaction {
  const paid = setTransactionMessageFeePayer(payer, createTransactionMessage({ version: 'legacy' }));
  return compileTransaction(
    appendTransactionMessageInstructions(instructions, setTransactionMessageLifetimeUsingBlockhash(lifetime, paid)),
  );
}

/** Base64 without signatures. */
export function composeTrial(payer: Address, instructions: readonly Instruction[]): string {
  return getBase64EncodedWireTransaction(composeTransaction(payer, ANY_BLOCKHASH, instructions));
}

export async function composeSigned(
  signer: SolanaSigner,
  lifetime: BlockhashLifetimeConstraint,
  instructions: readonly Instruction[],
  feePayer: SolanaSigner = signer,
): Promise<{ readonly reference: string; readonly bytes: string }> {
  const transaction = composeTransaction(feePayer.address as Address, lifetime, instructions);
  const message = Uint8Array.from(transaction.messageBytes);
  const signatures: Record<string, Uint8Array> = { ...transaction.signatures } as Record<string, Uint8Array>;
  for (const one of new Set([signer, feePayer])) signatures[one.address] = await signChecked(one, message);
  // The fee payer's signature comes first and names the transaction.
  const reference = base58.encode(signatures[feePayer.address] ?? new Uint8Array());
  return { reference, bytes: getBase64EncodedWireTransaction({ ...transaction, signatures: signatures as Transaction['signatures'] }) };
}
