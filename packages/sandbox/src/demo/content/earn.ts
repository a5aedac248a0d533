// Who has put USDC into which venue, and who takes some of it out again while the pool's USDC is behind open positions.
import { TESSERA } from './sample-offers.ts';

export interface DemoDeposit {
  readonly buyer: string;
  readonly venue: 'lend' | 'pool';
  readonly usd: string;
}

/** The first of each venue, so 100 USD or more. */
export const demoDeposits: readonly DemoDeposit[] = [
  { buyer: 'mara', venue: 'lend', usd: '250.00' },
  { buyer: 'lea', venue: 'pool', usd: '140.00' },
];

/** Out of the agent's own wallet, after the deposits above. */
export const demoAgentDeposit = { agent: TESSERA, venue: 'lend', usd: '60.00' } as const;

/** About this much waits in the queue of the pool. */
export const demoWithdrawal = { buyer: 'lea', venue: 'pool', micros: 12_000_000n } as const;
