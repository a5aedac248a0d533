export {
  EARN_ROUTER_ADDRESS,
  IDENTITY_REGISTRY_ADDRESS,
  LEND_VAULT_ADDRESS,
  LIQUIDITY_POOL_ADDRESS,
  MULTICALL3_ADDRESS,
  REPUTATION_REGISTRY_ADDRESS,
  USDC_ADDRESS,
} from './contracts/addresses.ts';
export { aaveMarketDouble } from './contracts/compiled/aave-market-double.generated.ts';
export { earnRouter } from './contracts/compiled/earn-router.generated.ts';
export { hostileVenue } from './contracts/compiled/hostile-venue.generated.ts';
export { sandboxIdentityRegistry } from './contracts/compiled/sandbox-identity-registry.generated.ts';
export { sandboxLendVault } from './contracts/compiled/sandbox-lend-vault.generated.ts';
export { sandboxLiquidityPool } from './contracts/compiled/sandbox-liquidity-pool.generated.ts';
export { sandboxReputationRegistry } from './contracts/compiled/sandbox-reputation-registry.generated.ts';
export { sandboxSmartWallet } from './contracts/compiled/sandbox-smart-wallet.generated.ts';
export { sandboxUsdc } from './contracts/compiled/sandbox-usdc.generated.ts';
export { sandboxWalletFactory } from './contracts/compiled/sandbox-wallet-factory.generated.ts';
export type { EvmFault } from './faults.ts';
export { type EvmNode, type EvmNodeOptions, startEvmNode } from './node.ts';
export type { VenueAction, VenueChange } from './steer-venue.ts';
