/**
 * The payment networks, one record each. All differences between networks are in these records; other code looks them up.
 * To add an EVM network, add its record and set `<setting>_RPC_URL` (docs/decisions/0039). Which networks a deployment serves is its
 * configuration.
 */
import { z } from 'zod';
import type { WalletChain } from './wallets.ts';

export type NetworkKind = 'solana' | 'evm';

type Caip2 = `${string}:${string}`;

interface NetworkRecord {
  readonly kind: NetworkKind;
  /** Short name, used in `payment_chain`, in `?chain=` and for the folder of the local chain. */
  readonly chain: string;
  /** Name for people. */
  readonly label: string;
  /** Null: the operator sets the chain id and the USDC contract. */
  readonly caip2: Caip2 | null;
  readonly usdcAddress: string | null;
  /** Hash of block 0. It proves which network a node serves. */
  readonly genesisHash: string | null;
  /** Name in x402 version 1; null if that version has none. */
  readonly x402v1Name: string | null;
  /** Further names that clients send. */
  readonly aliases: readonly string[];
  /** `payment_method` of an order paid here. */
  readonly paymentMethod: string;
  /** The value of an agent's `payout_chain` for this network; null: agents cannot choose it. */
  readonly payoutChain: WalletChain | null;
  /** The coin that pays fees. */
  readonly coin: { readonly name: string; readonly symbol: string; readonly decimals: number };
  /** `confirmations`: blocks before a payment counts, its own included. `finalTag`: the block that no reorganisation takes back. */
  readonly finality: { readonly confirmations: number; readonly finalTag: 'safe' | 'finalized' };
  /** Explorer that shows `/tx/<reference>`; null without one. */
  readonly explorer: string | null;
  /** Public node that browser wallets may add. */
  readonly publicRpcUrl: string | null;
  /** Prefix of the network's settings, such as `BASE` in `BASE_RPC_URL`. */
  readonly setting: string;
  /** The sandbox's local chain. Its id belongs to no public network, so its signatures are invalid there. */
  readonly local: { readonly caip2: Caip2; readonly port: number };
}

const ether = { name: 'Ether', symbol: 'ETH', decimals: 18 } as const;

const records = {
  'solana-mainnet': {
    kind: 'solana',
    chain: 'solana',
    label: 'Solana',
    caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    usdcAddress: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    x402v1Name: 'solana',
    // Faremeter's client always answers with this name, whichever it was offered.
    aliases: ['solana-mainnet-beta'],
    paymentMethod: 'usdc-sol',
    payoutChain: 'solana',
    coin: { name: 'SOL', symbol: 'SOL', decimals: 9 },
    // Nodes show a transaction only after the cluster has voted for its block.
    finality: { confirmations: 1, finalTag: 'finalized' },
    explorer: 'https://solscan.io',
    publicRpcUrl: null,
    setting: 'SOLANA',
    local: { caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', port: 8899 },
  },
  'base-mainnet': {
    kind: 'evm',
    chain: 'base',
    label: 'Base',
    caip2: 'eip155:8453',
    usdcAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    genesisHash: '0xf712aa9241cc24369b143cf6dce85f0902a9731e70d66818a3a5845b296c73dd',
    x402v1Name: 'base',
    aliases: [],
    paymentMethod: 'usdc-base',
    payoutChain: 'base',
    coin: ether,
    finality: { confirmations: 3, finalTag: 'safe' },
    explorer: 'https://basescan.org',
    publicRpcUrl: 'https://mainnet.base.org',
    setting: 'BASE',
    local: { caip2: 'eip155:8453', port: 8545 },
  },
  'alt-mainnet': {
    kind: 'evm',
    chain: 'alt',
    label: 'Alt',
    caip2: null,
    usdcAddress: null,
    genesisHash: null,
    x402v1Name: null,
    aliases: [],
    paymentMethod: 'usdc-alt',
    payoutChain: null,
    coin: ether,
    finality: { confirmations: 3, finalTag: 'safe' },
    explorer: null,
    publicRpcUrl: null,
    setting: 'ALT',
    local: { caip2: 'eip155:845311453', port: 8546 },
  },
} as const satisfies Readonly<Record<string, NetworkRecord>>;

type Records = typeof records;

export type NetworkName = keyof Records;
/** Short name of a network. */
export type PaymentChain = Records[NetworkName]['chain'];
/** Setting prefixes of all networks; `OpenNetworkSetting`: of networks whose chain the operator chooses. */
export type NetworkSetting = Records[NetworkName]['setting'];
export type OpenNetworkSetting = { [N in NetworkName]: Records[N]['caip2'] extends null ? Records[N]['setting'] : never }[NetworkName];

export interface NetworkFacts extends NetworkRecord {
  readonly name: NetworkName;
  readonly chain: PaymentChain;
  readonly setting: NetworkSetting;
}

export const networkNames = Object.keys(records) as NetworkName[];

const allFacts = networkNames.map((name): NetworkFacts => ({ name, ...records[name] }));

export const networkFacts = Object.fromEntries(allFacts.map((facts) => [facts.name, facts])) as Readonly<Record<NetworkName, NetworkFacts>>;

/** The default network of a reference or wallet, by the specification. */
export const usualNetwork = { solana: 'solana-mainnet', evm: 'base-mainnet' } as const satisfies Record<NetworkKind, NetworkName>;

/** Networks that payers must name, because their references look like those of the default network. */
export const namedOnlyNetworks = networkNames.filter((name) => usualNetwork[networkFacts[name].kind] !== name);

/** The network on which agents with this `payout_chain` are paid. */
export const payoutNetworks = Object.fromEntries(
  allFacts.flatMap(({ name, payoutChain }) => (payoutChain === null ? [] : [[payoutChain, name]])),
) as Readonly<Record<WalletChain, NetworkName>>;

/** The `WalletChain` of wallets that pay on networks of this kind. */
export const walletChainOf = { solana: 'solana', evm: 'base' } as const satisfies Record<NetworkKind, WalletChain>;

export const paymentChains = allFacts.map(({ chain }) => chain);

export function networkOfChain(chain: PaymentChain): NetworkName {
  const found = allFacts.find((facts) => facts.chain === chain);
  if (found === undefined) throw new Error(`no network is called ${chain}`);
  return found.name;
}

export const paymentMethods = allFacts.map(({ paymentMethod }) => paymentMethod);

export const firstVersionNames = allFacts.flatMap(({ x402v1Name }) => (x402v1Name === null ? [] : [x402v1Name]));

export const networkName = z.enum(networkNames).meta({ id: 'Network', description: 'Payment network' });
