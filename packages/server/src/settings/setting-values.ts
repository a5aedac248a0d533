/** Parsed settings, and values derived from several of them. */
import { type NetworkFacts, type NetworkName, networkFacts, networkNames, type OpenNetworkSetting } from '@market/contract';
import type { z } from 'zod';
import { settings } from '../settings.ts';

type Settings = typeof settings;
export type Values = { [K in keyof Settings]: z.output<Settings[K]['schema']> };

export interface NodeConfig {
  readonly urls: readonly string[];
  readonly secondUrl: string | undefined;
  readonly chainId: number | undefined;
  readonly usdcAddress: string | undefined;
  readonly firstBlockHash: string | undefined;
  /** ERC-8004 registries; only Base has them. */
  readonly identityRegistry: string | undefined;
  readonly reputationRegistry: string | undefined;
}

export function parseSettings(environment: Readonly<Record<string, string | undefined>>, problems: string[]): Values {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    // An empty value means "not set", because people disable settings by emptying them.
    const raw = environment[name]?.trim();
    const parsed = setting.schema.safeParse(raw === '' ? undefined : raw);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(...parsed.error.issues.map((issue) => `${name} ${issue.message}`));
  }
  return values as Values;
}

/** Real RPC URLs mean real money, so production is then the default. */
export function profileOf(values: Partial<Values>): 'sandbox' | 'production' {
  return values.MARKET_PROFILE ?? (allNetworks.some((facts) => isServed(values, facts)) ? 'production' : 'sandbox');
}

export const allNetworks = networkNames.map((name) => networkFacts[name]);

export function perNetwork<T>(make: (facts: NetworkFacts) => T): Readonly<Record<NetworkName, T>> {
  return Object.fromEntries(allNetworks.map((facts) => [facts.name, make(facts)])) as Record<NetworkName, T>;
}

export function isServed(values: Partial<Values>, { setting }: NetworkFacts): boolean {
  return (values[`${setting}_RPC_URL`]?.length ?? 0) > 0;
}

export function nodeConfigOf(values: Partial<Values>, facts: NetworkFacts): NodeConfig {
  const { setting } = facts;
  // Only networks whose record leaves the chain open have these settings.
  const chosen = setting as OpenNetworkSetting;
  return {
    urls: values[`${setting}_RPC_URL`] ?? [],
    secondUrl: values[`${setting}_RPC_URL_2`],
    chainId: values[`${chosen}_CHAIN_ID`],
    usdcAddress: values[`${chosen}_USDC_ADDRESS`],
    firstBlockHash: values[`${chosen}_FIRST_BLOCK_HASH`],
    identityRegistry: facts.name === 'base-mainnet' ? values.BASE_IDENTITY_REGISTRY : undefined,
    reputationRegistry: facts.name === 'base-mainnet' ? values.BASE_REPUTATION_REGISTRY : undefined,
  };
}
