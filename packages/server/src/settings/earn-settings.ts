/** The settings of Earn: the vaults that hold the market's deposits, and the contract that moves USDC in and out. */
import { type NetworkName, networkFacts, networkNames } from '@market/contract';
import { EARN_ROUTER_ADDRESS, LEND_VAULT_ADDRESS, LIQUIDITY_POOL_ADDRESS } from '@market/sandbox/addresses';
import { z } from 'zod';
import type { Setting } from './setting-schemas.ts';

const adapters = ['erc4626', 'aave_v3', 'liquidity_pool'] as const;
type Adapter = (typeof adapters)[number];

/** A vault as the setting names it. */
export interface NamedVenue {
  readonly id: string;
  readonly market: string;
  readonly label: string;
  readonly network: NetworkName;
  readonly adapter: Adapter;
  readonly venue: string;
  /** Aave's Pool, for venues on Aave. */
  readonly pool: string | undefined;
}

export interface EarnVenue {
  readonly id: string;
  readonly market: string;
  /** `id:market`; for a liquidity pool only the market. */
  readonly key: string;
  readonly label: string;
  readonly strategy: 'lending' | 'liquidity_provision';
  readonly network: NetworkName;
  readonly at: { readonly venue: string; readonly router: string; readonly adapter: Adapter; readonly pool?: string };
}

export interface EarnConfig {
  readonly router: string | undefined;
  readonly venues: readonly EarnVenue[];
}

const ADDRESS = '0x[0-9a-fA-F]{40}';
const ENTRY = new RegExp(
  `^(?<id>[^=:\\s]+)(?::(?<market>[^=\\s]+))?\\s*=\\s*(?<adapter>[^:\\s]+):(?:(?<network>[^:\\s]+):)?(?<venue>${ADDRESS})(?:/(?<pool>${ADDRESS}))?(?:\\s*@\\s*(?<label>.+))?$`,
);
const ID = /^[a-z][a-z0-9_]{0,31}$/;
const MARKET = /^[a-z][a-z0-9-]{0,39}$/;
const EXAMPLE = 'lend_a=erc4626:0x… or lend_b=aave_v3:0x…/0x… or pool=liquidity_pool:0x…@Traders';

/** Value for a sandbox without its own vaults. */
const NONE = 'none';

const venueList = z.string().transform((text, context) => {
  if (text === NONE) return [];
  const problems: string[] = [];
  const venues = text
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .flatMap((entry) => readVenue(entry, problems) ?? []);
  problems.push(...findRepetitions(venues));
  for (const message of problems) context.addIssue({ code: 'custom', message });
  return problems.length === 0 ? venues : z.NEVER;
});

function readVenue(entry: string, problems: string[]): NamedVenue | undefined {
  const found = ENTRY.exec(entry)?.groups;
  const refuse = (why: string): undefined => {
    problems.push(`${why} (in "${entry}")`);
    return undefined;
  };
  if (found === undefined) return refuse(`must hold entries such as ${EXAMPLE}, separated by semicolons`);
  const { id = '', adapter, venue = '', pool, network = 'base-mainnet', market: namedMarket, label: namedLabel } = found;
  if (!isAdapter(adapter)) return refuse(`knows no adapter ${adapter}; use ${adapters.join(', ')}`);
  const market = namedMarket ?? defaultMarkets[adapter];
  if (!ID.test(id)) return refuse(`needs ids of small letters, digits and underscores, at most 32`);
  if (!MARKET.test(market)) return refuse(`needs markets of small letters, digits and hyphens, at most 40`);
  const known = networkNames.find((name) => name === network);
  if (known === undefined || networkFacts[known].kind !== 'evm') return refuse(`knows no EVM network ${network}`);
  if ((adapter === 'aave_v3') !== (pool !== undefined))
    return refuse('needs the wrapper and the Pool of aave_v3 as 0x…/0x…, and no second address of other adapters');
  const label = namedLabel?.trim() ?? defaultLabels[adapter];
  if (label.length > 60) return refuse('needs labels of at most 60 characters');
  return { id, market, label, network: known, adapter, venue, pool };
}

