// The allowed methods. The engine has more, some of which forge blocks and balances.

import type { Chain } from '../chain.ts';
import { EngineError } from '../edr-engine.ts';
import type { Hex } from '../hex.ts';
import { type FinalityBlocks, type MethodShape, resolveFilter, resolveParams, resolveTag } from './block-tags.ts';
import { toGethError } from './geth-errors.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, SERVER_ERROR } from './rpc-error.ts';

export interface MethodContext {
  readonly chain: Chain;
  readonly finality: FinalityBlocks;
  /** Accepts a raw transaction; under the fault `drop_tx` it only pretends to. */
  readonly acceptTransaction: (raw: Hex) => Promise<Hex>;
}

export type Params = readonly unknown[];
type Method = (context: MethodContext, params: Params) => Promise<unknown>;

/** Maximum age of the block that calls see; Base makes a block every two seconds. */
const MAX_HEAD_AGE_SECONDS = 5;

/** Transaction types that OP chains refuse from clients: blobs, and deposits, which create coins and come from L1 only. */
const FOREIGN_TYPES = /^0x(?:03|7e)/i;

/** Methods passed to the engine unchanged. */
const PLAIN = [
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_chainId',
  'eth_coinbase',
  'eth_gasPrice',
  'eth_getBlockTransactionCountByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_newBlockFilter',
  'eth_newPendingTransactionFilter',
  'eth_syncing',
  'eth_uninstallFilter',
  'net_version',
  'web3_clientVersion',
  'web3_sha3',
] as const;

const SHAPED: Readonly<Record<string, MethodShape>> = {
  eth_feeHistory: { blockAt: 1, defaults: ['0x1', 'latest', []] },
  eth_getBalance: { blockAt: 1, defaults: [undefined, 'latest'] },
  eth_getBlockByHash: { defaults: [undefined, false] },
  eth_getBlockTransactionCountByNumber: { blockAt: 0, defaults: ['latest'] },
  eth_getCode: { blockAt: 1, defaults: [undefined, 'latest'] },
  eth_getProof: { blockAt: 2, defaults: [undefined, [], 'latest'] },
  eth_getStorageAt: { blockAt: 2, defaults: [undefined, '0x0', 'latest'] },
  eth_getTransactionByBlockNumberAndIndex: { blockAt: 0, defaults: ['latest', '0x0'] },
};

const NONCE: MethodShape = { blockAt: 1, defaults: [undefined, 'latest'] };
const CALL: MethodShape = { blockAt: 1, defaults: [undefined, 'latest'] };
const BLOCK: MethodShape = { blockAt: 0, defaults: ['latest', false] };

const methods = new Map<string, Method>([
  ...PLAIN.map((name): [string, Method] => [name, ({ chain }, params) => chain.read(name, params)]),
  ...Object.entries(SHAPED).map(([name, shape]): [string, Method] => [name, (context, params) => readAt(context, name, shape, params)]),
  ...(['eth_call', 'eth_estimateGas'] as const).map((name): [string, Method] => [
    name,
    (context, params) => simulate(context, name, params),
  ]),
  ...(['eth_getLogs', 'eth_newFilter'] as const).map((name): [string, Method] => [
    name,
    (context, params) => filterLogs(context, name, params),
  ]),
  ...(['eth_getFilterChanges', 'eth_getFilterLogs'] as const).map((name): [string, Method] => [
    name,
    (context, params) => readFilter(context, name, params),
  ]),
  ['eth_accounts', async () => []],
  ['eth_getBlockByNumber', readBlock],
  ['eth_getBlockReceipts', readBlockReceipts],
  ['eth_getTransactionCount', readNonce],
  ['eth_sendRawTransaction', sendTransaction],
  ['net_listening', async () => true],
  ['net_peerCount', async () => '0x0'],
]);

export async function callMethod(context: MethodContext, name: string, params: Params): Promise<unknown> {
  const method = methods.get(name);
  if (method === undefined) throw new RpcError(METHOD_NOT_FOUND, `the method ${name} does not exist/is not available`);
  try {
    return await method(context, params);
  } catch (error) {
    throw error instanceof EngineError ? toGethError(error) : error;
  }
}

function readAt({ chain, finality }: MethodContext, name: string, shape: MethodShape, params: Params): Promise<unknown> {
  return chain.read(name, resolveParams(shape, params, chain.head.number, finality));
}

function isLatest(tag: unknown): boolean {
  return tag === undefined || tag === null || tag === 'latest' || tag === 'pending';
}

async function readBlock(context: MethodContext, params: Params): Promise<unknown> {
  if (isLatest(params[0])) await context.chain.refresh(MAX_HEAD_AGE_SECONDS);
  return readAt(context, 'eth_getBlockByNumber', BLOCK, params);
}

async function readBlockReceipts({ chain, finality }: MethodContext, [tag]: Params): Promise<unknown> {
  const isHash = typeof tag === 'string' && tag.length === 66;
  const block = await chain.read<{ transactions: Hex[] } | null>(isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber', [
    isHash ? tag : resolveTag(tag ?? 'latest', chain.head.number, finality),
    false,
  ]);
  return block === null ? null : Promise.all(block.transactions.map((hash) => chain.read('eth_getTransactionReceipt', [hash])));
}

function readNonce(context: MethodContext, params: Params): Promise<unknown> {
  if (params[1] === 'pending') return context.chain.read('eth_getTransactionCount', params);
  return readAt(context, 'eth_getTransactionCount', NONCE, params);
}

async function simulate(context: MethodContext, name: string, params: Params): Promise<unknown> {
  if (isLatest(params[1])) await context.chain.refresh(MAX_HEAD_AGE_SECONDS);
  await requireFunds(context, params);
  return readAt(context, name, CALL, params);
}

/** Checks the caller's balance, which the engine does not check in simulations. */
async function requireFunds(context: MethodContext, [call, block]: Params): Promise<void> {
  if (typeof call !== 'object' || call === null || !('from' in call) || !('value' in call)) return;
  const { from, value } = call;
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value) || BigInt(value) === 0n) return;
  const balance = await readAt(context, 'eth_getBalance', SHAPED['eth_getBalance'] ?? {}, [from, block ?? 'latest']);
  if (BigInt(String(balance)) >= BigInt(value)) return;
  throw new RpcError(
    SERVER_ERROR,
    `insufficient funds for gas * price + value: address ${from} have ${BigInt(String(balance))} want ${BigInt(value)}`,
  );
}

function filterLogs({ chain, finality }: MethodContext, name: string, [filter = {}]: Params): Promise<unknown> {
  return chain.read(name, [resolveFilter(filter, chain.head.number, finality)]);
}

async function readFilter({ chain }: MethodContext, name: string, params: Params): Promise<unknown> {
  const changes = await chain.read(name, params);
  if (changes === null) throw new RpcError(SERVER_ERROR, 'filter not found');
  return changes;
}

async function sendTransaction({ acceptTransaction }: MethodContext, [raw]: Params): Promise<unknown> {
  if (typeof raw !== 'string' || !/^0x(?:[0-9a-f]{2})+$/i.test(raw)) {
    throw new RpcError(INVALID_PARAMS, 'invalid argument 0: a signed transaction in hexadecimal is expected');
  }
  if (FOREIGN_TYPES.test(raw)) throw new RpcError(SERVER_ERROR, 'transaction type not supported');
  return acceptTransaction(raw as Hex);
}
