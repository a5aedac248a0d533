// The protocol between the service and the chains process: JSON over HTTP on a separate loopback port, so that a chain that
// simulates an outage can still be controlled.
import { join } from 'node:path';
import type { NetworkName } from '@market/sdk';
import type { VenueAction } from '../evm/steer-venue.ts';
import type { ReadyWallet } from './ready-wallets.ts';
import type { FaultMode, NetworkDescription } from './sandbox-chains.ts';

/** The line that the process writes once all chains answer. */
export interface ReadyLine {
  readonly controlUrl: string;
  readonly networks: readonly NetworkDescription[];
  readonly wallets: readonly ReadyWallet[];
}

/** The exit code if another process uses the folder. */
export const FOLDER_IN_USE = 3;

/** The file with the ready line of the running process, for other servers on the same folder. */
export function runningFile(folder: string): string {
  return join(folder, 'running.json');
}

export interface FundBody {
  readonly network: NetworkName;
  readonly address: string;
  /** Decimal digits, because JSON has no big integers. */
  readonly usdcMicros: string;
  readonly native: string;
}

export interface FaultBody {
  readonly network: NetworkName;
  readonly mode: FaultMode;
  readonly seconds?: number;
}

export interface VenueBody {
  readonly network: NetworkName;
  readonly venue: string;
  readonly action: VenueAction;
  readonly micros: string;
}

export interface AdvanceBody {
  readonly seconds: number;
}
