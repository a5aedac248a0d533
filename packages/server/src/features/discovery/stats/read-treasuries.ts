/** Compares every treasury with the books and stores both, so that reads never call a chain. */
import type { NetworkName } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { type Obligations, readObligations, storeReadings, type TreasuryReading } from './treasury-repository.ts';

export interface TreasuriesContext {
  readonly database: Database;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly log: Logger;
}

const TRIES = 3;

/**
 * Chain and books cannot be read in one snapshot. So a reading counts when the books did not change while the chain was read, or after the
 * last try. A network that does not answer keeps its last reading, which is shown with its age.
 */
export async function readTreasuries({ database: { db }, chains, log }: TreasuriesContext): Promise<void> {
  const readings: Omit<TreasuryReading, 'readAt'>[] = [];
  let left = [...chains.values()];
  let before = await readObligations(db);
  for (let look = 1; left.length > 0; look++) {
    const balances = await readBalances(left, log);
    const after = await readObligations(db);
    const settled = left.filter(({ network }) => look === TRIES || areEqual(before(network), after(network)));
    for (const { network } of settled) {
      const heldMicros = balances.get(network);
      if (heldMicros !== undefined) readings.push({ network, heldMicros, ...after(network) });
    }
    left = left.filter((chain) => balances.has(chain.network) && !settled.includes(chain));
    before = after;
  }
  await storeReadings(db, readings);
}

async function readBalances(chains: readonly Chain[], log: Logger): Promise<ReadonlyMap<NetworkName, bigint>> {
  const balances = new Map<NetworkName, bigint>();
  const readBalance = async (chain: Chain): Promise<void> => {
    try {
      balances.set(chain.network, (await chain.readBalances(chain.treasury)).usdcMicros);
    } catch (error) {
      log.warn({ err: error, network: chain.network }, 'a treasury could not be read');
    }
  };
  await Promise.all(chains.map(readBalance));
  return balances;
}

function areEqual(a: Obligations, b: Obligations): boolean {
  return Object.entries(a).every(([name, micros]) => b[name as keyof Obligations] === micros);
}
