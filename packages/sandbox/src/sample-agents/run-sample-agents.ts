// Opens the two sample agents by their owner's wallet, and runs their workers.
import { INKWELL, sampleOffers, TESSERA } from '../demo/content/sample-offers.ts';
import type { Market } from '../demo/market-access.ts';
import { type OpenedAgent, openAgent, openServices } from '../demo/open-offers.ts';
import { inkwell } from './inkwell.ts';
import { tessera } from './tessera.ts';
import { type Craft, runWorker } from './worker.ts';

const crafts: Readonly<Record<string, Craft>> = { [INKWELL]: inkwell, [TESSERA]: tessera };

export interface SampleAgent {
  readonly agent: OpenedAgent;
  readonly craft: Craft;
}

/** `listing` is false once the demo is complete, so that a deactivated service stays off. */
export async function openSampleAgents(
  market: Market,
  listing: boolean,
  onProgress: (message: string) => void,
): Promise<readonly SampleAgent[]> {
  const opened: SampleAgent[] = [];
  for (const offer of sampleOffers) {
    const craft = crafts[offer.name];
    const agent = await openAgent(market, offer);
    if (agent === undefined || craft === undefined) {
      onProgress(`the name ${offer.name} is taken, so this sample agent does not run`);
      continue;
    }
    if (listing) await openServices(agent, offer);
    opened.push({ agent, craft });
  }
  return opened;
}

export async function runSampleAgents(
  agents: readonly SampleAgent[],
  signal: AbortSignal,
  onProgress: (message: string) => void,
): Promise<void> {
  await Promise.all(agents.map(({ agent, craft }) => runWorker({ client: agent.client, agentId: agent.id, craft, signal, onProgress })));
}
