/** Dependencies of this feature. */
import { MarketError } from '@market/contract';
import type { AgentRegistrar } from '../../platform/chains/agent-registrar.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import type { CustodyContext } from '../custody/index.ts';

export interface OnchainIdentityContext {
  /** The wallets that pay. */
  readonly custody: CustodyContext;
  /** Address of the Identity Registry; undefined: nothing is registered. */
  readonly registry: string | undefined;
}

export const NETWORK = 'base-mainnet';

export interface Registry {
  readonly chain: Chain;
  readonly registrar: (wallet: string) => AgentRegistrar;
  readonly address: string;
  /** CAIP-10. */
  readonly name: string;
}

/** 503 where the operator set no registry. */
export function requireRegistry({ custody: { chains, walletChains }, registry }: OnchainIdentityContext): Registry {
  const chain = chains.get(NETWORK);
  const address = registry === undefined ? undefined : chain?.canonicalAddress(registry);
  if (chain === undefined || address === undefined) throw new MarketError('onchain_identity_unavailable');
  return {
    chain,
    address,
    name: `${chain.caip2}:${address}`,
    registrar(wallet) {
      const { registrar } = walletChains.open(NETWORK, { address: wallet }, 'native');
      if (registrar === undefined) throw new MarketError('onchain_identity_unavailable');
      return registrar;
    },
  };
}

/** By id, which stays when the agent is renamed. */
export function fileAddress({ custody: { baseUrl } }: OnchainIdentityContext, agentId: string): string {
  return `${baseUrl}/api/agents/${agentId}/registration.json`;
}
