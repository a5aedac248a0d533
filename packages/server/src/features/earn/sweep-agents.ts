/** Deposits idle USDC of agents whose owners want it, within the daily limit of each rule and of the wallet. A freeze stops it. */
import { earnLimits, formatUsd, MarketError, partOf, toWireTime, type WalletActor } from '@market/contract';
import { findAgent } from '../agents/index.ts';
import { planTreasuryTransfer, readFreeUsdc } from '../custody/index.ts';
import { listEnabledSweeps, noteSweepProblem, readSwept, type SweepRow } from './agent-deposit-repository.ts';
import { orderTransfer } from './commands/agent-deposit.ts';
import { requireDepositable } from './commands/register-deposit.ts';
import type { EarnContext } from './earn-context.ts';
import { findVaultSetting } from './vaults.ts';

export async function sweepAgents(context: EarnContext): Promise<void> {
  const { db } = context.database;
  for (const sweep of await listEnabledSweeps(db)) {
    try {
      await sweepAgent(context, sweep);
      await noteSweepProblem(db, sweep.agentId, null);
    } catch (error) {
      context.log.warn({ err: error, agent: sweep.agentId }, 'idle USDC of an agent could not be deposited');
      await noteSweepProblem(db, sweep.agentId, error instanceof MarketError ? error.message : 'The chain cannot be asked right now.');
    }
  }
}

async function sweepAgent(context: EarnContext, sweep: SweepRow): Promise<void> {
  const { database, custody } = context;
  const vault = findVaultSetting(context, sweep.vaultKey);
  const agent = await findAgent(database.db, sweep.agentId);
  if (vault === undefined || agent === undefined) throw new MarketError('earn_venue_unavailable');
  if (await context.isAgentFrozen(database.db, agent)) throw new MarketError('spending_frozen');
  const room = sweep.dailyLimitMicros - (await readSwept(database.db, agent.id));
  const idle = (await readFreeUsdc(custody, agent.id, vault.network)) - sweep.aboveMicros;
  const amountMicros = partOf(idle, room);
  if (amountMicros < earnLimits.leastSweepMicros) return;
  await requireDepositable(context, vault, amountMicros);
  const plan = await planTreasuryTransfer(custody, {
    ...{ agent, by: sweep.setBy as WalletActor, purpose: 'earn_deposit', network: vault.network, amount: formatUsd(amountMicros) },
    keep: sweep.aboveMicros,
  });
  const slippageBps = earnLimits.defaultSlippageBps;
  // Books that lost a sweep of this day order it once more, and find it under its name, whatever it moved.
  const subject = `sweep ${vault.key} ${toWireTime(context.clock.now()).slice(0, 10)}`;
  await database.transaction((tx) => orderTransfer(tx, context, plan, { agent, vault, amountMicros, slippageBps, bySweep: true, subject }));
}
