// The common type of RPC methods.

import type { Chain } from '../chain.ts';
import type { Faucet } from '../faucet.ts';

export interface MethodContext {
  readonly chain: Chain;
  readonly faucet: Faucet;
  /** True while the fault `drop_tx` makes the node lose transactions. */
  readonly dropsTransactions: () => boolean;
}

export type Method = (context: MethodContext, params: readonly unknown[]) => unknown;
