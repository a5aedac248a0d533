/** The settings of every network, derived from its record: nodes, values that the record leaves open, and the port of the local chain. */
import { type NetworkFacts, type NetworkSetting, networkFacts, networkNames, type OpenNetworkSetting } from '@market/contract';
import { z } from 'zod';
import { port, rpcUrls, type Setting, webAddress } from './setting-schemas.ts';

type PerNetwork<Before extends string, After extends string, T, Prefix extends string = NetworkSetting> = Readonly<
  Record<`${Before}${Prefix}${After}`, T>
>;

const all = networkNames.map((name) => networkFacts[name]);
/** Networks whose chain the operator chooses. */
const open = all.filter(({ caip2 }) => caip2 === null);

function perNetwork<Before extends string, After extends string, T extends Setting>(
  before: Before,
  after: After,
  make: (network: NetworkFacts) => T,
): PerNetwork<Before, After, T> {
  return Object.fromEntries(all.map((network) => [`${before}${network.setting}${after}`, make(network)])) as PerNetwork<Before, After, T>;
}

function perOpenNetwork<After extends string, T extends Setting>(
  after: After,
  make: (network: NetworkFacts) => T,
): PerNetwork<'', After, T, OpenNetworkSetting> {
  return Object.fromEntries(open.map((network) => [`${network.setting}${after}`, make(network)])) as PerNetwork<
    '',
    After,
    T,
    OpenNetworkSetting
  >;
}

const section = 'Chains' as const;

export const nodeSettings = {
  ...perNetwork('', '_RPC_URL', ({ label, chain }) => ({
    about: `Nodes of ${label}, comma separated: the first is used, the others are fallbacks. Without them the network is not offered.`,
    section,
    schema: rpcUrls.default([]),
    example: `https://${chain}.example.com`,
  })),
  ...perNetwork('', '_RPC_URL_2', ({ label, chain }) => ({
    about: `An independent node of ${label}, asked for a second opinion on large payments.`,
    section,
    schema: webAddress.optional(),
    example: `https://${chain}.other.example.com`,
  })),
  ...perOpenNetwork('_FIRST_BLOCK_HASH', ({ label }) => ({
    about: `Hash of block 0 of ${label}. With it the service refuses to start on a node of another network; without it, it only notices a change.`,
    section,
    schema: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex characters')
      .optional(),
    example: '0x7ee576b35482195fc49205cec9af72ce14f003b9ae69f6ba0faef4514be8b442',
  })),
  ...perOpenNetwork('_CHAIN_ID', ({ label }) => ({
    about: `Chain id of ${label}, an EVM network of your choice.`,
    section,
    schema: z.coerce.number('must be a whole number').int('must be a whole number').positive('must be above 0').optional(),
    example: '42161',
  })),
  ...perOpenNetwork('_USDC_ADDRESS', ({ label }) => ({
    about: `USDC contract of ${label} (6 decimals, EIP-3009).`,
    section,
    schema: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be a 0x address')
      .optional(),
    example: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  })),
  BASE_IDENTITY_REGISTRY: {
    about:
      'ERC-8004 Identity Registry on Base, in which owners may register their agents. Unset: nothing is registered. The sandbox has its own.',
    section,
    schema: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be a 0x address')
      .optional(),
    example: '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432',
  },
  BASE_REPUTATION_REGISTRY: {
    about:
      'ERC-8004 Reputation Registry on Base, in which buyers may publish their reviews of registered agents. Unset: none is published. The sandbox has its own.',
    section,
    schema: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be a 0x address')
      .optional(),
    example: '0x8004BAa17C55a88189AE136b182e5fdA19dE9b63',
  },
};

export const localPortSettings = perNetwork('SANDBOX_', '_PORT', ({ label, kind, local }) => ({
  about: `Port of the local ${label} node; 0 picks a free one.${kind === 'solana' ? ' The next one carries its WebSocket.' : ''}`,
  section,
  schema: port.default(local.port),
}));
