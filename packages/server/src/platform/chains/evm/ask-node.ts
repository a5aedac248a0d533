/** RPC calls with typed answers. A contract's refusal throws `ExecutionReverted`; every other error is `ChainUnavailable`. */
import type { Hex } from 'viem';
import { numberToHex } from 'viem/utils';
import { z } from 'zod';
import { ChainUnavailable } from '../chain.ts';
import { RpcError } from '../json-rpc.ts';
import type { EvmContext } from './evm-context.ts';
import { ExecutionReverted, findRevertReason } from './execution-reverted.ts';
import {
  type BlockAnswer,
  blockAnswer,
  bytes,
  fullBlockAnswer,
  hash,
  type LogAnswer,
  logAnswer,
  quantity,
  type TransactionAnswer,
} from './node-answers.ts';

/** A block: its number, or a tag whose block moves on. */
export type BlockRef = bigint | 'latest' | 'pending' | 'safe' | 'finalized';

export interface Call {
  readonly from?: Hex;
  readonly to?: Hex;
  readonly data: Hex;
  readonly gas?: bigint;
  readonly value?: bigint;
}

export async function askNode<T>(
  { network, rpc }: EvmContext,
  method: string,
  params: readonly unknown[],
  answer: z.ZodType<T>,
): Promise<T> {
  try {
    return await rpc.call(method, params, answer);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const reason = findRevertReason(error);
    if (reason !== undefined) throw new ExecutionReverted(reason, error);
    throw new ChainUnavailable(network, `the node refused ${method}: ${error.message}`, error);
  }
}

export async function readBlock(context: EvmContext, at: BlockRef): Promise<BlockAnswer | null> {
  const block = await askNode(context, 'eth_getBlockByNumber', [blockParameter(at), false], blockAnswer.nullable());
  if (typeof at === 'bigint' && block !== null) requireNumber(context, block, at);
  return block;
}

/** The transactions of a block. */
export async function readBlockTransactions(context: EvmContext, at: bigint): Promise<readonly TransactionAnswer[]> {
  const block = await askNode(context, 'eth_getBlockByNumber', [blockParameter(at), true], fullBlockAnswer.nullable());
  if (block === null) throw new ChainUnavailable(context.network, `the node does not know block ${at}`);
  requireNumber(context, block, at);
  return block.transactions;
}

function requireNumber({ network }: EvmContext, { number }: BlockAnswer, at: bigint): void {
  if (number !== at) throw new ChainUnavailable(network, `the node answered block ${number} when asked for ${at}`);
}

export async function requireBlock(context: EvmContext, at: BlockRef): Promise<BlockAnswer> {
  const block = await readBlock(context, at);
  if (block === null) throw new ChainUnavailable(context.network, `the node does not know block ${at}`);
  return block;
}

export function readHeadNumber(context: EvmContext): Promise<bigint> {
  return askNode(context, 'eth_blockNumber', [], quantity);
}

/** The number of transactions the account has sent, which is the nonce of its next one. */
export function readTransactionCount(context: EvmContext, address: Hex, at: BlockRef): Promise<bigint> {
  return askNode(context, 'eth_getTransactionCount', [address, blockParameter(at)], quantity);
}

export function readNativeBalance(context: EvmContext, address: Hex): Promise<bigint> {
  return askNode(context, 'eth_getBalance', [address, 'latest'], quantity);
}

export function callContract(context: EvmContext, call: Call, at: BlockRef = 'latest'): Promise<Hex> {
  return askNode(context, 'eth_call', [callParameter(call), blockParameter(at)], bytes);
}

export function estimateGas(context: EvmContext, call: Call): Promise<bigint> {
  return askNode(context, 'eth_estimateGas', [callParameter(call), 'latest'], quantity);
}

/** Does not use `askNode`: the caller reads the node's error message when the node refuses a transaction. */
export function sendRawTransaction({ rpc }: EvmContext, raw: Hex): Promise<Hex> {
  return rpc.call('eth_sendRawTransaction', [raw], hash);
}

const SMALLEST_RANGE = 32n;

export function readUsdcLogs(
  context: EvmContext,
  topics: readonly (Hex | null)[],
  fromBlock: bigint,
  toBlock: bigint,
): Promise<readonly LogAnswer[]> {
  return readLogs(context, context.usdc, topics, fromBlock, toBlock);
}

/**
 * Logs of a contract with these topics in a range of blocks, oldest first. Each node limits ranges in its own way and words, so a refused
 * range is split in halves. A half too small to split fails the call.
 */
export async function readLogs(
  context: EvmContext,
  address: Hex,
  topics: readonly (Hex | null)[],
  fromBlock: bigint,
  toBlock: bigint,
): Promise<readonly LogAnswer[]> {
  const filter = { address, topics, fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) };
  try {
    const logs = await context.rpc.call('eth_getLogs', [filter], z.array(logAnswer));
    return requireAskedFor(context, logs, { address, topics, fromBlock, toBlock });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (toBlock - fromBlock < SMALLEST_RANGE)
      throw new ChainUnavailable(context.network, `the node refused eth_getLogs: ${error.message}`, error);
    const middle = (fromBlock + toBlock) / 2n;
    const older = await readLogs(context, address, topics, fromBlock, middle);
    return [...older, ...(await readLogs(context, address, topics, middle + 1n, toBlock))];
  }
}

interface LogQuestion {
  readonly address: Hex;
  readonly topics: readonly (Hex | null)[];
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

function requireAskedFor(
  { network }: EvmContext,
  logs: readonly LogAnswer[],
  { address, topics, fromBlock, toBlock }: LogQuestion,
): readonly LogAnswer[] {
  const fits = (log: LogAnswer): boolean =>
    log.address === address.toLowerCase() &&
    log.blockNumber >= fromBlock &&
    log.blockNumber <= toBlock &&
    topics.every((topic, index) => topic === null || log.topics[index] === topic);
  if (!logs.every(fits)) throw new ChainUnavailable(network, 'the node answered eth_getLogs with logs nobody asked for');
  return logs
    .filter(({ removed }) => !removed)
    .sort((a, b) => Number(a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : a.blockNumber - b.blockNumber));
}

function blockParameter(at: BlockRef): string {
  return typeof at === 'bigint' ? numberToHex(at) : at;
}

function callParameter({ gas, value, ...call }: Call): object {
  return {
    ...call,
    ...(gas === undefined ? {} : { gas: numberToHex(gas) }),
    ...(value === undefined ? {} : { value: numberToHex(value) }),
  };
}
