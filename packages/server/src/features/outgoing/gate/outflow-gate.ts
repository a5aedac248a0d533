/**
 * Nothing leaves a holder before it was compared with its chain. A transfer that the books miss closes outflow for every holder and all
 * processes, as after the restore of an old backup. It stays closed until `market reconcile` has booked the transfer.
 */
import type { NetworkName } from '@market/contract';
import type { Database } from '../../../platform/db/database.ts';
import { type BooksMark, readBooksMark, wasPutBack } from '../../../platform/db/database-identity.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { doubtOf } from './doubt.ts';
import type { Holder, HolderComparison } from './holder.ts';
import { createOtherNetworks } from './other-networks.ts';
import { closeOutflow, findHolderCursor, markPutBack, readOutflowClosed, writeHolderCursor } from './repository.ts';

export interface OutflowGate {
  /**
   * Compares this holder and the standing holders of its network, once per process; after a restore, those of all networks. Throws
   * `ChainUnavailable` when a chain cannot be asked.
   */
  requireCompared(holder: Holder): Promise<void>;
  /** Why nothing may leave this holder now; undefined when it may. */
  findClosed(holder: Holder): Promise<string | undefined>;
  /** Compares the standing holders. A job repeats it. */
  compareStanding(): Promise<void>;
  /** Networks that must be compared after a restore before anything leaves, each with a sentence for the operator. */
  listAwaited(): Promise<Readonly<Record<string, string>>>;
}

export interface GateContext {
  readonly database: Database;
  readonly log: Logger;
  /** Holders that always pay: treasuries, the vault of creator fees, vaults of Earn. An agent's wallet is compared before its first movement. */
  readonly standing: () => readonly Holder[];
  /** Called when the database was restored under this process. The process remembers other books, so it should end. */
  readonly onRestored?: ((error: Error) => void) | undefined;
}

export function createOutflowGate(context: GateContext): OutflowGate {
  const { database, log } = context;
  const compared = new Map<string, Promise<void>>();
  let late = createLateWait();
  let seen: BooksMark | undefined;

  async function compare(holder: Holder): Promise<void> {
    const { strangers, expected = [], cursor, place } = await compareHolder(database, holder, late);
    if (strangers.length === 0) {
      await database.transaction(async (tx) => {
        for (const one of expected) await one.book(tx);
        await writeHolderCursor(tx, holder.name, cursor, place);
      });
      return;
    }
    if (await closeOutflow(database.db, closedReason(holder, strangers)))
      log.error(
        { holder: holder.label, references: strangers.map(({ reference }) => reference) },
        'outflow is closed: the chain shows what the books do not know; run market reconcile',
      );
  }

  /** Compares a holder once per process, and again if that failed. */
  function compareOnce(holder: Holder): Promise<void> {
    const known = compared.get(holder.name);
    if (known !== undefined) return known;
    const comparing = compare(holder);
    compared.set(holder.name, comparing);
    comparing.catch(() => compared.delete(holder.name));
    return comparing;
  }

  const others = createOtherNetworks(context, compareOnce);

  async function forgetIfRestored(): Promise<void> {
    const before = seen;
    const now = await readBooksMark(database.db);
    const isOlder = before !== undefined && (await wasPutBack(database.db, before, now));
    if (!isOlder) {
      seen = now;
      return;
    }
    compared.clear();
    others.forget();
    late = createLateWait();
    await markPutBack(database.db);
    seen = now;
    context.onRestored?.(new Error('An older copy of the database was put back while this process ran. Start it again.'));
  }

  async function requireCompared(holder: Holder): Promise<void> {
    await forgetIfRestored();
    const ofNetwork = context.standing().filter(({ chain, name }) => chain.network === holder.chain.network && name !== holder.name);
    for (const each of [...ofNetwork, holder]) await compareOnce(each);
    await others.settle(holder);
  }

  async function compareAll(holders: readonly Holder[]): Promise<void> {
    for (const holder of holders) {
      try {
        await compare(holder);
        compared.set(holder.name, Promise.resolve());
      } catch (error) {
        log.warn({ err: error, holder: holder.label }, 'books and chain could not be compared; the next round tries again');
      }
    }
  }

  return {
    requireCompared,

    async findClosed(holder) {
      await requireCompared(holder);
      return (await readOutflowClosed(database.db)) ?? undefined;
    },

    async compareStanding() {
      await forgetIfRestored();
      // Compare networks in parallel: an unreachable node does not hold up the others.
      const networks = Map.groupBy(context.standing(), ({ chain }) => chain.network);
      await Promise.all([...networks.values()].map(compareAll));
    },

    listAwaited: others.listAwaited,
  };
}

/** Compares in the background. An error is logged, because a database that is away must not end the process. */
export function startComparing(gate: Pick<OutflowGate, 'compareStanding'>, log: Logger): void {
  gate.compareStanding().catch((error: unknown) => {
    log.warn({ err: error }, 'books and chains could not be compared at the start; a job tries again');
  });
}

function closedReason({ label }: Holder, strangers: HolderComparison['strangers']): string {
  const what = strangers.length === 1 ? 'a transfer' : `${strangers.length} transfers`;
  return `Outflow is closed: the chain shows ${what} from ${label} that these books do not know. Run market reconcile.`;
}

export interface PlacedComparison extends HolderComparison {
  readonly place: string;
}

/** Waits, once per network, until everything that lost books may have signed has landed or can no longer land. */
export type LateWait = (chain: Holder['chain']) => Promise<void>;

export function createLateWait(): LateWait {
  const waited = new Map<NetworkName, Promise<void>>();
  return (chain) => {
    const known = waited.get(chain.network);
    if (known !== undefined) return known;
    const waiting = chain.awaitLateTransfers();
    waited.set(chain.network, waiting);
    waiting.catch(() => waited.delete(chain.network));
    return waiting;
  };
}

/** Reads the chain first: a transfer sent later is already stored in the books. */
export async function compareHolder(
  { db }: Database,
  holder: Holder,
  awaitLate: LateWait,
  { isRestored = false }: { readonly isRestored?: boolean } = {},
): Promise<PlacedComparison> {
  const [mark, known] = [await readBooksMark(db), await findHolderCursor(db, holder.name)];
  if (isRestored || doubtOf(known) !== 'none') await awaitLate(holder.chain);
  const comparison = await holder.compare(known?.cursor ?? null);
  // The result is valid only for the books with which the comparison began.
  if (await wasPutBack(db, mark, await readBooksMark(db))) throw new Error(`The database was put back while ${holder.label} was compared.`);
  return { ...comparison, place: mark.place };
}
