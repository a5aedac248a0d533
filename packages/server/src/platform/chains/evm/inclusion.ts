/** Whether a transaction is in the chain, with which finality, and its logs. */
import type { Hex } from 'viem';
import { getAddress } from 'viem/utils';
import { ChainUnavailable, type Finality } from '../chain.ts';
import { askNode, readBlock, readHeadNumber } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { type LogAnswer, receiptAnswer } from './node-answers.ts';

export interface Inclusion {
  readonly reference: Hex;
  readonly succeeded: boolean;
  readonly sender: Hex;
  /** The contract that the transaction called. */
  readonly called: Hex | undefined;
  readonly logs: readonly LogAnswer[];
  readonly blockNumber: bigint;
  readonly blockTime: Date;
  readonly finality: Finality;
}

/** Undefined when no node knows the transaction, or only from a block that is not (or no longer) part of the chain. */
export async function findInclusion(context: EvmContext, reference: Hex): Promise<Inclusion | undefined> {
  const receipt = await askNode(context, 'eth_getTransactionReceipt', [reference], receiptAnswer.nullable());
  if (receipt === null || receipt.blockNumber === null || receipt.blockHash === null) return undefined;
  const { blockNumber, blockHash, logs } = receipt;
  const belongs = (log: LogAnswer) => log.transactionHash === reference && log.blockHash === blockHash && log.blockNumber === blockNumber;
  if (receipt.transactionHash !== reference || !logs.every(belongs)) {
    throw new ChainUnavailable(context.network, `the node answered with another transaction than ${reference}`);
  }

  const [block, head, final] = await Promise.all([
    readBlock(context, blockNumber),
    readHeadNumber(context),
    readBlock(context, context.finalTag),
  ]);
  if (block === null || block.hash !== blockHash) return undefined;
  return {
    reference,
    succeeded: receipt.status,
    sender: getAddress(receipt.from),
    called: receipt.to ?? undefined,
    logs,
    blockNumber,
    blockTime: new Date(Number(block.timestamp) * 1000),
    finality: judgeFinality(blockNumber, head, final?.number, context.confirmedDepth),
  };
}

function judgeFinality(blockNumber: bigint, head: bigint, final: bigint | undefined, confirmedDepth: bigint): Finality {
  if (final !== undefined && blockNumber <= final) return 'final';
  return head - blockNumber >= confirmedDepth ? 'confirmed' : 'seen';
}
