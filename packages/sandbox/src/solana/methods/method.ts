// Input and output of every RPC method.

import type { Chain } from '../chain.ts';
import type { Faucet } from '../faucet.ts';

export interface MethodContext {
  readonly chain: Chain;
  readonly faucet: Faucet;
  /** Whether transactions sent now are to be lost on their way. */
  readonly dropsTransactions: () => boolean;
}

export type Method = (context: MethodContext, params: readonly unknown[]) => unknown;
