// A view of the chain at one commitment level: its accounts, and the context that answers report.

import type { MaybeAccount } from './account-image.ts';
import type { Chain } from './chain.ts';
import { RpcError } from './rpc-error.ts';
import { type Config, findInteger, readCommitment } from './rpc-params.ts';

export const NODE_VERSION = '3.1.0';

export interface Bank {
  readonly slot: number;
  find(address: string): MaybeAccount;
  /** The value with the slot at which it was read. */
  answer<Value>(value: Value): { readonly context: { readonly apiVersion: string; readonly slot: number }; readonly value: Value };
}

export function openBank(chain: Chain, config: Config, commitmentName?: string): Bank {
  const slot = chain.slotAt(readCommitment(config, commitmentName));
  const minimum = findInteger(config['minContextSlot'], 'minContextSlot');
  if (minimum !== undefined && minimum > slot) {
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: slot });
  }
  return {
    slot,
    find: (address) => chain.findAccount(address, slot),
    answer: (value) => ({ context: { apiVersion: NODE_VERSION, slot }, value }),
  };
}
