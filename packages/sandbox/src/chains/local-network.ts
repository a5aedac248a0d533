import type { NetworkName } from '@market/sdk';

/** The service's description of a chain to run. */
export interface LocalNetwork {
  readonly network: NetworkName;
  readonly kind: 'solana' | 'evm';
  readonly caip2: string;
  /** Folder of the chain's state. */
  readonly folder: string;
  /** 0 takes a free port. */
  readonly port: number;
}
