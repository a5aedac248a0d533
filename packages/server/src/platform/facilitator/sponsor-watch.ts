/** Networks that can settle standard payments now: the node answers, and the sponsor has coins for more settlements. */
import type { NetworkName } from '@market/contract';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { refreshInBackground } from './refresh-in-background.ts';
import type { Settler } from './settler.ts';

export interface SponsorWatch {
  readonly networks: readonly NetworkName[];
}

export interface SponsorWatchOptions {
  readonly settlers: readonly Settler[];
  readonly log: Pick<Logger, 'warn' | 'info'>;
  readonly metrics: Pick<Metrics, 'gauge'>;
  readonly freshMs?: number;
}

const LEAST_SETTLEMENTS = 20;
const FRESH_MS = 30_000;

/** Checks once before it returns. Later reads start a new check in the background if the last one is old. */
export async function watchSponsors({ settlers, log, metrics, freshMs = FRESH_MS }: SponsorWatchOptions): Promise<SponsorWatch> {
  const left = new Map<NetworkName, number>();
  const unseen = new Set<NetworkName>();

  /** Never throws, because it runs in the background. */
  async function look(): Promise<boolean> {
    const counts = await Promise.all(settlers.map(count));
    for (const [index, settler] of settlers.entries()) note(settler, counts[index] ?? 0);
    return !counts.includes(undefined);
  }

  /** Undefined when the node is unavailable. */
  async function count({ network, countAffordable }: Settler): Promise<number | undefined> {
    try {
      const settlements = await countAffordable();
      unseen.delete(network);
      return settlements;
    } catch (error) {
      if (!unseen.has(network)) log.warn({ err: error, network }, 'the x402 sponsor could not be looked at');
      unseen.add(network);
      return undefined;
    }
  }

  function note({ network }: Settler, settlements: number): void {
    const was = left.get(network);
    left.set(network, settlements);
    const [isOn, wasOn] = [settlements >= LEAST_SETTLEMENTS, (was ?? LEAST_SETTLEMENTS) >= LEAST_SETTLEMENTS];
    if (isOn === wasOn) return;
    if (isOn) log.info({ network, settlements }, 'standard x402 payments are offered again');
    else log.warn({ network, settlements }, 'standard x402 payments are not offered: the sponsor cannot pay for enough settlements');
  }

  for (const { network } of settlers) {
    const name = `market_x402_settlements_left_${network.replaceAll('-', '_')}`;
    metrics.gauge(name, `Settlements the x402 sponsor can still pay for on ${network}`, () => left.get(network) ?? 0);
  }
  const lookIfOld = await refreshInBackground(freshMs, look);
  return {
    get networks() {
      lookIfOld();
      return settlers.map(({ network }) => network).filter((network) => (left.get(network) ?? 0) >= LEAST_SETTLEMENTS);
    },
  };
}
