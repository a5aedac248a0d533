/** Finds the vault that a call names, and the port to its venue. */
import { MarketError } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { YieldVenues } from '../../platform/chains/yield-venues.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';

export interface VaultName {
  readonly key?: string | undefined;
  readonly venue?: string | undefined;
  readonly market?: string | undefined;
}

type Configured = Pick<EarnContext, 'vaults'>;

export function requireEarn({ vaults }: Configured): void {
  if (vaults.length === 0) throw new MarketError('earn_unavailable');
}

/** The key decides; else venue and market, which default to the pools and the first one. */
export function requireVaultSetting(context: Configured, { key, venue, market }: VaultName): VaultSetting {
  requireEarn(context);
  const { vaults } = context;
  if (key !== undefined) return found(vaults.find((vault) => vault.key === key));
  const pool = vaults.find(({ strategy }) => strategy === 'liquidity_provision');
  const wanted = venue ?? (market === undefined ? undefined : pool?.venue) ?? pool?.venue ?? vaults[0]?.venue;
  return found(vaults.find((vault) => vault.venue === wanted && (market === undefined || vault.market === market)));
}

function found(vault: VaultSetting | undefined): VaultSetting {
  if (vault === undefined) throw new MarketError('earn_market_unknown');
  return vault;
}

export function findVaultSetting({ vaults }: Configured, key: string): VaultSetting | undefined {
  return vaults.find((vault) => vault.key === key);
}

export interface VenuePort {
  readonly chain: Chain;
  readonly venues: YieldVenues;
}

export function findVenuePort({ chains }: Pick<EarnContext, 'chains'>, { network }: Pick<VaultSetting, 'network'>): VenuePort | undefined {
  const chain = chains.get(network);
  return chain?.venues === undefined ? undefined : { chain, venues: chain.venues };
}

export function requireVenuePort(context: Pick<EarnContext, 'chains'>, vault: Pick<VaultSetting, 'network'>): VenuePort {
  const port = findVenuePort(context, vault);
  if (port === undefined) throw new MarketError('earn_venue_unavailable');
  return port;
}

/** The network that a deposit for this vault arrives on; undefined where there is no such vault. */
export function findDepositNetwork(context: Configured, name: VaultName): VaultSetting['network'] | undefined {
  try {
    return requireVaultSetting(context, name).network;
  } catch (error) {
    if (error instanceof MarketError) return undefined;
    throw error;
  }
}
