// Presents a landed transaction in each encoding of a node.

import { encodeBase58, findBase58 } from './base58.ts';
import { parseInstruction } from './parse-instruction.ts';
import { RpcError } from './rpc-error.ts';
import { type Config, findInteger, readChoice } from './rpc-params.ts';
import { isWritable } from './transaction-accounts.ts';
import type { TransactionRecord } from './transaction-record.ts';
import { decodeTransaction, type WireMessage, type WireTransaction } from './wire-transaction.ts';

const ENCODINGS = ['json', 'jsonParsed', 'base64', 'base58'] as const;

export interface TransactionView {
  readonly encoding: (typeof ENCODINGS)[number];
  readonly maxVersion: number | undefined;
}

export interface PresentedTransaction {
  readonly slot: number;
  readonly blockTime: number;
  readonly meta: unknown;
  readonly transaction: unknown;
  readonly version?: 'legacy' | 0;
}

export function readTransactionView(config: Config): TransactionView {
  return {
    encoding: readChoice(config['encoding'], ENCODINGS, 'json'),
    maxVersion: findInteger(config['maxSupportedTransactionVersion'], 'maxSupportedTransactionVersion', 255),
  };
}

export function presentTransaction(record: TransactionRecord, view: TransactionView): PresentedTransaction {
  const wire = decodeTransaction(Buffer.from(record.bytes, 'base64'));
  const { version } = wire.message;
  if (version !== 'legacy' && view.maxVersion === undefined) throw unsupportedVersion(version);
  const { slot, blockTime } = record;
  return { slot, blockTime, ...presentBody(record, wire, view), ...(view.maxVersion !== undefined && { version }) };
}

function unsupportedVersion(version: number): RpcError {
  return new RpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following ` +
      `configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
}

function presentBody(record: TransactionRecord, wire: WireTransaction, view: TransactionView): { meta: unknown; transaction: unknown } {
  const { meta } = record;
  if (view.encoding === 'base64') return { meta, transaction: [record.bytes, 'base64'] };
  if (view.encoding === 'base58') return { meta, transaction: [encodeBase58(wire.bytes), 'base58'] };
  if (view.encoding === 'json') return { meta, transaction: { signatures: wire.signatures, message: presentMessage(wire.message) } };
  return presentParsed(record, wire);
}

function presentMessage(message: WireMessage): object {
  return {
    header: {
      numRequiredSignatures: message.requiredSignatures,
      numReadonlySignedAccounts: message.readonlySigned,
      numReadonlyUnsignedAccounts: message.readonlyUnsigned,
    },
    accountKeys: message.accounts,
    recentBlockhash: message.blockhash,
    instructions: message.instructions.map(({ programIndex, accountIndexes, data }) => ({
      programIdIndex: programIndex,
      accounts: accountIndexes,
      data: encodeBase58(data),
      stackHeight: 1,
    })),
    ...presentLookups(message),
  };
}

function presentLookups({ version, lookups }: WireMessage): object {
  if (version === 'legacy') return {};
  return {
    addressTableLookups: lookups.map(({ table, writableIndexes, readonlyIndexes }) => ({
      accountKey: table,
      writableIndexes,
      readonlyIndexes,
    })),
  };
}

function presentParsed(record: TransactionRecord, wire: WireTransaction): { meta: unknown; transaction: unknown } {
  const { message, signatures } = wire;
  const { loadedAddresses, innerInstructions, ...meta } = record.meta;
  const { addresses } = record;
  const at = (index: number) => addresses[index] ?? '';
  const parse = (programIndex: number, accountIndexes: readonly number[], data: Uint8Array, stackHeight: number) =>
    parseInstruction({ program: at(programIndex), accounts: accountIndexes.map(at), data, stackHeight });
  const accountKeys = addresses.map((pubkey, index) => ({
    pubkey,
    signer: index < message.requiredSignatures,
    source: index < message.accounts.length ? 'transaction' : 'lookupTable',
    writable: isWritable(message, loadedAddresses, index),
  }));
  const inner = innerInstructions.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((one) =>
      parse(one.programIdIndex, one.accounts, findBase58(one.data) ?? new Uint8Array(), one.stackHeight),
    ),
  }));
  const instructions = message.instructions.map((one) => parse(one.programIndex, one.accountIndexes, one.data, 1));
  const parsed = { accountKeys, recentBlockhash: message.blockhash, instructions, ...presentLookups(message) };
  return { meta: { ...meta, innerInstructions: inner }, transaction: { signatures, message: parsed } };
}