const defaultMarkets: Readonly<Record<Adapter, string>> = { erc4626: 'usdc', aave_v3: 'usdc', liquidity_pool: 'usdc-traders' };
const defaultLabels: Readonly<Record<Adapter, string>> = {
  erc4626: 'Lending vault',
  aave_v3: 'Aave v3',
  liquidity_pool: 'Liquidity pool',
};

function isAdapter(text: string | undefined): text is Adapter {
  return adapters.some((adapter) => adapter === text);
}

/** Refuses repeated vaults: a vault in two books would count the treasury's units twice. */
function findRepetitions(venues: readonly NamedVenue[]): string[] {
  const repeated = (names: readonly string[]) => [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return [
    ...repeated(venues.map(keyOf)).map((key) => `names ${key} twice`),
    ...repeated(venues.map(({ network, venue }) => `${venue.toLowerCase()} on ${network}`)).map((name) => `names the vault ${name} twice`),
  ];
}

function keyOf({ id, market, adapter }: NamedVenue): string {
  return adapter === 'liquidity_pool' ? market : `${id}:${market}`;
}

export const earnSettings = {
  EARN_VENUES: {
    about:
      'Vaults for deposits, separated by semicolons: <id>=<adapter>:<address>, with adapter erc4626, aave_v3 (wrapper/Pool) or liquidity_pool. ' +
      'Optional: <id>:<market>, a network before the address (base-mainnet), and @<label>. Default: none, Earn answers 503; the sandbox has two of its own, none turns them off.',
    section: 'Chains',
    schema: venueList.optional(),
    example: 'lend_a=erc4626:0x0000000000000000000000000000000000000001@Lending A',
  },
  EARN_ROUTER_EVM_ADDRESS: {
    about:
      'The contract that moves USDC into vaults and back (market earn-router deploy). Needed with EARN_VENUES; the sandbox has its own.',
    section: 'Chains',
    schema: z
      .string()
      .regex(new RegExp(`^${ADDRESS}$`), 'must be a 0x address')
      .optional(),
    example: '',
  },
} as const satisfies Record<string, Setting>;

const sandboxVenues: readonly NamedVenue[] = [
  {
    id: 'lend_a',
    market: 'usdc',
    label: 'Sandbox lending',
    network: 'base-mainnet',
    adapter: 'erc4626',
    venue: LEND_VAULT_ADDRESS,
    pool: undefined,
  },
  {
    id: 'pool',
    market: 'usdc-traders',
    label: 'Sandbox traders’ pool',
    network: 'base-mainnet',
    adapter: 'liquidity_pool',
    venue: LIQUIDITY_POOL_ADDRESS,
    pool: undefined,
  },
];

interface EarnValues {
  readonly EARN_VENUES?: readonly NamedVenue[] | undefined;
  readonly EARN_ROUTER_EVM_ADDRESS?: string | undefined;
}

export function earnConfigOf({ EARN_VENUES: named, EARN_ROUTER_EVM_ADDRESS: address }: EarnValues, isSandbox: boolean): EarnConfig {
  const router = address ?? (isSandbox ? EARN_ROUTER_ADDRESS : undefined);
  if (router === undefined) return { router, venues: [] };
  return { router, venues: (named ?? (isSandbox ? sandboxVenues : [])).map((venue) => present(venue, router)) };
}

function present(named: NamedVenue, router: string): EarnVenue {
  const { id, market, label, network, adapter, venue, pool } = named;
  const strategy = adapter === 'liquidity_pool' ? 'liquidity_provision' : 'lending';
  const at = { venue, router, adapter, ...(pool !== undefined && { pool }) };
  return { id, market, key: keyOf(named), label, strategy, network, at };
}
