export { IDENTITY_REGISTRY_ADDRESS, MULTICALL3_ADDRESS, REPUTATION_REGISTRY_ADDRESS, USDC_ADDRESS } from './contracts/addresses.ts';
export { sandboxIdentityRegistry } from './contracts/compiled/sandbox-identity-registry.generated.ts';
export { sandboxReputationRegistry } from './contracts/compiled/sandbox-reputation-registry.generated.ts';
export { sandboxSmartWallet } from './contracts/compiled/sandbox-smart-wallet.generated.ts';
export { sandboxUsdc } from './contracts/compiled/sandbox-usdc.generated.ts';
export { sandboxWalletFactory } from './contracts/compiled/sandbox-wallet-factory.generated.ts';
export type { EvmFault } from './faults.ts';
export { type EvmNode, type EvmNodeOptions, startEvmNode } from './node.ts';
