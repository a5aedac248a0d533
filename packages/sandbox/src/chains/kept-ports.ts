// Chains with free choice of ports keep them over restarts: processes that outlive the chains know them by their ports.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readIfPresent, writeDurably } from '../state-file.ts';
import type { LocalNetwork } from './local-network.ts';
import type { NetworkDescription } from './sandbox-chains.ts';

export interface KeptPorts {
  readonly networks: readonly LocalNetwork[];
  remember(running: readonly NetworkDescription[]): Promise<void>;
}

/** Gives up a port that another program uses meanwhile. */
export async function keepPorts(folder: string, networks: readonly LocalNetwork[]): Promise<KeptPorts> {
  const file = join(folder, 'ports.json');
  const former = readPorts(await readIfPresent(file));
  const chosen = networks.map(async (network): Promise<LocalNetwork> => {
    const port = former[network.network];
    return network.port === 0 && port !== undefined && (await isFree(port)) ? { ...network, port } : network;
  });
  return {
    networks: await Promise.all(chosen),
    async remember(running) {
      const ports = Object.fromEntries(running.map(({ network, rpcUrl }) => [network, Number(new URL(rpcUrl).port)]));
      await writeDurably(file, JSON.stringify(ports));
    },
  };
}

function readPorts(text: string | undefined): Readonly<Record<string, number>> {
  return text === undefined ? {} : (JSON.parse(text) as Record<string, number>);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return await new Promise((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
