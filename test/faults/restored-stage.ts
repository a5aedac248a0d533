/** Helpers for tests of restored books: compared processes, `market reconcile`, the outflow gate, and jobs that run at once. */
import type { ServerProcess, Settings } from '../harness/market.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import { until, untilCompared } from '../money/money.ts';
import type { SharedMoney } from '../money/shared-money.ts';

export async function startCompared(shared: SharedMoney, settings: Settings = {}): Promise<ServerProcess> {
  const server = await shared.startServer(settings);
  await untilCompared(shared);
  return server;
}

/** Solana's chain moves on meanwhile; otherwise bytes that lost books signed could still land. */
export async function reconcile(
  shared: SharedMoney,
  settings: Settings = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const command = runMarketCommand(['reconcile'], { ...shared.settings, ...settings });
  const moving = setInterval(() => void shared.localChains.advance(30).catch(() => undefined), 500);
  const code = await command.ended;
  clearInterval(moving);
  return { code, output: command.output() };
}

export async function readReason({ database }: SharedMoney): Promise<string | null> {
  const { rows } = await database.pool.query('select reason from outflow_gate');
  return rows[0]?.reason ?? null;
}

/** Makes every waiting job due now. */
export async function hurry({ database }: SharedMoney): Promise<void> {
  await database.pool.query(`update jobs set run_at = market_now() where run_at > market_now() and lease_until is null`);
}

export async function untilHurried(shared: SharedMoney, what: string, look: () => Promise<true | undefined>, seconds = 60): Promise<void> {
  await until(
    what,
    async () => {
      await hurry(shared);
      return await look();
    },
    seconds,
  );
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function holdsFor(shared: SharedMoney, ms: number, check: () => Promise<void>): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await pause(500)) {
    await hurry(shared);
    await check();
  }
}
