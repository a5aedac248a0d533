/** Decides whether a vault takes a deposit, before the transfer is used up. */
import { closedReason, earnLimits, formatUsd, isFresh, MarketError, type NotDepositableReason, sharesFor } from '@market/contract';
import { ChainUnavailable, TransferRefused } from '../../platform/chains/chain.ts';
import type { EarnContext, VenuePort } from './earn-context.ts';
import { bookOf, findVault, type VaultRow } from './vault-repository.ts';
import { readVenue } from './vaults.ts';

interface Venue {
  readonly isStale: boolean;
  readonly paused: boolean;
  readonly depositableAssets: bigint;
}

/** Null: the vault takes deposits. `venue` is undefined when it was never read. */
export function findNotDepositableReason(vault: VaultRow, venue: Venue | undefined): NotDepositableReason | null {
  const closed = closedReason(vault, bookOf(vault));
  if (closed !== null) return closed;
  if (venue === undefined || venue.isStale) return 'unreadable';
  if (venue.paused) return 'paused';
  return venue.depositableAssets === 0n ? 'full' : null;
}

/** Refuses what the venue would refuse, and what would buy no share. */
export async function requireDepositable(context: EarnContext, port: VenuePort, amountMicros: bigint): Promise<VaultRow> {
  if (amountMicros < earnLimits.leastDepositMicros) throw new MarketError('earn_deposit_too_small');
  const vault = await findVault(context.database.db, port.key);
  if (vault === undefined) throw new MarketError('earn_venue_unavailable');
  const book = bookOf(vault);
  if (isFresh(book) && amountMicros < earnLimits.firstDepositMicros) throw new MarketError('earn_first_deposit_too_small');
  try {
    const { paused, depositableAssets } = await readVenue(context, port);
    const reason = findNotDepositableReason(vault, { isStale: false, paused, depositableAssets });
    if (reason !== null || depositableAssets < amountMicros) throw closed(reason ?? 'full', depositableAssets);
    const units = await port.venues.previewDeposit(port.at, amountMicros);
    if (sharesFor(book, units) === 0n) throw new MarketError('earn_deposit_too_small');
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('earn_venue_unavailable', { retryAfterSeconds: 5, cause: error });
    if (error instanceof TransferRefused) throw new MarketError('earn_deposits_closed', { cause: error });
    throw error;
  }
  return vault;
}

function closed(reason: NotDepositableReason, depositable: bigint): MarketError {
  const message =
    reason === 'full' && depositable > 0n
      ? `The venue takes at most ${formatUsd(depositable)} USDC now. Nothing was used up.`
      : 'This vault takes no deposits now. Nothing was used up.';
  return new MarketError('earn_deposits_closed', { message, data: { reason } });
}
