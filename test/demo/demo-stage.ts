/** Servers with the demo on, over a database and chains that outlive them, and counts of the demo's content. */
import type { ServerProcess } from '../harness/market.ts';
import { until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

export interface DemoStage extends SharedMoney {
  /** Starts with the published limits, which shows whether the demo uses them up. */
  startWithDemo(): Promise<ServerProcess>;
  count(what: string): Promise<number>;
  untilComplete(): Promise<void>;
  /** Counts of all content that the demo could have made twice. */
  inventory(): Promise<Record<string, number>>;
}

/** It takes about half a minute on a quiet machine; a busy one gets more time. */
const COMPLETE_SECONDS = 150;

export async function openDemoStage(): Promise<DemoStage> {
  const shared = await openSharedMoney({ ownChains: true });
  const count = async (what: string): Promise<number> => {
    const { rows } = await shared.database.pool.query<{ count: number }>(`select count(*)::int as count from ${what}`);
    return rows[0]?.count ?? 0;
  };
  return {
    ...shared,
    count,
    startWithDemo: () => shared.startServer({ SANDBOX_DEMO: 'on', RATE_LIMIT_SCALE: '1' }),
    async untilComplete() {
      await until(
        'the demo being complete',
        async () => ((await count('demo_content where completed_at is not null')) === 1 ? true : undefined),
        COMPLETE_SECONDS,
      );
    },
    async inventory() {
      const tables = [
        'agents',
        'services',
        'orders',
        'reviews',
        'disputes',
        'dispute_statements',
        'order_messages',
        'deliverables',
        'payment_claims',
        'earn_deposits',
        'earn_withdrawals',
        'earn_agent_deposits',
        'bounties',
        'bounty_claims',
        'users',
      ];
      return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await count(table)] as const)));
    },
  };
}
