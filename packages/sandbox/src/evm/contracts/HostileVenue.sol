// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// For tests only; no genesis block has it. Promises what an honest vault promises, one unit per micro-USDC, and then does what its mode says.
contract HostileVenue is ERC4626 {
    enum Mode {
        Honest,
        MintsLess,
        Reverts,
        CallsBack,
        MintsNothing,
        TakesNothing,
        PaysLess,
        PaysNothing,
        BurnsMore
    }

    Mode public mode;
    bool public paused;
    /// Called in the middle of a deposit and of a redemption, where there is one.
    address private target;
    bytes private data;

    constructor(address usdc) ERC20("Hostile venue", "HOSTILE") ERC4626(IERC20(usdc)) {}

    function setMode(Mode next) external {
        mode = next;
    }

    function setPaused(bool next) external {
        paused = next;
    }

    function setCallback(address to, bytes calldata call) external {
        (target, data) = (to, call);
    }

    /// Units that nobody paid for, so that holders lose.
    function lose(address to, uint256 assets) external {
        require(IERC20(asset()).transfer(to, assets));
    }

    function maxDeposit(address) public view override returns (uint256) {
        return paused ? 0 : type(uint256).max;
    }

    function maxRedeem(address owner) public view override returns (uint256) {
        return paused ? 0 : balanceOf(owner);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        require(mode != Mode.Reverts, "no deposits today");
        callBack();
        if (mode != Mode.TakesNothing) require(IERC20(asset()).transferFrom(caller, address(this), assets));
        if (mode == Mode.MintsNothing) return;
        _mint(receiver, mode == Mode.MintsLess ? shares * 9 / 10 : shares);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares) internal override {
        require(mode != Mode.Reverts, "no redemptions today");
        _spendAllowance(owner, caller, shares);
        _burn(owner, mode == Mode.BurnsMore ? shares * 2 : shares);
        callBack();
        if (mode == Mode.PaysNothing) return;
        require(IERC20(asset()).transfer(receiver, mode == Mode.PaysLess ? assets * 9 / 10 : assets));
    }

    function callBack() private {
        if (mode != Mode.CallsBack) return;
        (bool ok, bytes memory reason) = target.call(data);
        if (ok) return;
        assembly {
            revert(add(reason, 32), mload(reason))
        }
    }
}
