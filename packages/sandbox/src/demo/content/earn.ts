// Who has put USDC into which venue, and who takes some of it out again while the pool's USDC is behind open positions.
import type { MarketClient } from '@market/sdk';
import { TESSERA } from './sample-offers.ts';

type Strategy = Awaited<ReturnType<MarketClient['earn']['markets']>>['data']['products'][number]['kind'];

export interface DemoDeposit {
  readonly buyer: string;
  readonly strategy: Strategy;
  readonly usd: string;
}

/** The first of each venue, so 100 USD or more. */
export const demoDeposits: readonly DemoDeposit[] = [
  { buyer: 'mara', strategy: 'lending', usd: '250.00' },
  { buyer: 'harbour', strategy: 'liquidity_provision', usd: '140.00' },
];

/** Out of the agent's own wallet, after the deposits above. */
export const demoAgentDeposit = { agent: TESSERA, strategy: 'lending', usd: '60.00' } as const;

/** A wallet of its own takes it out at once; an account would wait a day. About this much waits in the queue of the pool. */
export const demoWithdrawal = { buyer: 'harbour', strategy: 'liquidity_provision', micros: 12_000_000n } as const;
