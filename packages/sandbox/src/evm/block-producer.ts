// Makes blocks while transactions wait for inclusion or finality, and none on an idle chain.

import type { Chain } from './chain.ts';

/** Delay of the first block after a pause: short, but long enough to hold transactions that were sent together. */
const FIRST_BLOCK_MS = 20;

export interface BlockProducer {
  /** Starts block production, because a transaction waits. */
  wake(): void;
  stop(): void;
}

export interface BlockProducerOptions {
  readonly chain: Chain;
  readonly blockMilliseconds: number;
  /** Number of empty blocks after a block with transactions; they make it final. */
  readonly settleBlocks: number;
  readonly log: (message: string) => void;
}

export function startBlockProducer({ chain, blockMilliseconds, settleBlocks, log }: BlockProducerOptions): BlockProducer {
  let timer: NodeJS.Timeout | undefined;
  let isMining = false;
  let isStopped = false;
  let isWanted = chain.hasWaitingTransactions;
  let lastBlockAt = 0;

  const schedule = () => {
    if (isStopped || isMining || timer !== undefined) return;
    if (!isWanted && chain.quietBlocks >= settleBlocks) return;
    const sinceLast = performance.now() - lastBlockAt;
    const delay = Math.max(Math.min(FIRST_BLOCK_MS, blockMilliseconds), blockMilliseconds - sinceLast);
    timer = setTimeout(mine, delay);
  };
  const mine = async () => {
    timer = undefined;
    isMining = true;
    isWanted = false;
    lastBlockAt = performance.now();
    try {
      await chain.mine();
    } catch (error) {
      log(`no block could be made, the chain stands still until the next transaction: ${error}`);
      return;
    } finally {
      isMining = false;
    }
    schedule();
  };

  // A new chain waits for a transaction. A chain that crashed before its first block may have one already.
  if (isWanted || chain.head.number > 0) schedule();
  return {
    wake() {
      isWanted = true;
      schedule();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
