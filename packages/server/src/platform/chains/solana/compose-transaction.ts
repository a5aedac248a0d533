/** Instructions → a transaction that one key pays for and signs. */
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
): Promise<{ readonly reference: string; readonly bytes: string }> {
  const payer = signer.address as Address;
  const transaction = composeTransaction(payer, lifetime, instructions);
  const signature = await signChecked(signer, Uint8Array.from(transaction.messageBytes));
  const signatures = { [payer]: signature } as Transaction['signatures'];
  return { reference: base58.encode(signature), bytes: getBase64EncodedWireTransaction({ ...transaction, signatures }) };
}
