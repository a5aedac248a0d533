import type { NetworkName } from '@market/sdk';

/** One chain to run, as the service describes it. */
export interface LocalNetwork {
  readonly network: NetworkName;
  readonly kind: 'solana' | 'evm';
  readonly caip2: string;
  /** Folder of its state. */
  readonly folder: string;
  /** 0 takes a free port. */
  readonly port: number;
}
