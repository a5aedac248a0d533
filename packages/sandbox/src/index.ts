export { openSandboxChains } from './chains/open-chains.ts';
export type { FaultMode, NetworkDescription, SandboxChains, SandboxNetwork } from './chains/sandbox-chains.ts';
export * from './evm/index.ts';
export type { ProviderRequest, ProviderResponse } from './identity-provider/exchange.ts';
export { InvalidPersonError, type PersonInput } from './identity-provider/person.ts';
export {
  createDevelopmentIdentityProvider,
  type DevelopmentIdentityProvider,
  type DevelopmentIdentityProviderOptions,
} from './identity-provider/provider.ts';
export { type SolanaNode, type SolanaNodeOptions, startSolanaNode } from './solana/node.ts';
