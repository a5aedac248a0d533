/** Earn: idle USDC at work in vaults. A book of shares per vault, and deposits and withdrawals that each end exactly once. */
import type { HandlersOf } from '../../access/call.ts';
import type { Db } from '../../platform/db/database.ts';
import type { MoveRunners } from '../accounts/moves/index.ts';
import { earnAdministrationQueries } from './administration.ts';
import { agentDeposit } from './commands/agent-deposit.ts';
import { manageVault } from './commands/manage-vault.ts';
import { registerDeposit } from './commands/register-deposit.ts';
import { resolveDeposit } from './commands/resolve-deposit.ts';
import { readSweep, setSweep } from './commands/set-sweep.ts';
import { withdraw, withdrawalRunner } from './commands/withdraw.ts';
import type { EarnContext } from './earn-context.ts';
import { earnQueries } from './queries.ts';
import { insertComputedHistory } from './sample-repository.ts';
import { sampleVenues } from './sample-venues.ts';
import { ensureVaults } from './vault-repository.ts';

export function earnHandlers(context: EarnContext): HandlersOf<'earn'> {
  return {
    ...earnQueries(context),
    ...earnAdministrationQueries(context),
    deposit: registerDeposit(context),
    withdraw: withdraw(context),
    agentDeposit: agentDeposit(context),
    sweep: readSweep(context),
    setSweep: setSweep(context),
    resolveDeposit: resolveDeposit(context),
    manageVault: manageVault(context),
  };
}

/** Runs withdrawals whose notice period is over. */
export function earnMoveRunners(context: EarnContext): Pick<MoveRunners, 'earn_withdrawal'> {
  return { earn_withdrawal: withdrawalRunner(context) };
}

/** Stores the configured vaults. Refuses a vault whose venue changed: its book would mix units of two venues. */
export async function openVaults(db: Db, vaults: EarnContext['vaults']): Promise<void> {
  const moved = await ensureVaults(
    db,
    [...vaults.values()].map(({ key, venue, market, network, strategy, at }) => ({
      key,
      venue,
      market,
      network,
      strategy,
      venueAddress: at.venue,
    })),
  );
  if (moved !== undefined) throw new Error(`the venue of the vault ${moved} has moved: give the new one another key`);
}

/** For the demo: computes a month of prices before the first sample, at the venue's own rate. */
export async function writeEarlierPrices(context: EarnContext): Promise<void> {
  await sampleVenues(context);
  await insertComputedHistory(context.database.db);
}

export { readStoredVenueCall } from './advance-intent.ts';
export type { EarnContext } from './earn-context.ts';
export { earnJobs } from './earn-jobs.ts';
export { earnPayouts } from './follow-payouts.ts';
export { endRestoredSweeps } from './sweep-agents.ts';
export { vaultHolders } from './vault-holder.ts';
export { findDepositNetwork, readVaultSettings } from './vaults.ts';
