// What the service uses of the sandbox. The engines of the chains have doors of their own (`/evm`, `/solana`): they are native, heavy, and
// run in the chains' process only.
export { ChainsRefusal, openSandboxChains } from './chains/open-chains.ts';
export type { NetworkDescription, SandboxChains } from './chains/sandbox-chains.ts';
export { type DemoProcess, startDemo } from './demo/start-demo.ts';
export { InvalidPersonError } from './identity-provider/person.ts';
export { createDevelopmentIdentityProvider, type DevelopmentIdentityProvider } from './identity-provider/provider.ts';
