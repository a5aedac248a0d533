// The engine with its journal: every change of the chain goes through here, one at a time, and is replayed at the next start.

import { nextBlockTime } from './block-time.ts';
import { type Engine, EngineError } from './edr-engine.ts';
import { type Hex, toQuantity } from './hex.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { oneAtATime } from './one-at-a-time.ts';

export interface Block {
  readonly number: number;
  readonly hash: Hex;
  readonly timestamp: number;
  readonly transactions: readonly Hex[];
}

export interface Chain {
  readonly head: Block;
  /** Number of blocks since the last one with a transaction. */
  readonly quietBlocks: number;
  readonly hasWaitingTransactions: boolean;
  /** Calls the engine; waits while a reorganisation is under way. */
  read<Result>(method: string, params: readonly unknown[]): Promise<Result>;
  /** Resolves with the hash when the transaction is safe on disk. */
  accept(raw: Hex): Promise<Hex>;
  /** Validates the transaction and returns its hash, without keeping it. */
  pretendToAccept(raw: Hex): Promise<Hex>;
  mine(): Promise<Block>;
  /** Makes a block when the last one is older than this, so that calls on an idle chain see the present time. */
  refresh(maxAgeSeconds: number): Promise<void>;
  advance(seconds: number): Promise<void>;
  /** Replaces the last blocks by empty ones, one more than before. Their transactions are gone until they are sent again. */
  reorganise(depth: number): Promise<void>;
  /** Adds contracts to a running chain, followed by so many blocks that no reorganisation of this depth removes them. */
  place(contracts: PlacedContracts, depth: number): Promise<void>;
  /** Resolves when the transaction is in a block. */
  untilIncluded(hash: Hex): Promise<void>;
  /** Resolves when every change under way is done. */
  untilIdle(): Promise<void>;
}

type PlacedContracts = Extract<JournalEntry, { readonly place: unknown }>['place'];

export interface ChainOptions {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly entries: readonly JournalEntry[];
  readonly now: () => number;
}

export async function openChain({ engine, journal, entries, now }: ChainOptions): Promise<Chain> {
  const inTurn = oneAtATime();
  const state = await createChainState(engine);
  for (const entry of entries) await state.apply(entry).catch(explainReplay);
  const readClock = () => Math.floor(now() / 1000) + state.aheadSeconds;
  let settled: Promise<unknown> = Promise.resolve();
  const inclusions = new Map<Hex, (() => void)[]>();

  const write = async (entry: JournalEntry) => {
    await journal.append(entry);
    await state.apply(entry);
  };
  const mineNow = async (): Promise<Block> => {
    const { number, hash, timestamp } = state.head;
    await write({ block: number + 1, at: nextBlockTime(timestamp, readClock()), parent: hash });
    for (const transaction of state.head.transactions) {
      for (const resolve of inclusions.get(transaction) ?? []) resolve();
      inclusions.delete(transaction);
    }
    return state.head;
  };

  return {
    get head() {
      return state.head;
    },
    get quietBlocks() {
      return state.head.number - state.lastBusyBlock;
    },
    get hasWaitingTransactions() {
      return state.waiting.size > 0;
    },
    async read(method, params) {
      await settled;
      return engine.request(method, params);
    },
    async accept(raw) {
      // Wait for the disk outside the turn, so that transactions sent together share one write.
      const { hash, written } = await inTurn(async () => {
        const hash = await state.addTransaction(raw);
        return { hash, written: journal.append({ tx: raw }) };
      });
      await written;
      return hash;
    },
    pretendToAccept: (raw) => inTurn(() => state.tryTransaction(raw)),
    mine: () => inTurn(mineNow),
    async refresh(maxAgeSeconds) {
      const isOld = () => readClock() - state.head.timestamp > maxAgeSeconds;
      if (!isOld()) return;
      await inTurn(async () => {
        if (isOld()) await mineNow();
      });
    },
    advance: (seconds) =>
      inTurn(async () => {
        await write({ advance: seconds });
        await mineNow();
      }),
    reorganise: (depth) =>
      inTurn(async () => {
        const height = state.head.number;
        const work = (async () => {
          await write({ reorg: Math.max(0, height - depth) });
          while (state.head.number <= height) await mineNow();
        })();
        settled = work.catch(() => undefined);
        await work;
      }),
    place: (contracts, depth) =>
      inTurn(async () => {
        await write({ place: contracts });
        for (let block = 0; block < depth; block++) await mineNow();
      }),
    untilIncluded: (hash) =>
      new Promise((resolve) => {
        if (state.waiting.has(hash)) inclusions.set(hash, [...(inclusions.get(hash) ?? []), resolve]);
        else resolve();
      }),
    untilIdle: () => inTurn(async () => undefined),
  };
}

