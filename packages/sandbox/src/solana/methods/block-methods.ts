// RPC methods about slots, blocks, blockhashes and the node itself.

import { NODE_VERSION, openBank } from '../bank.ts';
import { BLOCKHASH_LIFETIME } from '../blockhashes.ts';
import type { Chain } from '../chain.ts';
import { presentTransaction, readTransactionView } from '../present-transaction.ts';
import { invalidParams, RpcError } from '../rpc-error.ts';
import {
  type Config,
  readAddress,
  readBytes,
  readChoice,
  readConfig,
  readHistoryCommitment,
  readInteger,
  readList,
} from '../rpc-params.ts';
import { feeOf } from '../transaction-fee.ts';
import { decodeMessage, type WireMessage } from '../wire-transaction.ts';
import type { Method } from './method.ts';

const SLOTS_PER_EPOCH = 432_000;
const MAX_MESSAGE_TEXT = 1644;
const REPORTED_FEE_SLOTS = 150;

const getLatestBlockhash: Method = ({ chain }, params) => {
  const bank = openBank(chain, readConfig(params[0]));
  const lastValidBlockHeight = chain.heightOf(bank.slot) + BLOCKHASH_LIFETIME;
  return bank.answer({ blockhash: chain.blockhash(bank.slot), lastValidBlockHeight });
};

const isBlockhashValid: Method = ({ chain }, params) => {
  const blockhash = readAddress(params[0]);
  const bank = openBank(chain, readConfig(params[1]));
  return bank.answer(chain.isRecentBlockhash(blockhash, bank.slot));
};

const getFeeForMessage: Method = ({ chain }, params) => {
  const message = readMessage(readBytes(params[0], 'base64', MAX_MESSAGE_TEXT));
  const bank = openBank(chain, readConfig(params[1]));
  return bank.answer(chain.isRecentBlockhash(message.blockhash, bank.slot) ? feeOf(message) : null);
};

function readMessage(bytes: Uint8Array): WireMessage {
  try {
    return decodeMessage(bytes);
  } catch (error) {
    throw invalidParams(`failed to deserialize message: ${error instanceof Error ? error.message : error}`);
  }
}

const getSlot: Method = ({ chain }, params) => openBank(chain, readConfig(params[0])).slot;

const getBlockHeight: Method = ({ chain }, params) => chain.heightOf(openBank(chain, readConfig(params[0])).slot);

const getEpochInfo: Method = ({ chain }, params) => {
  const { slot } = openBank(chain, readConfig(params[0]));
  return {
    absoluteSlot: slot,
    blockHeight: chain.heightOf(slot),
    epoch: Math.floor(slot / SLOTS_PER_EPOCH),
    slotIndex: slot % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
    transactionCount: chain.history.count(),
  };
};

const getBlockTime: Method = ({ chain }, params) => {
  const slot = readInteger(params[0], 'slot');
  checkAvailable(chain, slot, chain.slotAt('confirmed'));
  return chain.unixSeconds(slot);
};

const getBlock: Method = ({ chain }, params) => {
  const slot = readInteger(params[0], 'slot');
  const config = readConfig(typeof params[1] === 'string' ? { encoding: params[1] } : params[1]);
  checkAvailable(chain, slot, chain.slotAt(readHistoryCommitment(config)));
  const parentSlot = Math.max(chain.genesisSlot, slot - 1);
  return {
    blockhash: chain.blockhash(slot),
    previousBlockhash: chain.blockhash(parentSlot),
    parentSlot,
    blockHeight: chain.heightOf(slot),
    blockTime: chain.unixSeconds(slot),
    ...presentContents(chain, slot, config),
    ...(config['rewards'] !== false && { rewards: [] }),
  };
};

function presentContents(chain: Chain, slot: number, config: Config): object {
  const detail = readChoice(config['transactionDetails'], ['full', 'signatures', 'none'], 'full');
  if (detail === 'none') return {};
  const entries = chain.history.listAtSlot(slot);
  if (detail === 'signatures') return { signatures: entries.map((entry) => entry.signature) };
  const view = readTransactionView(config);
  const transactions = entries.map((entry) => presentTransaction(chain.readRecord(entry), view));
  return { transactions: transactions.map(({ slot: _slot, blockTime: _blockTime, ...transaction }) => transaction) };
}

function checkAvailable(chain: Chain, slot: number, newest: number): void {
  if (slot > newest) throw new RpcError(-32004, `Block not available for slot ${slot}`);
  const first = firstAvailable(chain);
  if (slot < first) throw new RpcError(-32001, `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`);
}

function firstAvailable(chain: Chain): number {
  return Math.max(chain.genesisSlot, chain.history.firstAvailableSlot());
}

/** Returns fees of zero: blocks here are never full, so priority costs nothing. */
const getRecentPrioritizationFees: Method = ({ chain }, params) => {
  readList(params[0] ?? [], 128).map(readAddress);
  const newest = chain.slotAt('processed');
  const first = Math.max(chain.genesisSlot, newest - REPORTED_FEE_SLOTS + 1);
  return Array.from({ length: newest - first + 1 }, (_, index) => ({ slot: first + index, prioritizationFee: 0 }));
};

const getHealth: Method = ({ chain }) => {
  if (!chain.isHealthy()) throw new RpcError(-32005, 'Node is unhealthy', { numSlotsBehind: null });
  return 'ok';
};

export const BLOCK_METHODS: Readonly<Record<string, Method>> = {
  getBlock,
  getBlockHeight,
  getBlockTime,
  getEpochInfo,
  getFeeForMessage,
  getFirstAvailableBlock: ({ chain }) => firstAvailable(chain),
  getGenesisHash: ({ chain }) => chain.genesisHash,
  getHealth,
  getLatestBlockhash,
  getRecentPrioritizationFees,
  getSlot,
  getTransactionCount: ({ chain }) => chain.history.count(),
  getVersion: () => ({ 'solana-core': NODE_VERSION, 'feature-set': 1 }),
  isBlockhashValid,
};
