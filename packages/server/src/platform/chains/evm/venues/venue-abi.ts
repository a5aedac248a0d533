/** The functions of venues, router and Aave that the adapter calls. `venue-abi.test.ts` compares the selectors with the published ones. */
import { parseAbi } from 'viem/utils';

/** ERC-4626 with its ERC-20 units, and functions that only some venues have. */
export const venueAbi = parseAbi([
  'function asset() view returns (address)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function totalAssets() view returns (uint256)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function maxDeposit(address receiver) view returns (uint256)',
  'function maxWithdraw(address owner) view returns (uint256)',
  'function maxRedeem(address owner) view returns (uint256)',
  'function previewDeposit(uint256 assets) view returns (uint256)',
  'function previewRedeem(uint256 shares) view returns (uint256)',
  'function deposit(uint256 assets, address receiver) returns (uint256)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256)',
  // Not in the standard: the pause switch of many venues, Aave's token behind a wrapper, and figures of the sandbox's own venues.
  'function paused() view returns (bool)',
  'function aToken() view returns (address)',
  'function cash() view returns (uint256)',
  'function supplyRate() view returns (uint256)',
  'function feesOfLastDay() view returns (uint256)',
  'function providerShareBps() view returns (uint256)',
]);

/** Aave v3's Pool. `getReserveData` keeps the old shape of its answer in all versions of v3. */
export const aavePoolAbi = parseAbi([
  'struct ReserveDataLegacy { uint256 configuration; uint128 liquidityIndex; uint128 currentLiquidityRate; uint128 variableBorrowIndex; uint128 currentVariableBorrowRate; uint128 currentStableBorrowRate; uint40 lastUpdateTimestamp; uint16 id; address aTokenAddress; address stableDebtTokenAddress; address variableDebtTokenAddress; address interestRateStrategyAddress; uint128 accruedToTreasury; uint128 unbacked; uint128 isolationModeTotalDebt; }',
  'function getReserveData(address asset) view returns (ReserveDataLegacy)',
  'function getVirtualUnderlyingBalance(address asset) view returns (uint128)',
]);

export const routerAbi = parseAbi([
  'function results(address caller, bytes32 intent) view returns (uint128 assets, uint128 units)',
  'function deposit(address usdc, address venue, uint256 assets, uint256 minUnits, bytes32 intent, uint256 validBefore, bytes signature) returns (uint256 units)',
  'function redeem(address usdc, address venue, uint256 units, uint256 minAssets, bytes32 intent) returns (uint256 assets)',
  'event Deposited(address indexed caller, bytes32 indexed intent, address indexed venue, uint256 assets, uint256 units)',
  'event Redeemed(address indexed caller, bytes32 indexed intent, address indexed venue, uint256 units, uint256 assets)',
]);
