/** Deposits idle USDC of agents whose owners turned sweeps on, within the daily limits of rule and wallet. A spending freeze stops it. */
import { earnLimits, formatUsd, MarketError, partOf, toWireTime, type WalletActor } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import { appendOwnerEvent, planTreasuryTransfer, readFreeUsdc } from '../agent-wallets/index.ts';
import { findAgent, findAgentsById } from '../agents/index.ts';
import { listEnabledSweeps, noteSweepProblem, readSwept, type SweepRow, stopAllSweeps } from './agent-deposit-repository.ts';
import { queueTransfer } from './commands/agent-deposit.ts';
import type { EarnContext } from './earn-context.ts';
import { requireDepositable } from './judge-deposit.ts';
import { findVenuePort } from './vaults.ts';

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
  const { database, agentWallets } = context;
  const vault = findVenuePort(context, sweep.vaultKey);
  const agent = await findAgent(database.db, sweep.agentId);
  if (vault === undefined || agent === undefined) throw new MarketError('earn_venue_unavailable');
  if (await context.isAgentFrozen(database.db, agent)) throw new MarketError('spending_frozen');
  const room = sweep.dailyLimitMicros - (await readSwept(database.db, agent.id));
  const idle = (await readFreeUsdc(agentWallets, agent.id, vault.network)) - sweep.aboveMicros;
  const amountMicros = partOf(idle, room);
  if (amountMicros < earnLimits.leastSweepMicros) return;
  await requireDepositable(context, vault, amountMicros);
  const plan = await planTreasuryTransfer(agentWallets, {
    ...{ agent, by: sweep.setBy as WalletActor, purpose: 'earn_deposit', network: vault.network, amount: formatUsd(amountMicros) },
    keep: sweep.aboveMicros,
  });
  const slippageBps = earnLimits.defaultSlippageBps;
  // Named after the day: if a restore loses the sweep, the repetition finds it on chain under the same name.
  const subject = `sweep ${vault.key} ${toWireTime(context.clock.now()).slice(0, 10)}`;
  await database.transaction((tx) => queueTransfer(tx, context, plan, { agent, vault, amountMicros, slippageBps, bySweep: true, subject }));
}

const STOPPED = 'The marketplace was restored from a backup. Turn the sweep on again if you still want it.';

/** After a restore all sweeps stop until their owners start them again: a backup brings back sweeps that were stopped since. Returns how many. */
export async function endRestoredSweeps(tx: Tx, { events }: { readonly events: EventLog }): Promise<number> {
  const ids = await stopAllSweeps(tx, STOPPED);
  for (const agent of ids.length === 0 ? [] : await findAgentsById(tx, ids))
    await appendOwnerEvent(tx, { events }, agent, 'agent.sweep_stopped', {});
  return ids.length;
}
