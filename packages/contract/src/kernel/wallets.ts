import { z } from 'zod';

export const walletChain = z.enum(['solana', 'base']).describe('Kind of wallet');
export type WalletChain = z.infer<typeof walletChain>;

const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export const solanaAddress = z
  .string()
  .regex(SOLANA_ADDRESS, 'Must be a base58 Solana address.')
  .meta({ id: 'SolanaAddress', examples: ['7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK'] });

export const evmAddress = z
  .string()
  .regex(EVM_ADDRESS, 'Must be an EVM address: 0x and 40 hex characters.')
  .meta({ id: 'EvmAddress', examples: ['0x857b06519E91e3A54538791bDbb0E22373e36b66'] });

export const walletAddress = z
  .string()
  .refine((value) => chainOfAddress(value) !== undefined, 'Must be a base58 Solana address or a 0x EVM address.')
  .meta({ id: 'WalletAddress', description: 'Base58 Solana address or 0x EVM address' });

/** A 42-character 0x address is an EVM wallet, a base58 string of 32-44 characters a Solana wallet. */
export function chainOfAddress(address: string): WalletChain | undefined {
  if (EVM_ADDRESS.test(address)) return 'base';
  if (SOLANA_ADDRESS.test(address)) return 'solana';
  return undefined;
}
