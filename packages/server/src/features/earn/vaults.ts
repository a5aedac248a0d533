/** The configured vaults: finds the one that a call names, and reads its venue. */
import { MarketError, type NetworkName } from '@market/contract';
import { type Chain, ChainUnavailable } from '../../platform/chains/chain.ts';
import type { VenueReading } from '../../platform/chains/yield-venues.ts';
import { createKeptReadings } from '../../platform/prices/kept-readings.ts';
import type { EarnContext, VaultSetting, VenuePort } from './earn-context.ts';

export interface VaultName {
  readonly key?: string | undefined;
  readonly venue?: string | undefined;
  readonly market?: string | undefined;
}

type Configured = Pick<EarnContext, 'vaults'>;
type Reachable = Pick<EarnContext, 'vaults' | 'chains'>;

/** Leaves out vaults on networks that this deployment does not have. */
export function readVaultSettings(
  venues: readonly (Omit<VaultSetting, 'venue'> & { readonly id: string })[],
  chains: ReadonlyMap<NetworkName, Chain>,
): EarnContext['vaults'] {
  const reachable = venues.filter(({ network }) => chains.has(network));
  return new Map(reachable.map(({ id: venue, ...vault }) => [vault.key, { ...vault, venue }]));
}

export function requireEarn({ vaults }: Configured): void {
  if (vaults.size === 0) throw new MarketError('earn_unavailable');
}

/** By key; else by venue and market. The default is the first pool, or the first vault. */
export function requireVaultSetting(context: Configured, { key, venue, market }: VaultName): VaultSetting {
  requireEarn(context);
  if (key !== undefined) return found(context.vaults.get(key));
  const vaults = [...context.vaults.values()];
  const pool = vaults.find(({ strategy }) => strategy === 'liquidity_provision');
  const wanted = venue ?? (market === undefined ? undefined : pool?.venue) ?? pool?.venue ?? vaults[0]?.venue;
  return found(vaults.find((vault) => vault.venue === wanted && (market === undefined || vault.market === market)));
}

function found(vault: VaultSetting | undefined): VaultSetting {
  if (vault === undefined) throw new MarketError('earn_market_unknown');
  return vault;
}

export function requireVenuePort(context: Reachable, name: VaultName): VenuePort {
  const port = findVenuePort(context, requireVaultSetting(context, name).key);
  if (port === undefined) throw new MarketError('earn_venue_unavailable');
  return port;
}

/** Undefined: no such vault is configured, or its network has no venues. */
export function findVenuePort({ vaults, chains }: Reachable, key: string): VenuePort | undefined {
  const vault = vaults.get(key);
  const chain = vault && chains.get(vault.network);
  return vault === undefined || chain?.venues === undefined ? undefined : { ...vault, chain, venues: chain.venues };
}

/** The network that a deposit into this vault is paid on; undefined without such a vault. */
export function findDepositNetwork(context: Configured, name: VaultName): NetworkName | undefined {
  try {
    return requireVaultSetting(context, name).network;
  } catch (error) {
    if (error instanceof MarketError) return undefined;
    throw error;
  }
}

export interface KeptReading extends VenueReading {
  readonly readAt: Date;
}

/** Pages and positions of many callers share one look at the chain. */
const readings = createKeptReadings<KeptReading>(2_000);

/** What the venue says, at most two seconds old. Throws `ChainUnavailable`. */
export function readVenue(
  { chains, clock, database }: Pick<EarnContext, 'chains' | 'clock' | 'database'>,
  { key, network, at }: VaultSetting,
): Promise<KeptReading> {
  return readings.of(database, key, async () => {
    const venues = chains.get(network)?.venues;
    if (venues === undefined) throw new ChainUnavailable(network, 'no venue can be read');
    return { ...(await venues.read(at)), readAt: clock.now() };
  });
}

/** For requests: answers 503 `earn_venue_unavailable` when the chain cannot be asked. */
export async function orVenueUnavailable<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('earn_venue_unavailable', { retryAfterSeconds: 5, cause: error });
    throw error;
  }
}
