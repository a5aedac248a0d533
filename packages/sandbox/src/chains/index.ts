// The entry point of the local chains, without heavy imports: the service starts them before it loads its other modules.

export type { LocalNetwork } from './local-network.ts';
export { openSandboxChains } from './open-chains.ts';
export type { NetworkDescription, RunningChains, SandboxChains } from './sandbox-chains.ts';
