/** Earn: idle USDC at work in vaults. A book of shares per vault, deposits and withdrawals that end once, and what moves them. */
import type { HandlersOf } from '../../access/call.ts';
import type { Db } from '../../platform/db/database.ts';
import type { MoveRunners } from '../moves/index.ts';
import { earnAdministrationQueries } from './administration.ts';
import { agentDeposit } from './commands/agent-deposit.ts';
import { manageVault } from './commands/manage-vault.ts';
import { registerDeposit } from './commands/register-deposit.ts';
import { resolveDeposit } from './commands/resolve-deposit.ts';
import { readSweep, setSweep } from './commands/set-sweep.ts';
import { withdraw, withdrawalRunner } from './commands/withdraw.ts';
import { insertComputedHistory } from './computed-history-repository.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { earnQueries } from './queries.ts';
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

/** What a withdrawal does that waited. */
export function earnMoveRunners(context: EarnContext): Pick<MoveRunners, 'earn_withdrawal'> {
  return { earn_withdrawal: withdrawalRunner(context) };
}

/** Writes the vaults of the settings into the books. A vault whose venue moved would mix units of two venues: it is refused. */
export async function openVaults(db: Db, vaults: readonly VaultSetting[]): Promise<void> {
  const moved = await ensureVaults(
    db,
    vaults.map(({ key, venue, market, network, strategy, at }) => ({ key, venue, market, network, strategy, venueAddress: at.venue })),
  );
  if (moved !== undefined) throw new Error(`the venue of the vault ${moved} has moved: give the new one another key`);
}

/** For a demo: a month of prices before the first measured one, computed at the venue's own rate. */
export async function writeEarlierPrices(context: EarnContext): Promise<void> {
  await sampleVenues(context);
  await insertComputedHistory(context.database.db);
}

export type { EarnContext, VaultSetting } from './earn-context.ts';
export { earnJobs } from './earn-jobs.ts';
export { earnPayouts } from './follow-payouts.ts';
export { createKeptReadings } from './kept-readings.ts';
export { endRestoredSweeps } from './stop-sweeps.ts';
export { vaultHolder } from './vault-holder.ts';
export { findDepositNetwork } from './vaults.ts';
export { readStoredVenueCall } from './venue-call.ts';
