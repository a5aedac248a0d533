// Types of the lines in the chain log.

import type { StoredAccount } from './account-image.ts';
import type { SlotAnchor } from './chain-clock.ts';
import type { TransactionRecord } from './transaction-record.ts';

export interface Genesis {
  readonly format: 1;
  readonly hash: string;
  readonly seed: string;
  readonly anchor: SlotAnchor;
  readonly accounts: readonly StoredAccount[];
}

export type ChainEvent =
  | { readonly genesis: Genesis }
  | { readonly transaction: TransactionRecord; readonly accounts: readonly StoredAccount[] }
  /** A reorg took back everything after `slot`; `accounts` are the accounts as they were then. */
  | { readonly reorg: { readonly slot: number }; readonly accounts: readonly StoredAccount[] }
  | { readonly anchor: SlotAnchor }
  | { readonly offsetMilliseconds: number };
