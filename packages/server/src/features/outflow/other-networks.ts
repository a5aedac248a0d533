/**
 * After a restore nothing leaves on any network until every network has been compared: the lost books may have paid there what these books
 * want to pay here. After a pause alone, only intents that another network can pay ask for it, and a node that is away holds nothing.
 */
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { doubtOf } from './doubt.ts';
import type { Holder } from './holder.ts';
import { findHolderCursor, listPutBack, readOutflowClosed } from './repository.ts';

interface Context {
  readonly database: Database;
  readonly log: Logger;
  readonly standing: () => readonly Holder[];
}

export interface OtherNetworks {
  /** Throws `ChainUnavailable` when the books were put back and a network cannot be asked. */
  settle(holder: Holder): Promise<void>;
  /** Networks that must be compared before anything leaves, each with a sentence for the operator. */
  listAwaited(): Promise<Readonly<Record<string, string>>>;
  forget(): void;
}

export function createOtherNetworks({ database, log, standing }: Context, compareOnce: (holder: Holder) => Promise<void>): OtherNetworks {
  const { db } = database;
  const settled = new Set<string>();

  async function settleOne(other: Holder, sharesIntents: boolean): Promise<void> {
    const doubt = doubtOf(await findHolderCursor(db, other.name));
    if (doubt === 'none' || (doubt === 'maybe' && !sharesIntents)) return;
    try {
      await compareOnce(other);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      if (doubt === 'certain') throw new ChainUnavailable(other.chain.network, awaits(other), error);
      log.warn({ err: error, holder: other.label }, 'payments on other networks go on without this comparison');
    }
  }

  return {
    async settle({ chain, sharesIntents }) {
      const others = standing().filter(({ chain: { network } }) => network !== chain.network);
      const open = others
        .map((other) => ({ other, shares: sharesIntents === true && other.sharesIntents === true }))
        .filter(({ other, shares }) => !settled.has(nameOf(other, shares)));
      // While outflow is closed nothing is signed, and `market reconcile` asks every network before it opens.
      if (open.length === 0 || (await readOutflowClosed(db)) !== null) return;
      for (const { other, shares } of open) {
        await settleOne(other, shares);
        settled.add(nameOf(other, shares));
      }
    },

    async listAwaited() {
      const putBack = new Set(await listPutBack(db));
      const awaited = standing().filter(({ name }) => putBack.has(name));
      return Object.fromEntries(awaited.map((holder) => [holder.chain.network, awaits(holder)]));
    },

    forget: () => settled.clear(),
  };
}

/** Intents that another network can pay ask for more, so they are settled apart. */
const nameOf = ({ name }: Holder, shares: boolean): string => (shares ? `${name} shared` : name);

function awaits({ label }: Holder): string {
  return `after a restore nothing leaves until ${label} has been compared with its chain`;
}
