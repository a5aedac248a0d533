// Makes blocks while there is something to include or to finalise, and none while nothing happens.

import type { Chain } from './chain.ts';

/** The first block after a pause comes quickly, yet late enough to hold what was sent together. */
const FIRST_BLOCK_MS = 20;

export interface BlockProducer {
  /** A transaction waits. */
  wake(): void;
  stop(): void;
}

export interface BlockProducerOptions {
  readonly chain: Chain;
  readonly blockMilliseconds: number;
  /** After a block with transactions, so many empty ones follow: without them it would never become final. */
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

  // A new chain has nothing to finalise; one that died before its first block has transactions to include.
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
