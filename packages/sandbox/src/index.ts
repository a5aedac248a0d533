// The API of the sandbox for the service. The chain engines have separate entry points (`/evm`, `/solana`): they are native, heavy, and
// run only in the chains' process.
export { ChainsRefusal, openSandboxChains } from './chains/open-chains.ts';
export type { NetworkDescription, SandboxChains } from './chains/sandbox-chains.ts';
export { type DemoProcess, startDemo } from './demo/start-demo.ts';
export { InvalidPersonError } from './identity-provider/person.ts';
export { createDevelopmentIdentityProvider, type DevelopmentIdentityProvider } from './identity-provider/provider.ts';