/** Applies journal entries to the engine, both new ones and those replayed at a start. */
async function createChainState(engine: Engine) {
  const waiting = new Map<Hex, Hex>();
  let head = await readHead(engine);
  let lastBusyBlock = 0;
  let aheadSeconds = 0;
  /** The engine's snapshot right after each block, by block number. */
  const snapshots = [await takeSnapshot()];

  function takeSnapshot(): Promise<Hex> {
    return engine.request<Hex>('evm_snapshot');
  }
  async function addTransaction(raw: Hex): Promise<Hex> {
    const hash = await engine.request<Hex>('eth_sendRawTransaction', [raw]);
    waiting.set(hash, raw);
    return hash;
  }
  async function tryTransaction(raw: Hex): Promise<Hex> {
    const before = await takeSnapshot();
    try {
      return await engine.request<Hex>('eth_sendRawTransaction', [raw]);
    } finally {
      await engine.request('evm_revert', [before]);
    }
  }
  async function listWaitingInEngine(): Promise<Set<Hex>> {
    const transactions = await engine.request<{ hash: Hex }[]>('eth_pendingTransactions');
    return new Set(transactions.map(({ hash }) => hash));
  }
  async function makeBlock(number: number, at: number, parent: Hex): Promise<void> {
    if (number !== head.number + 1 || parent !== head.hash) throw new Error(`Block ${number} does not continue ${head.hash}.`);
    await engine.request('evm_mine', [toQuantity(at)]);
    head = await readHead(engine);
    snapshots[head.number] = await takeSnapshot();
    if (head.transactions.length > 0) lastBusyBlock = head.number;
    for (const hash of head.transactions) waiting.delete(hash);
    if (waiting.size === 0) return;
    const still = await listWaitingInEngine();
    for (const hash of waiting.keys()) if (!still.has(hash)) waiting.delete(hash);
  }
  /** Reverts to a block. Transactions that wait now stay; those of reverted blocks are dropped, though the snapshot restores some. */
  async function revertBlocksAbove(number: number): Promise<void> {
    const snapshot = snapshots[number];
    if (snapshot === undefined) throw new Error(`There is no block ${number} to go back to.`);
    await engine.request('evm_revert', [snapshot]);
    snapshots.length = number;
    snapshots[number] = await takeSnapshot();
    head = await readHead(engine);
    lastBusyBlock = Math.min(lastBusyBlock, number);
    const back = await listWaitingInEngine();
    for (const hash of back) if (!waiting.has(hash)) await engine.request('hardhat_dropTransaction', [hash]);
    for (const [hash, raw] of [...waiting]) {
      if (back.has(hash)) continue;
      waiting.delete(hash);
      // A transaction that spent coins from a reverted block is no longer valid, so drop it.
      await addTransaction(raw).catch(ignoreRefusal);
    }
  }

  return {
    waiting,
    addTransaction,
    tryTransaction,
    get head() {
      return head;
    },
    get lastBusyBlock() {
      return lastBusyBlock;
    },
    get aheadSeconds() {
      return aheadSeconds;
    },
    async apply(entry: JournalEntry): Promise<void> {
      if ('tx' in entry) await addTransaction(entry.tx);
      else if ('block' in entry) await makeBlock(entry.block, entry.at, entry.parent);
      else if ('advance' in entry) aheadSeconds += entry.advance;
      else if ('place' in entry) {
        await placeContracts(engine, entry.place);
        snapshots[head.number] = await takeSnapshot();
      } else await revertBlocksAbove(entry.reorg);
    },
  };
}

async function placeContracts(engine: Engine, contracts: PlacedContracts): Promise<void> {
  for (const { address, code, storage = {} } of contracts) {
    if (code !== undefined) await engine.request('hardhat_setCode', [address, code]);
    for (const [slot, value] of Object.entries(storage))
      await engine.request('hardhat_setStorageAt', [address, toQuantity(BigInt(slot)), `0x${value.slice(2).padStart(64, '0')}`]);
  }
}

function explainReplay(cause: unknown): never {
  const advice =
    'The journal of the chain cannot be repeated: another version of the engine wrote it. Remove the folder to begin a new chain.';
  throw new Error(advice, { cause });
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof EngineError)) throw error;
}

async function readHead(engine: Engine): Promise<Block> {
  const block = await engine.request<{ number: Hex; hash: Hex; timestamp: Hex; transactions: Hex[] }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  return { number: Number(block.number), hash: block.hash, timestamp: Number(block.timestamp), transactions: block.transactions };
}
