// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SandboxVenue} from "./SandboxVenue.sol";

/// Stands on the other side of traders' positions: their losses are its gains, their gains its losses. Providers keep 60% of trading fees.
/// USDC behind open positions cannot be withdrawn.
contract SandboxLiquidityPool is SandboxVenue {
    uint256 public constant providerShareBps = 6000;

    event TradersWon(uint256 assets);
    event TradersLost(uint256 assets);
    event FeesAccrued(uint256 fees, uint256 forProviders);

    /// Behind open positions.
    uint256 public reserved;
    mapping(uint256 hour => uint256) private feesOf;

    function name() public pure override(ERC20, IERC20Metadata) returns (string memory) {
        return "Sandbox liquidity pool";
    }

    function symbol() public pure override(ERC20, IERC20Metadata) returns (string memory) {
        return "sbPOOL";
    }

    function totalAssets() public view override returns (uint256) {
        return IERC20(USDC).balanceOf(address(this));
    }

    function cash() public view override returns (uint256) {
        uint256 all = totalAssets();
        return all > reserved ? all - reserved : 0;
    }

    /// Fees of the last 24 hours by whole hours, before they are shared.
    function feesOfLastDay() external view returns (uint256 sum) {
        uint256 hour = block.timestamp / 1 hours;
        for (uint256 i; i < 24; i++) sum += feesOf[hour - i];
    }

    function accrueFees(uint256 fees) external onlyFaucet {
        uint256 forProviders = fees * providerShareBps / 10_000;
        feesOf[block.timestamp / 1 hours] += fees;
        emit FeesAccrued(fees, forProviders);
        require(IERC20(USDC).transferFrom(msg.sender, address(this), forProviders));
    }

    function tradersWin(uint256 assets) external onlyFaucet {
        require(assets < totalAssets(), "not enough in the pool");
        emit TradersWon(assets);
        require(IERC20(USDC).transfer(msg.sender, assets));
    }

    function tradersLose(uint256 assets) external onlyFaucet {
        emit TradersLost(assets);
        require(IERC20(USDC).transferFrom(msg.sender, address(this), assets));
    }

    function openPositions(uint256 assets) external onlyFaucet {
        require(assets <= cash(), "not enough cash");
        reserved += assets;
    }

    function closePositions(uint256 assets) external onlyFaucet {
        require(assets <= reserved, "more than is reserved");
        reserved -= assets;
    }
}
