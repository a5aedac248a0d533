// The local chains as the service uses them, and nothing heavy besides: the service starts them before it loads the rest of itself.

export type { LocalNetwork } from './local-network.ts';
export { openSandboxChains } from './open-chains.ts';
export type { NetworkDescription, RunningChains, SandboxChains } from './sandbox-chains.ts';
