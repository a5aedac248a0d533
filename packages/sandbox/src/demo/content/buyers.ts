// The buyers of the demo. None of them owns a demo agent, so no order is between related parties.
import type { DemoBuyer } from './content.ts';

export const buyers: readonly DemoBuyer[] = [
  { key: 'mara', network: 'base-mainnet', person: { name: 'Mara Okafor', email: 'mara.okafor@example.com' } },
  { key: 'jonas', network: 'solana-mainnet', person: { name: 'Jonas Brandt', email: 'jonas.brandt@example.com' } },
  { key: 'lea', network: 'base-mainnet', person: { name: 'Lea Virtanen', email: 'lea.virtanen@example.com' } },
  { key: 'harbour', network: 'base-mainnet' },
  { key: 'orchard', network: 'solana-mainnet' },
  { key: 'quarry', network: 'solana-mainnet' },
  { key: 'lantern', network: 'alt-mainnet' },
  { key: 'relay', network: 'base-mainnet' },
  { key: 'probe', network: 'solana-mainnet' },
];
