/** Compares every treasury with the books and stores both, so that reads never call a chain. */
import type { NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { type Obligations, readObligations, storeReading } from './treasury-repository.ts';

export interface TreasuriesContext {
  readonly database: Database;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly log: Logger;
}

const TRIES = 3;

/** A network that does not answer keeps its last reading, shown with its age. */
export async function readTreasuries({ database: { db }, chains, log }: TreasuriesContext): Promise<void> {
  for (const chain of chains.values()) {
    try {
      await storeReading(db, { network: chain.network, ...(await readAtOneMoment(() => readObligations(db, chain.network), chain)) });
    } catch (error) {
      log.warn({ err: error, network: chain.network }, 'a treasury could not be read');
    }
  }
}

/** Chain and books cannot be read in one snapshot. If the books did not change meanwhile, the result is the same. */
async function readAtOneMoment(read: () => Promise<Obligations>, chain: Chain): Promise<Obligations & { readonly heldMicros: bigint }> {
  let before = await read();
  for (let look = 1; ; look++) {
    const { usdcMicros: heldMicros } = await chain.readBalances(chain.treasury);
    const after = await read();
    if (look === TRIES || areEqual(before, after)) return { ...after, heldMicros };
    before = after;
  }
}

function areEqual(a: Obligations, b: Obligations): boolean {
  return Object.entries(a).every(([name, micros]) => b[name as keyof Obligations] === micros);
}
