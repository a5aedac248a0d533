// Builds the record of a landed transaction: balances of every account before and after, and the node's report.

import { type AccountImage, isSameAccount, type MaybeAccount } from './account-image.ts';
import type { Engine, InnerInstructions, Outcome, ReturnData } from './engine.ts';
import { MEMO_PROGRAMS } from './programs.ts';
import { findMint, findTokenAccount, isTokenProgram, type TokenAmount, toTokenAmount } from './token-account.ts';
import { isWritable, type LoadedAddresses, listAccounts } from './transaction-accounts.ts';
import type { TransactionError } from './transaction-error.ts';
import { feeOf } from './transaction-fee.ts';
import type { WireTransaction } from './wire-transaction.ts';

/** A transaction with the addresses from its lookup tables. */
export interface ResolvedTransaction extends WireTransaction {
  readonly signature: string;
  readonly loaded: LoadedAddresses;
  readonly addresses: readonly string[];
}

interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly uiTokenAmount: TokenAmount;
}

export interface TransactionMeta {
  readonly err: TransactionError | null;
  readonly status: { readonly Ok: null } | { readonly Err: TransactionError };
  readonly fee: number;
  readonly preBalances: readonly number[];
  readonly postBalances: readonly number[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly innerInstructions: readonly InnerInstructions[];
  readonly logMessages: readonly string[];
  readonly rewards: readonly never[];
  readonly loadedAddresses: LoadedAddresses;
  readonly computeUnitsConsumed: number;
  readonly costUnits: number;
  readonly returnData?: ReturnData;
}

export interface TransactionRecord {
  readonly signature: string;
  readonly slot: number;
  readonly blockTime: number;
  readonly memo: string | null;
  readonly addresses: readonly string[];
  readonly bytes: string;
  readonly meta: TransactionMeta;
}

export interface Snapshot {
  readonly lamports: readonly number[];
  readonly tokens: readonly TokenBalance[];
  /** Accounts that the transaction may change. */
  readonly writable: ReadonlyMap<string, MaybeAccount>;
}

export function resolveTransaction(transaction: WireTransaction, loaded: LoadedAddresses): ResolvedTransaction {
  const [signature = ''] = transaction.signatures;
  return { ...transaction, signature, loaded, addresses: listAccounts(transaction.message, loaded) };
}

export function takeSnapshot(engine: Engine, transaction: ResolvedTransaction): Snapshot {
  const programs = new Set(transaction.message.instructions.map((instruction) => instruction.programIndex));
  const lamports: number[] = [];
  const tokens: TokenBalance[] = [];
  const writable = new Map<string, MaybeAccount>();
  transaction.addresses.forEach((address, index) => {
    const mayChange = isWritable(transaction.message, transaction.loaded, index);
    if (programs.has(index) && !mayChange) {
      lamports.push(engine.lamports(address)); // programs are large and hold no tokens
      return;
    }
    const account = engine.find(address);
    lamports.push(account?.lamports ?? 0);
    if (mayChange) writable.set(address, account);
    const balance = account && findTokenBalance(engine, account, index);
    if (balance) tokens.push(balance);
  });
  return { lamports, tokens, writable };
}

function findTokenBalance(engine: Engine, account: AccountImage, accountIndex: number): TokenBalance | undefined {
  if (!isTokenProgram(account.owner)) return undefined;
  const token = findTokenAccount(account);
  const mint = token && findMint(engine.find(token.mint));
  if (token === undefined || mint === undefined) return undefined;
  const amount = toTokenAmount(token.amount, mint.decimals);
  return {
    accountIndex,
    mint: token.mint,
    owner: token.owner,
    programId: account.owner,
    // Nodes report zero as null in this field only: code that reads `uiAmount` instead of `amount` shall fail in the sandbox.
    uiTokenAmount: token.amount === 0n ? { ...amount, uiAmount: null } : amount,
  };
}

export function listChanges(before: Snapshot, after: Snapshot): (readonly [string, MaybeAccount])[] {
  return [...after.writable].filter(([address, account]) => !isSameAccount(before.writable.get(address), account));
}

export function createRecord(
  transaction: ResolvedTransaction,
  moment: { readonly slot: number; readonly blockTime: number },
  outcome: Outcome,
  before: Snapshot,
  after: Snapshot,
): TransactionRecord {
  const { signature, addresses, loaded, message, bytes } = transaction;
  const { error, returnData } = outcome;
  return {
    signature,
    ...moment,
    memo: findMemo(transaction),
    addresses,
    bytes: Buffer.from(bytes).toString('base64'),
    meta: {
      err: error,
      status: error === null ? { Ok: null } : { Err: error },
      fee: feeOf(message),
      preBalances: before.lamports,
      postBalances: after.lamports,
      preTokenBalances: before.tokens,
      postTokenBalances: after.tokens,
      innerInstructions: outcome.innerInstructions,
      logMessages: outcome.logs,
      rewards: [],
      loadedAddresses: loaded,
      computeUnitsConsumed: outcome.computeUnits,
      costUnits: outcome.computeUnits,
      ...(returnData && { returnData }),
    },
  };
}

function findMemo({ message }: WireTransaction): string | null {
  const memos = message.instructions
    .filter(({ programIndex }) => MEMO_PROGRAMS.includes(message.accounts[programIndex] ?? ''))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length === 0 ? null : memos.join('; ');
}
