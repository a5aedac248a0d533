/** Dependencies of this feature. */
import { MarketError } from '@market/contract';
import type { AgentRegistrar } from '../../../platform/chains/agent-registrar.ts';
import type { Chain } from '../../../platform/chains/chain.ts';
import type { AgentWalletsContext } from '../../agent-wallets/index.ts';

export interface OnchainIdentityContext {
  /** The agents' wallets, which pay for registrations. */
  readonly agentWallets: AgentWalletsContext;
  /** Address of the Identity Registry. Undefined: agents cannot be registered. */
  readonly registry: string | undefined;
}

export const NETWORK = 'base-mainnet';

export interface Registry {
  readonly chain: Chain;
  readonly registrar: (wallet: string) => AgentRegistrar;
  readonly address: string;
  /** The registry in CAIP-10. */
  readonly name: string;
}

/** The registry of this deployment. Throws 503 if the operator set none. */
export function requireRegistry({ agentWallets: { chains, walletChains }, registry }: OnchainIdentityContext): Registry {
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

/** Address of the registration file, by the agent's id, which stays when the agent is renamed. */
export function fileAddress({ agentWallets: { baseUrl } }: OnchainIdentityContext, agentId: string): string {
  return `${baseUrl}/api/agents/${agentId}/registration.json`;
}
