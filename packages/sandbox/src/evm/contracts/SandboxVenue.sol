// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

interface IFaucetToken {
    function minter() external view returns (address);
}

/// The common part of the sandbox's venues: an ERC-4626 vault of USDC with a million virtual units per micro-USDC against inflation of the first
/// deposit, a switch that pauses it, and the faucet as the only one who moves its money otherwise.
/// The genesis block holds venues without running constructors, so nothing here may depend on immutables or initial storage.
abstract contract SandboxVenue is ERC4626 {
    address internal constant USDC = 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913;

    event Paused();
    event Unpaused();

    bool public paused;

    constructor() ERC20("", "") ERC4626(IERC20(USDC)) {}

    modifier onlyFaucet() {
        require(msg.sender == IFaucetToken(USDC).minter(), "only the faucet steers a venue");
        settle();
        _;
        afterChange();
    }

    function pause() external onlyFaucet {
        paused = true;
        emit Paused();
    }

    function unpause() external onlyFaucet {
        paused = false;
        emit Unpaused();
    }

    function asset() public pure override returns (address) {
        return USDC;
    }

    function decimals() public pure override(ERC4626) returns (uint8) {
        return 12;
    }

    /// USDC that can be paid out now.
    function cash() public view virtual returns (uint256) {
        return IERC20(USDC).balanceOf(address(this));
    }

    function maxDeposit(address) public view override returns (uint256) {
        return paused ? 0 : type(uint128).max;
    }

    function maxMint(address) public view override returns (uint256) {
        return paused ? 0 : type(uint128).max;
    }

    function maxWithdraw(address owner) public view override returns (uint256) {
        return paused ? 0 : Math.min(_convertToAssets(balanceOf(owner), Math.Rounding.Floor), cash());
    }

    function maxRedeem(address owner) public view override returns (uint256) {
        return paused ? 0 : Math.min(balanceOf(owner), _convertToShares(cash(), Math.Rounding.Floor));
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        settle();
        super._deposit(caller, receiver, assets, shares);
        afterChange();
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares) internal override {
        settle();
        super._withdraw(caller, receiver, owner, assets, shares);
        afterChange();
    }

    /// Writes down what has accrued until now.
    function settle() internal virtual {}

    function afterChange() internal virtual {}

    function _decimalsOffset() internal pure override returns (uint8) {
        return 6;
    }
}
