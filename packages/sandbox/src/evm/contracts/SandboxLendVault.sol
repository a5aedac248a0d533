// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SandboxVenue} from "./SandboxVenue.sol";

/// Lends USDC out. Interest accrues per second of block time on what is lent, at a rate that rises with utilisation, steeply above 80%.
/// Only what is not lent can be withdrawn.
contract SandboxLendVault is SandboxVenue {
    uint256 private constant WAD = 1e18;
    uint256 private constant YEAR = 365 days;
    uint256 private constant KINK = 0.8e18;
    uint256 private constant LOWEST = 0.01e18;
    uint256 private constant UNTIL_KINK = 0.06e18;
    uint256 private constant ABOVE_KINK = 0.6e18;

    /// Lent out with interest until `settledAt`.
    uint256 public settledDebt;
    uint256 public settledAt;
    /// Cash after the last change. A donation moves the rate only with the next change, so that past interest stays as it was.
    uint256 public settledCash;

    function name() public pure override(ERC20, IERC20Metadata) returns (string memory) {
        return "Sandbox lending vault";
    }

    function symbol() public pure override(ERC20, IERC20Metadata) returns (string memory) {
        return "sbLEND";
    }

    function totalAssets() public view override returns (uint256) {
        return cash() + debt();
    }

    function debt() public view returns (uint256) {
        return settledDebt + Math.mulDiv(settledDebt, borrowRate() * (block.timestamp - settledAt), WAD * YEAR);
    }

    function utilisation() public view returns (uint256) {
        uint256 all = settledCash + settledDebt;
        return all == 0 ? 0 : Math.mulDiv(settledDebt, WAD, all);
    }

    /// What borrowers pay per year, 18 decimals.
    function borrowRate() public view returns (uint256) {
        uint256 used = utilisation();
        if (used <= KINK) return LOWEST + Math.mulDiv(UNTIL_KINK, used, KINK);
        return LOWEST + UNTIL_KINK + Math.mulDiv(ABOVE_KINK, used - KINK, WAD - KINK);
    }

    /// What a holder earns per year, 18 decimals.
    function supplyRate() external view returns (uint256) {
        return Math.mulDiv(borrowRate(), utilisation(), WAD);
    }

    function borrow(uint256 assets) external onlyFaucet {
        require(assets <= cash(), "not enough cash");
        settledDebt += assets;
        require(IERC20(USDC).transfer(msg.sender, assets));
    }

    function repay(uint256 assets) external onlyFaucet {
        require(assets <= settledDebt, "more than is lent");
        settledDebt -= assets;
        require(IERC20(USDC).transferFrom(msg.sender, address(this), assets));
    }

    function settle() internal override {
        settledDebt = debt();
        settledAt = block.timestamp;
    }

    function afterChange() internal override {
        settledCash = cash();
    }
}
