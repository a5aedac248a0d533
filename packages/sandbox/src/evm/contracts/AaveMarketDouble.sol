// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// For tests only: what the adapter asks of Aave v3's Pool and of its ERC-4626 wrapper, in one contract and with the published shapes.
contract AaveMarketDouble is ERC4626 {
    struct ReserveDataLegacy {
        uint256 configuration;
        uint128 liquidityIndex;
        uint128 currentLiquidityRate;
        uint128 variableBorrowIndex;
        uint128 currentVariableBorrowRate;
        uint128 currentStableBorrowRate;
        uint40 lastUpdateTimestamp;
        uint16 id;
        address aTokenAddress;
        address stableDebtTokenAddress;
        address variableDebtTokenAddress;
        address interestRateStrategyAddress;
        uint128 accruedToTreasury;
        uint128 unbacked;
        uint128 isolationModeTotalDebt;
    }

    uint256 private constant ACTIVE = 1 << 56;
    uint256 private constant FROZEN = 1 << 57;
    uint256 private constant PAUSED = 1 << 60;

    uint256 public configuration = ACTIVE;
    uint128 public rate = 0.0412e27;
    uint128 public lent;
    address public aToken = address(this);

    constructor(address usdc) ERC20("Wrapped Aave USDC", "waUSDC") ERC4626(IERC20(usdc)) {}

    function setReserve(uint256 nextConfiguration, uint128 nextRate, uint128 nextLent, address nextToken) external {
        (configuration, rate, lent, aToken) = (nextConfiguration, nextRate, nextLent, nextToken);
    }

    function getReserveData(address) external view returns (ReserveDataLegacy memory reserve) {
        reserve.configuration = configuration;
        reserve.currentLiquidityRate = rate;
        reserve.aTokenAddress = address(this);
    }

    function getVirtualUnderlyingBalance(address) public view returns (uint128) {
        return uint128(totalAssets()) - lent;
    }

    function maxDeposit(address) public view override returns (uint256) {
        return configuration & ACTIVE == 0 || configuration & (FROZEN | PAUSED) != 0 ? 0 : type(uint256).max;
    }

    function maxRedeem(address owner) public view override returns (uint256) {
        if (configuration & ACTIVE == 0 || configuration & PAUSED != 0) return 0;
        uint256 free = convertToShares(getVirtualUnderlyingBalance(asset()));
        return free < balanceOf(owner) ? free : balanceOf(owner);
    }
}
