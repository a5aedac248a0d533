/** The three payment networks, as data. Which of them a deployment serves is its configuration. */
import { z } from 'zod';

export const networkNames = ['solana-mainnet', 'base-mainnet', 'alt-mainnet'] as const;
export type NetworkName = (typeof networkNames)[number];

export const networkName = z.enum(networkNames).meta({ id: 'Network', description: 'Payment network' });

export interface NetworkFacts {
  readonly name: NetworkName;
  /** Short name on older fields (`payment_chain`). */
  readonly chain: 'solana' | 'base' | 'alt';
  readonly kind: 'solana' | 'evm';
}

export const networkFacts: Readonly<Record<NetworkName, NetworkFacts>> = {
  'solana-mainnet': { name: 'solana-mainnet', chain: 'solana', kind: 'solana' },
  'base-mainnet': { name: 'base-mainnet', chain: 'base', kind: 'evm' },
  'alt-mainnet': { name: 'alt-mainnet', chain: 'alt', kind: 'evm' },
};
