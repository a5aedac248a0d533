/** Where people look at a transaction of a public network. The sandbox's chains have no such place. */
import type { NetworkName } from '@market/contract';

const explorers: Partial<Record<NetworkName, string>> = {
  'base-mainnet': 'https://basescan.org/tx/',
  'solana-mainnet': 'https://solscan.io/tx/',
};

export function explorerUrl(network: NetworkName, reference: string): string | null {
  const place = explorers[network];
  return place === undefined ? null : `${place}${reference}`;
}
