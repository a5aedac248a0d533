// The chain: state, history and time. Transactions run one after the other, and each is in the log before clients see it.

import { createHash, randomBytes } from 'node:crypto';
import { type AccountImage, type MaybeAccount, storeAccount } from './account-image.ts';
import { encodeBase58 } from './base58.ts';
import { createBlockhashes } from './blockhashes.ts';
import { createChainClock } from './chain-clock.ts';
import type { ChainEvent, Genesis } from './chain-events.ts';
import type { Engine, SimulatedOutcome } from './engine.ts';
import type { HistoryEntry } from './history.ts';
import { restoreChain } from './restore-chain.ts';
import { RpcError } from './rpc-error.ts';
import { loadAddresses } from './transaction-accounts.ts';
import type { TransactionError } from './transaction-error.ts';
import {
  createRecord,
  listChanges,
  type ResolvedTransaction,
  resolveTransaction,
  type Snapshot,
  type TransactionRecord,
  takeSnapshot,
} from './transaction-record.ts';
import type { WireTransaction } from './wire-transaction.ts';

/** Blocks that count as made before the chain began, so that its first transactions also need time to become final. */
const BLOCKS_BEFORE_BEGIN = 1000;

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Slots that must follow a transaction's slot before it is confirmed and finalized. */
export interface Confirmations {
  readonly confirmed: number;
  readonly finalized: number;
}

export interface ChainOptions {
  readonly file: string;
  readonly slotMilliseconds: number;
  readonly confirmations: Confirmations;
  readonly now: () => number;
  /** Accounts before the first transaction; called only for a new folder. */
  readonly genesisAccounts: () => ReadonlyMap<string, AccountImage>;
  readonly onBroken?: ((error: unknown) => void) | undefined;
}

export type Chain = ReturnType<typeof openChain>;

