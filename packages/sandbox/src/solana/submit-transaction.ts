// Submits a transaction: decodes it, simulates it unless the sender skips preflight, then executes it. As on a real node, a transaction
// that cannot land after that is lost silently: the sender has its signature and must check whether it landed.

import type { Chain } from './chain.ts';
import type { SimulatedOutcome } from './engine.ts';
import { invalidParams, RpcError } from './rpc-error.ts';
import { describeTransactionError, type TransactionError } from './transaction-error.ts';
import type { ResolvedTransaction } from './transaction-record.ts';
import { decodeTransaction, InconsistentTransactionError, UnreadableTransactionError, type WireTransaction } from './wire-transaction.ts';

export interface SubmitOptions {
  readonly preflightSlot: number;
  readonly skipPreflight: boolean;
  /** True: the node accepts the transaction and then loses it (fault `drop_tx`). */
  readonly isLost: boolean;
}

export function readTransaction(bytes: Uint8Array): WireTransaction {
  try {
    return decodeTransaction(bytes);
  } catch (error) {
    if (error instanceof UnreadableTransactionError) throw invalidParams(`failed to deserialize transaction: ${error.message}`);
    if (error instanceof InconsistentTransactionError) throw invalidParams(`invalid transaction: ${error.message}`);
    throw error;
  }
}

export function resolveAt(chain: Chain, transaction: WireTransaction, slot: number): ResolvedTransaction {
  const resolved = chain.resolve(transaction, slot);
  if ('error' in resolved) throw invalidParams(`invalid transaction: ${describeTransactionError(resolved.error)}`);
  return resolved;
}

export function submitTransaction(chain: Chain, transaction: WireTransaction, options: SubmitOptions): string {
  const seen = resolveAt(chain, transaction, options.preflightSlot);
  if (!options.skipPreflight) checkBySimulation(chain, seen, options.preflightSlot);
  if (options.isLost) return seen.signature;
  const slot = chain.slotAt('processed');
  const resolved = chain.resolve(transaction, slot);
  if (!('error' in resolved) && chain.findRefusal(resolved, slot) === null) chain.land(resolved);
  return seen.signature;
}

function checkBySimulation(chain: Chain, transaction: ResolvedTransaction, slot: number): void {
  const outcome = chain.simulate(transaction, slot, true);
  if (outcome.error === 'SignatureFailure') throw new RpcError(-32003, 'Transaction signature verification failure');
  const refusal = chain.findRefusal(transaction, slot);
  if (refusal !== null) throw preflightFailure(refusal, undefined);
  if (outcome.error !== null) throw preflightFailure(outcome.error, outcome);
}

function preflightFailure(error: TransactionError, outcome: SimulatedOutcome | undefined): RpcError {
  return new RpcError(-32002, `Transaction simulation failed: ${describeTransactionError(error)}`, {
    accounts: null,
    err: error,
    innerInstructions: null,
    loadedAccountsDataSize: 0,
    logs: outcome?.logs ?? [],
    replacementBlockhash: null,
    returnData: outcome?.returnData ?? null,
    unitsConsumed: outcome?.computeUnits ?? 0,
  });
}
