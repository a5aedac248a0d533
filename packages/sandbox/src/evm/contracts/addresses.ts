// Addresses of the contracts in the genesis block. They are those on Base if one exists, so that production code needs no sandbox case.

export const USDC_ADDRESS = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
/** ERC-8004. */
export const IDENTITY_REGISTRY_ADDRESS = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432';
/** ERC-8004. */
export const REPUTATION_REGISTRY_ADDRESS = '0x8004BAa17C55a88189AE136b182e5fdA19dE9b63';
export const MULTICALL3_ADDRESS = '0xcA11bde05977b3631167028862bE2a173976CA11';
/** Deploys contracts at predictable addresses (CREATE2); the same address on most EVM networks. */
export const DEPLOYMENT_PROXY_ADDRESS = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
/** Earn: the router and two venues, which have no fixed address elsewhere. */
export const EARN_ROUTER_ADDRESS = '0xeA00000000000000000000000000000000000001';
export const LEND_VAULT_ADDRESS = '0xeA00000000000000000000000000000000000002';
export const LIQUIDITY_POOL_ADDRESS = '0xeA00000000000000000000000000000000000003';