export function openChain(engine: Engine, options: ChainOptions) {
  const { confirmations } = options;
  const restored = restoreChain(options.file, engine, confirmations.finalized, options.onBroken);
  const { log, history, versions, tokenOwners } = restored;
  const genesis = restored.genesis ?? beginChain();
  const clock = createChainClock(options.now, {
    anchors: restored.genesis ? restored.anchors : [genesis.anchor],
    offsetMilliseconds: restored.offsetMilliseconds,
  });
  const newAnchor = clock.resume(options.slotMilliseconds, restored.lastUsedSlot);
  if (newAnchor) append({ anchor: newAnchor });
  const genesisSlot = genesis.anchor.slot - BLOCKS_BEFORE_BEGIN;
  const blockhashes = createBlockhashes(Buffer.from(genesis.seed, 'hex'), genesisSlot);
  let prunedThrough = 0;
  let onActivity = (): void => {};

  function append(event: ChainEvent) {
    return log.append(event);
  }

  function beginChain(): Genesis {
    const seed = randomBytes(32);
    const begun: Genesis = {
      format: 1,
      hash: encodeBase58(createHash('sha256').update('genesis').update(seed).digest()),
      seed: seed.toString('hex'),
      anchor: { slot: engine.firstSlot + 2 * BLOCKS_BEFORE_BEGIN, milliseconds: options.now(), slotMilliseconds: options.slotMilliseconds },
      accounts: [...options.genesisAccounts()].map(([address, account]) => storeAccount(address, account)),
    };
    append({ genesis: begun });
    for (const [address, account] of options.genesisAccounts()) engine.place(address, account);
    return begun;
  }

  function slotAt(commitment: Commitment): number {
    const head = clock.currentSlot();
    const lag = commitment === 'processed' ? 0 : confirmations[commitment];
    return Math.max(genesisSlot, head - lag);
  }

  function enterSlot(slot: number): void {
    engine.enterSlot(slot, clock.unixSeconds(slot), blockhashes.hashOf(slot));
    const finalSlot = slotAt('finalized');
    if (finalSlot === prunedThrough) return;
    prunedThrough = finalSlot;
    versions.forgetThrough(finalSlot);
  }

  function findAccount(address: string, slot: number): MaybeAccount {
    const earlier = versions.findAt(address, slot);
    return earlier ? earlier.account : engine.find(address);
  }

  /** Resolves the lookup tables as of `slot`, or returns the runtime's name of the error. */
  function resolve(transaction: WireTransaction, slot: number): ResolvedTransaction | { readonly error: string } {
    const loaded = loadAddresses(transaction.message.lookups, slot, (address) => findAccount(address, slot));
    return 'error' in loaded ? loaded : resolveTransaction(transaction, loaded);
  }

  /** Why a transaction may not land in a block at `slot`, whatever its instructions. */
  function findRefusal(transaction: ResolvedTransaction, slot: number): TransactionError | null {
    if (!blockhashes.isRecent(transaction.message.blockhash, slot)) return 'BlockhashNotFound';
    const known = history.find(transaction.signature);
    return known !== undefined && known.slot <= slot ? 'AlreadyProcessed' : null;
  }

  /** Runs the transaction without effect, on the accounts as they were at `slot`. */
  function simulate(transaction: ResolvedTransaction, slot: number, verifySignatures: boolean): SimulatedOutcome {
    const present: (readonly [string, MaybeAccount])[] = [];
    const tables = transaction.message.lookups.map((lookup) => lookup.table);
    enterSlot(slot);
    try {
      for (const address of [...transaction.addresses, ...tables]) {
        const earlier = versions.findAt(address, slot);
        if (earlier === undefined) continue;
        present.push([address, engine.find(address)]);
        engine.place(address, earlier.account);
      }
      return engine.simulate(transaction.bytes, verifySignatures);
    } finally {
      for (const [address, account] of present) engine.place(address, account);
    }
  }

  /** Executes the transaction. It lands if it ran, even if it failed: it has paid its fee then. */
  function land(transaction: ResolvedTransaction): { readonly landed: boolean; readonly error: TransactionError | null } {
    const slot = clock.currentSlot();
    enterSlot(slot);
    const before = takeSnapshot(engine, transaction);
    const outcome = engine.execute(transaction.bytes);
    const after = takeSnapshot(engine, transaction);
    if (outcome.error !== null && before.lamports[0] === after.lamports[0]) return { landed: false, error: outcome.error };
    const record = createRecord(transaction, { slot, blockTime: clock.unixSeconds(slot) }, outcome, before, after);
    keep(record, before, after);
    return { landed: true, error: outcome.error };
  }

  function keep(record: TransactionRecord, before: Snapshot, after: Snapshot): void {
    const changes = listChanges(before, after);
    const { signature, slot, blockTime, memo, addresses, meta } = record;
    try {
      const position = append({ transaction: record, accounts: changes.map(([address, account]) => storeAccount(address, account)) });
      history.add({ signature, slot, blockTime, error: meta.err, memo, addresses, position });
    } catch (cause) {
      for (const [address] of changes) engine.place(address, before.writable.get(address));
      throw unhealthy(cause);
    }
    for (const [address, account] of changes) {
      versions.record(slot, address, before.writable.get(address));
      tokenOwners.note(address, account);
    }
    onActivity();
  }

  return {
    genesisHash: genesis.hash,
    genesisSlot,
    slotMilliseconds: options.slotMilliseconds,
    confirmations,
    history,
    slotAt,
    findAccount,
    resolve,
    findRefusal,
    simulate,
    land,
    blockhash: blockhashes.hashOf,
    isRecentBlockhash: blockhashes.isRecent,
    /** Height counts blocks from the chain's own beginning, so that clients that confuse slot and height fail here. */
    heightOf: (slot: number) => slot - genesisSlot,
    unixSeconds: clock.unixSeconds,
    rentExemptMinimum: engine.rentExemptMinimum,

    readRecord: (entry: HistoryEntry) => (log.read(entry.position) as { transaction: TransactionRecord }).transaction,

    listOwnedBy(program: string, slot: number): (readonly [string, AccountImage])[] {
      const found = new Map(engine.listOwnedBy(program));
      for (const address of versions.listChangedAfter(slot)) {
        const account = findAccount(address, slot);
        if (account?.owner === program) found.set(address, account);
        else found.delete(address);
      }
      return [...found];
    },

    *listTokenAccounts(owner: string, slot: number): Iterable<readonly [string, AccountImage]> {
      for (const address of tokenOwners.listCandidates(owner)) {
        const account = findAccount(address, slot);
        if (account !== undefined) yield [address, account];
      }
    },

    advance(seconds: number): void {
      clock.advance(seconds * 1000);
      append({ offsetMilliseconds: clock.offsetMilliseconds() });
      onActivity();
    },

    /** Removes all transactions that are not final, and undoes their effects. */
    reorg(): number {
      const slot = slotAt('finalized');
      const accounts = versions.rollBack(slot);
      append({ reorg: { slot }, accounts: [...accounts].map(([address, account]) => storeAccount(address, account)) });
      for (const [address, account] of accounts) engine.place(address, account);
      const dropped = history.dropAfter(slot);
      onActivity();
      return dropped.length;
    },

    /** Resolves when all changes so far are on disk. */
    async settled(): Promise<void> {
      try {
        await log.settled();
      } catch (cause) {
        throw unhealthy(cause);
      }
    },

    isHealthy: log.isHealthy,

    onActivity(listener: () => void): void {
      onActivity = listener;
    },

    close: log.close,
  };
}

function unhealthy(cause: unknown): RpcError {
  const error = new RpcError(-32005, 'Node is unhealthy: the chain log cannot be written', { numSlotsBehind: null });
  error.cause = cause;
  return error;
}
