/** Finds transfers to the treasury that nobody reported. Reads final blocks by default, so that no found transfer is reverted later. */

import type { Hex } from 'viem';
import { smaller } from '../../larger-and-smaller.ts';
import type { TransferPage } from '../chain.ts';
import { readUsdcLogs, requireBlock } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import type { LogAnswer } from './node-answers.ts';
import { addressTopic, TRANSFER_TOPIC } from './usdc.ts';

const BLOCKS_PER_QUESTION = 2_000n;
/** Limits one round after a long pause; the next round continues from the cursor. */
const QUESTIONS_PER_ROUND = 10;

/** The cursor is the last block that was read completely. */
export async function listTreasuryTransfers(
  context: EvmContext,
  cursor: string | null,
  limit: number,
  upTo: 'final' | 'newest' = 'final',
): Promise<TransferPage> {
  const { number: last } = await requireBlock(context, upTo === 'final' ? context.finalTag : 'latest');
  if (cursor === null && context.startBlock === undefined) return { references: [], cursor: String(last), hasMore: false };
  const first = cursor === null ? (context.startBlock ?? 0n) : readCursor(cursor) + 1n;

  const references = new Set<Hex>();
  let next = first;
  for (let question = 0; question < QUESTIONS_PER_ROUND && next <= last && references.size < limit; question++) {
    const to = smaller(next + BLOCKS_PER_QUESTION - 1n, last);
    const logs = await readUsdcLogs(context, [TRANSFER_TOPIC, null, addressTopic(context.treasury)], next, to);
    next = takeWholeBlocks(logs, references, limit) ?? to + 1n;
  }
  return { references: [...references], cursor: next === first ? cursor : String(next - 1n), hasMore: next <= last };
}

/**
 * A cursor can only stand between blocks, so the block that reaches the limit is taken whole. Returns the block to continue from, if cut
 * short.
 */
function takeWholeBlocks(logs: readonly LogAnswer[], references: Set<Hex>, limit: number): bigint | undefined {
  let block: bigint | undefined;
  for (const log of logs) {
    if (references.size >= limit && log.blockNumber !== block) return log.blockNumber;
    block = log.blockNumber;
    references.add(log.transactionHash);
  }
  return undefined;
}

function readCursor(cursor: string): bigint {
  if (!/^\d{1,20}$/.test(cursor)) throw new Error(`"${cursor}" is no block number to go on from.`);
  return BigInt(cursor);
}
