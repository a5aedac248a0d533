/**
 * Searches the chain for a payout of an intent by any attempt. Expired attempts should never be found. This is the last check before a
 * payout is signed again, in case a node was wrong about an earlier attempt.
 */
import { ChainUnavailable, type OutgoingTransfer } from '../chain.ts';
import { countGivenLamports } from './judge-native-payout.ts';
import { judgeTransaction } from './judge-transaction.ts';
import { findPayoutMemo, listedMemo } from './payout-memo.ts';
import type { SolanaContext } from './solana-context.ts';
import type { ListedSignature } from './solana-rpc.ts';
import { walkSignatures } from './walk-signatures.ts';

export interface SearchSpan {
  /** The node must have reached this slot. */
  readonly finalSlot: number;
  /** The search ends at this slot. */
  readonly oldestSlot: number;
}

export async function findPaidIntent(context: SolanaContext, transfer: OutgoingTransfer, span: SearchSpan): Promise<string | undefined> {
  const memo = findPayoutMemo(transfer.intentId);
  if (memo === undefined) return undefined; // an id too long for a memo was never signed
  const account = transfer.asset === 'native' ? context.treasury : context.treasuryAccount;
  for await (const page of walkSignatures(context.rpc, account, { minContextSlot: span.finalSlot })) {
    const named = page.filter((entry) => entry.err === null && entry.memo === listedMemo(memo));
    for (const { signature } of named) if (await isOurPayout(context, transfer, signature)) return signature;
    if (isOlder(page.at(-1), span.oldestSlot)) return undefined;
  }
  return undefined;
}

function isOlder(entry: ListedSignature | undefined, slot: number): boolean {
  return entry !== undefined && entry.slot < slot;
}

/** Anyone can add our memo to a transfer to the treasury, even to one that we sponsor. Only our payouts take money out of it. */
async function isOurPayout(context: SolanaContext, transfer: OutgoingTransfer, signature: string): Promise<boolean> {
  const transaction = await context.rpc.findTransaction(signature);
  if (transaction === null || transaction.transaction.signatures[0] !== signature) {
    throw new ChainUnavailable('solana-mainnet', `the node lists ${signature} but does not show it`);
  }
  if (transaction.meta.err !== null) return false;
  return transfer.asset === 'native'
    ? countGivenLamports(transaction, context.treasury) >= transfer.amount
    : judgeTransaction(transaction, context).receivedMicros < 0n;
}
