/**
 * An intent can be paid on one network or another, so lost books may have paid on another network what these books want to pay here. While
 * these books may lack something, the other networks are compared first.
 */
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import type { Database } from '../../platform/db/database.ts';
import { readBooksMark } from '../../platform/db/database-place.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { doubtOf } from './doubt.ts';
import type { Holder } from './holder.ts';
import { findHolderCursor, readOutflowClosed } from './repository.ts';

interface Context {
  readonly database: Database;
  readonly log: Logger;
  readonly standing: () => readonly Holder[];
}

export interface OtherNetworks {
  /** Throws `ChainUnavailable` when the books were put back for certain and a network cannot be asked. */
  settle(holder: Holder, known: { readonly isRestored: boolean }): Promise<void>;
  forget(): void;
}

export function createOtherNetworks({ database, log, standing }: Context, compareOnce: (holder: Holder) => Promise<void>): OtherNetworks {
  const { db } = database;
  const settled = new Set<string>();

  async function settleOne(other: Holder, isRestored: boolean): Promise<void> {
    const [{ place }, known] = [await readBooksMark(db), await findHolderCursor(db, other.name)];
    const doubt = doubtOf(known, place, { isRestored });
    if (doubt === 'none') return;
    try {
      await compareOnce(other);
    } catch (error) {
      // A network that is away holds no payment on another because of a pause alone.
      if (doubt === 'certain' || !(error instanceof ChainUnavailable)) throw error;
      log.warn({ err: error, holder: other.label }, 'payments on other networks go on without this comparison');
    }
  }

  return {
    async settle({ chain, sharesIntents }, { isRestored }) {
      if (sharesIntents !== true) return;
      const others = standing().filter(
        (other) => other.sharesIntents === true && other.chain.network !== chain.network && !settled.has(other.name),
      );
      // While outflow is closed nothing is signed, and `market reconcile` asks every network before it opens.
      if (others.length === 0 || (await readOutflowClosed(db)) !== null) return;
      for (const other of others) {
        await settleOne(other, isRestored);
        settled.add(other.name);
      }
    },
    forget: () => settled.clear(),
  };
}
