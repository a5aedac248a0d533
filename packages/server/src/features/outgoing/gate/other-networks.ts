/**
 * After a restore, nothing leaves on any network until all networks were compared. The lost books may have made the same payment on another
 * one. After a mere pause, only intents that another network can pay wait for it, and an unreachable node holds up nothing.
 */
import { type NetworkName, networkFacts, networkNames } from '@market/contract';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { doubtOf } from './doubt.ts';
import type { Holder } from './holder.ts';
import { findHolderCursor, listPutBack, readOutflowClosed } from './repository.ts';

/** A treasury, by its network. */
interface Unasked extends Pick<Holder, 'label'> {
  readonly network: NetworkName;
}

/**
 * Treasuries that were last compared before a restore, and whose networks have no node in the settings. Lost books may have made the same
 * payments there.
 */
export async function listUnasked({ db }: Database, asked: Iterable<Pick<Holder, 'name'>>): Promise<readonly Unasked[]> {
  const names = new Set([...asked].map(({ name }) => name));
  // The name of a treasury is the id of its network. All other names are paths.
  const treasuries = (await listPutBack(db)).filter((name) => !names.has(name) && !name.includes('/'));
  return treasuries.flatMap((name) => {
    const network = networkOf(name);
    return network === undefined ? [] : [{ network, label: `the treasury on ${networkFacts[network].label}` }];
  });
}

/** The id of one network is a setting, so an unknown id is of that one. */
function networkOf(caip2: string): NetworkName | undefined {
  return [caip2, null].flatMap((id) => networkNames.filter((network) => networkFacts[network].caip2 === id))[0];
}

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

  async function requireNodes(): Promise<void> {
    if (settled.has(UNASKED)) return;
    const [unasked] = await listUnasked(database, standing());
    if (unasked !== undefined) throw new ChainUnavailable(unasked.network, `${awaits(unasked)}; its node is missing in the settings`);
    settled.add(UNASKED);
  }

  return {
    async settle({ chain, sharesIntents }) {
      const others = standing().filter(({ chain: { network } }) => network !== chain.network);
      const open = others
        .map((other) => ({ other, shares: sharesIntents === true && other.sharesIntents === true }))
        .filter(({ other, shares }) => !settled.has(nameOf(other, shares)));
      // While outflow is closed nothing is signed, and `market reconcile` asks every network before it opens.
      if ((open.length === 0 && settled.has(UNASKED)) || (await readOutflowClosed(db)) !== null) return;
      await requireNodes();
      for (const { other, shares } of open) {
        await settleOne(other, shares);
        settled.add(nameOf(other, shares));
      }
    },

    async listAwaited() {
      const putBack = new Set(await listPutBack(db));
      const awaited = standing().flatMap((holder) => (putBack.has(holder.name) ? [{ ...holder, network: holder.chain.network }] : []));
      const all = [...awaited, ...(await listUnasked(database, standing()))];
      return Object.fromEntries(all.map((one) => [one.network, awaits(one)]));
    },

    forget: () => settled.clear(),
  };
}

/** Shared intents need a comparison also after a mere pause, so they are settled apart. */
const nameOf = ({ name }: Holder, shares: boolean): string => (shares ? `${name} shared` : name);

/** Settled when no treasury is left that the settings do not name. */
const UNASKED = 'unasked';

function awaits({ label }: Pick<Holder, 'label'>): string {
  return `after a restore nothing leaves until ${label} has been compared with its chain`;
}
