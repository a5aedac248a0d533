/**
 * The identity of a payment, independent of envelope and signature. It is the payer, nonce, token and chain of an authorisation, or the
 * message of a Solana transaction.
 */
import { createHash } from 'node:crypto';
import { getCompiledTransactionMessageDecoder } from '@solana/transaction-messages';
import { readAuthorizedTransfer, readPartialTransaction } from './exact-payload.ts';
import type { StandardPayment } from './facilitator.ts';

export function nameAuthorization({ requirement, payload }: StandardPayment): string | undefined {
  const transfer = readAuthorizedTransfer(payload);
  if (transfer === undefined) return undefined;
  const { from, nonce } = transfer.authorization;
  return `eip3009:${requirement.network}:${requirement.asset.toLowerCase()}:${from.toLowerCase()}:${nonce}`;
}

export function nameTransaction({ payload }: StandardPayment): string | undefined {
  const read = readPartialTransaction(payload);
  return read && `svm:${createHash('sha256').update(Uint8Array.from(read.transaction.messageBytes)).digest('hex')}`;
}

/** The wallet that a payload names as its payer, unverified. */
export function readNamedPayer(payload: StandardPayment['payload']): string | undefined {
  return readAuthorizedTransfer(payload)?.authorization.from ?? readSecondSigner(payload);
}

/** The first signer of a Solana payment is our sponsor; at most one more follows. */
function readSecondSigner(payload: StandardPayment['payload']): string | undefined {
  const read = readPartialTransaction(payload);
  if (read === undefined) return undefined;
  try {
    const { header, staticAccounts } = getCompiledTransactionMessageDecoder().decode(read.transaction.messageBytes);
    return header.numSignerAccounts === 2 ? staticAccounts[1] : undefined;
  } catch {
    return undefined;
  }
}
