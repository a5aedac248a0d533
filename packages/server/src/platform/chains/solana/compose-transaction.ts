/** Builds a transaction from instructions; its signer pays, or a second key does. */
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

/** A placeholder for simulations, in which the node inserts its own blockhash. */
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

/** The unsigned transaction in base64. */
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
  // The fee payer's signature comes first and is the reference of the transaction.
  const reference = base58.encode(signatures[feePayer.address] ?? new Uint8Array());
  return { reference, bytes: getBase64EncodedWireTransaction({ ...transaction, signatures: signatures as Transaction['signatures'] }) };
}
