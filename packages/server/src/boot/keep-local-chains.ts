/** Keeps the sandbox's chains running: replaces a killed process by a new one with the same folder and ports. */
import { MarketError } from '@market/contract';
import { openSandboxChains, type RunningChains, type SandboxChains } from '@market/sandbox/chains';
import type { Config } from '../config.ts';
import { probeDisk } from '../platform/storage/disk-probe.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { keepRunning } from './keep-running.ts';
import { localNetworks } from './local-networks.ts';

export interface KeptChains {
  readonly localChains: SandboxChains;
  readonly missing: () => string | undefined;
}

export interface KeepChainsOptions {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called when the chains died and cannot be restarted. */
  readonly onGivenUp: (error: Error) => void;
}

export function wantsLocalChains({ profile, sandboxChains }: Config): boolean {
  return profile === 'sandbox' && sandboxChains.mode !== 'off';
}

export async function keepLocalChains({ dataDir, sandboxChains }: Config, { log, onGivenUp }: KeepChainsOptions): Promise<KeptChains> {
  const kept = await keepRunning<RunningChains>({
    name: 'The process of the local chains',
    start: (previous) =>
      openSandboxChains({
        folder: sandboxChains.folder,
        // Clients already know the URLs, so a restart keeps the ports.
        networks: localNetworks(previous === undefined ? sandboxChains.ports : portsOf(previous)),
        fast: sandboxChains.mode === 'fast',
        log: (message) => log.info(message),
      }),
    isDiskFull: async () => (await probeDisk(dataDir)) === 'full',
    onGivenUp,
    log,
  });
  const { networks, wallets } = kept.current;
  const running = (): SandboxChains => {
    const reason = kept.missing();
    if (reason !== undefined) throw new MarketError('unavailable', { message: `The local chains: ${reason}.`, retryAfterSeconds: 2 });
    return kept.current;
  };
  return {
    missing: kept.missing,
    localChains: {
      networks,
      wallets,
      fundWallets: async () => await running().fundWallets(),
      fund: async (request) => await running().fund(request),
      setFault: async (request) => await running().setFault(request),
      steerVenue: async (request) => await running().steerVenue(request),
      advance: async (seconds) => await running().advance(seconds),
      async close() {
        await kept.stopKeeping();
        await kept.current.close();
      },
    },
  };
}

function portsOf({ networks }: SandboxChains): Config['sandboxChains']['ports'] {
  const ports = networks.map(({ network, rpcUrl }) => [network, Number(new URL(rpcUrl).port)]);
  return Object.fromEntries(ports) as Config['sandboxChains']['ports'];
}
