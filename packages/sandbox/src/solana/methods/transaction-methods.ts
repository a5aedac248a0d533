// RPC methods that send transactions and read their status.

import { NODE_VERSION, openBank } from '../bank.ts';
import { BLOCKHASH_LIFETIME } from '../blockhashes.ts';
import type { Chain } from '../chain.ts';
import type { SimulatedOutcome } from '../engine.ts';
import type { HistoryEntry } from '../history.ts';
import { presentAccount, readAccountView } from '../present-account.ts';
import { presentTransaction, readTransactionView } from '../present-transaction.ts';
import { invalidParams, RpcError } from '../rpc-error.ts';
import {
  type Config,
  findInteger,
  readAddress,
  readBytes,
  readChoice,
  readConfig,
  readFlag,
  readHistoryCommitment,
  readInteger,
  readList,
  readSignature,
} from '../rpc-params.ts';
import { readTransaction, resolveAt, submitTransaction } from '../submit-transaction.ts';
import type { Method } from './method.ts';

/** Older statuses need a search of the history, as on a real node. */
const RECENT_STATUS_SLOTS = 300;
const MAX_TRANSACTION_TEXT = { base58: 1683, base64: 1644 } as const;

const sendTransaction: Method = ({ chain, dropsTransactions }, params) => {
  const config = readConfig(params[1]);
  findInteger(config['maxRetries'], 'maxRetries');
  const transaction = readTransaction(readWireBytes(params[0], config));
  const bank = openBank(chain, config, 'preflightCommitment');
  return submitTransaction(chain, transaction, {
    preflightSlot: bank.slot,
    skipPreflight: readFlag(config, 'skipPreflight'),
    isLost: dropsTransactions(),
  });
};

const simulateTransaction: Method = ({ chain }, params) => {
  const config = readConfig(params[1]);
  const replacesBlockhash = readFlag(config, 'replaceRecentBlockhash');
  const verifies = readFlag(config, 'sigVerify');
  if (verifies && replacesBlockhash) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
  const wire = readTransaction(readWireBytes(params[0], config));
  const bank = openBank(chain, config);
  const transaction = resolveAt(chain, wire, bank.slot);
  const outcome = chain.simulate(transaction, bank.slot, verifies);
  if (outcome.error === 'SignatureFailure') throw new RpcError(-32003, 'Transaction signature verification failure');
  const refusal = replacesBlockhash ? null : chain.findRefusal(transaction, bank.slot);
  const shown = refusal === null ? outcome : { ...outcome, error: refusal, logs: [], computeUnits: 0 };
  const find = (address: string) => (shown.error === null ? (outcome.accounts.get(address) ?? bank.find(address)) : undefined);
  return bank.answer({
    ...presentOutcome(shown),
    accounts: presentWantedAccounts(config, find),
    loadedAccountsDataSize: transaction.addresses.reduce((sum, address) => sum + (bank.find(address)?.data.length ?? 0), 0),
    ...(readFlag(config, 'innerInstructions') && { innerInstructions: outcome.innerInstructions }),
    ...(replacesBlockhash && { replacementBlockhash: presentBlockhash(chain, bank.slot) }),
  });
};

function readWireBytes(value: unknown, config: Config): Uint8Array {
  const encoding = readChoice(config['encoding'], ['base58', 'base64'], 'base58');
  return readBytes(value, encoding, MAX_TRANSACTION_TEXT[encoding]);
}

function presentOutcome(outcome: SimulatedOutcome): object {
  const { error, logs, computeUnits, returnData } = outcome;
  return { err: error, logs, unitsConsumed: computeUnits, returnData: returnData ?? null };
}

function presentWantedAccounts(config: Config, find: Parameters<typeof presentAccount>[2]): unknown {
  const wanted = readConfig(config['accounts']);
  if (wanted['addresses'] === undefined) return null;
  const view = readAccountView({ encoding: 'base64', ...wanted });
  return readList(wanted['addresses'], 64).map((address) => presentAccount(find(readAddress(address)), view, find));
}

function presentBlockhash(chain: Chain, slot: number): object {
  return { blockhash: chain.blockhash(slot), lastValidBlockHeight: chain.heightOf(slot) + BLOCKHASH_LIFETIME };
}

const getTransaction: Method = ({ chain }, params) => {
  const signature = readSignature(params[0]);
  const config = readConfig(typeof params[1] === 'string' ? { encoding: params[1] } : params[1]);
  const newest = chain.slotAt(readHistoryCommitment(config));
  const view = readTransactionView(config);
  const entry = chain.history.find(signature);
  return entry === undefined || entry.slot > newest ? null : presentTransaction(chain.readRecord(entry), view);
};

const getSignatureStatuses: Method = ({ chain }, params) => {
  const signatures = readList(params[0], 256).map(readSignature);
  const searches = readFlag(readConfig(params[1]), 'searchTransactionHistory');
  const head = chain.slotAt('processed');
  const value = signatures.map((signature) => {
    const entry = chain.history.find(signature);
    return entry === undefined || (!searches && entry.slot < head - RECENT_STATUS_SLOTS) ? null : presentStatus(chain, entry, head);
  });
  return { context: { apiVersion: NODE_VERSION, slot: head }, value };
};

function presentStatus(chain: Chain, entry: HistoryEntry, head: number): object {
  const { slot, error } = entry;
  const confirmationStatus = nameLevel(chain, slot);
  return {
    slot,
    confirmations: confirmationStatus === 'finalized' ? null : head - slot,
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    confirmationStatus,
  };
}

function nameLevel(chain: Chain, slot: number): 'processed' | 'confirmed' | 'finalized' {
  if (slot <= chain.slotAt('finalized')) return 'finalized';
  return slot <= chain.slotAt('confirmed') ? 'confirmed' : 'processed';
}

const getSignaturesForAddress: Method = ({ chain }, params) => {
  const address = readAddress(params[0]);
  const config = readConfig(params[1]);
  const limit = findInteger(config['limit'], 'limit') ?? 1000;
  if (limit < 1 || limit > 1000) throw invalidParams('Invalid limit; max 1000');
  const newest = chain.slotAt(readHistoryCommitment(config));
  const reached = chain.history.listForAddress(address).filter((entry) => entry.slot <= newest);
  const page = selectPage(reached.toReversed(), findSignature(config['before']), findSignature(config['until']));
  return page.slice(0, limit).map((entry) => ({
    signature: entry.signature,
    slot: entry.slot,
    err: entry.error,
    memo: entry.memo,
    blockTime: entry.blockTime,
    confirmationStatus: nameLevel(chain, entry.slot),
  }));
};

function selectPage(newestFirst: readonly HistoryEntry[], before?: string, until?: string): readonly HistoryEntry[] {
  const at = (signature: string) => newestFirst.findIndex((entry) => entry.signature === signature);
  const start = before === undefined ? 0 : at(before) + 1;
  if (before !== undefined && start === 0) return [];
  const end = until === undefined ? -1 : at(until);
  return newestFirst.slice(start, end < 0 ? undefined : end);
}

function findSignature(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : readSignature(value);
}

const requestAirdrop: Method = ({ faucet }, params) => {
  const address = readAddress(params[0]);
  const lamports = readInteger(params[1], 'lamports');
  try {
    return faucet.sendLamports(address, BigInt(lamports));
  } catch (error) {
    throw error instanceof RangeError ? invalidParams(error.message) : error;
  }
};

export const TRANSACTION_METHODS: Readonly<Record<string, Method>> = {
  getSignatureStatuses,
  getSignaturesForAddress,
  getTransaction,
  requestAirdrop,
  sendTransaction,
  simulateTransaction,
};
