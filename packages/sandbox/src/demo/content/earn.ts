// Deposits of demo buyers into venues, and one withdrawal that waits while the pool has no free USDC.
import type { MarketClient } from '@market/sdk';
import { TESSERA } from './sample-offers.ts';

type Strategy = Awaited<ReturnType<MarketClient['earn']['markets']>>['data']['products'][number]['kind'];

export interface DemoDeposit {
  readonly buyer: string;
  readonly strategy: Strategy;
  readonly usd: string;
}

/** The first deposit of each venue must be 100 USD or more. */
export const demoDeposits: readonly DemoDeposit[] = [
  { buyer: 'mara', strategy: 'lending', usd: '250.00' },
  { buyer: 'harbour', strategy: 'liquidity_provision', usd: '140.00' },
];

/** A deposit from the agent's server wallet, after `demoDeposits`. */
export const demoAgentDeposit = { agent: TESSERA, strategy: 'lending', usd: '60.00' } as const;

/** A withdrawal by a wallet, because an account's would wait a day. About this amount stays in the pool's queue. */
export const demoWithdrawal = { buyer: 'harbour', strategy: 'liquidity_provision', micros: 12_000_000n } as const;
