// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

interface IAuthorizedUsdc is IERC20 {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external;
}

/// Moves USDC of its caller into an ERC-4626 venue and back. Each intent works once, and only with the measured result that the caller asked for.
/// It has no owner and no constructor, and holds nothing between two calls. It acts for `msg.sender` alone, so allowances of its callers help nobody else.
contract EarnRouter {
    struct Result {
        uint128 assets;
        uint128 units;
    }

    event Deposited(address indexed caller, bytes32 indexed intent, address indexed venue, uint256 assets, uint256 units);
    event Redeemed(address indexed caller, bytes32 indexed intent, address indexed venue, uint256 units, uint256 assets);

    mapping(address caller => mapping(bytes32 intent => Result)) public results;

    bool private transient isBusy;

    /// A venue may call back; it finds the door closed, whichever function it tries.
    modifier alone() {
        require(!isBusy, "EarnRouter: re-entered");
        isBusy = true;
        _;
        isBusy = false;
    }

    /// USDC takes the nonce of an authorisation once, so an intent cannot deposit twice, even through two routers.
    function deposit(
        address usdc,
        address venue,
        uint256 assets,
        uint256 minUnits,
        bytes32 intent,
        uint256 validBefore,
        bytes calldata signature
    ) external alone returns (uint256 units) {
        requireUnused(intent);
        require(assets > 0, "EarnRouter: nothing to deposit");
        uint256 ownBefore = IERC20(usdc).balanceOf(address(this));
        uint256 unitsBefore = IERC20(venue).balanceOf(msg.sender);
        IAuthorizedUsdc(usdc).receiveWithAuthorization(msg.sender, address(this), assets, 0, validBefore, intent, signature);
        require(IERC20(usdc).approve(venue, assets), "EarnRouter: USDC did not approve");
        IERC4626(venue).deposit(assets, msg.sender);
        require(IERC20(usdc).approve(venue, 0), "EarnRouter: USDC did not approve");
        require(IERC20(usdc).balanceOf(address(this)) == ownBefore, "EarnRouter: the venue took another amount");
        units = IERC20(venue).balanceOf(msg.sender) - unitsBefore;
        require(units > 0 && units >= minUnits, "EarnRouter: too few units");
        results[msg.sender][intent] = Result(SafeCast.toUint128(assets), SafeCast.toUint128(units));
        emit Deposited(msg.sender, intent, venue, assets, units);
    }

    /// Needs the caller's allowance of units.
    function redeem(address usdc, address venue, uint256 units, uint256 minAssets, bytes32 intent)
        external
        alone
        returns (uint256 assets)
    {
        requireUnused(intent);
        require(units > 0, "EarnRouter: nothing to redeem");
        uint256 ownBefore = IERC20(usdc).balanceOf(address(this));
        uint256 unitsBefore = IERC20(venue).balanceOf(msg.sender);
        IERC4626(venue).redeem(units, address(this), msg.sender);
        assets = IERC20(usdc).balanceOf(address(this)) - ownBefore;
        require(assets > 0 && assets >= minAssets, "EarnRouter: too little USDC");
        require(unitsBefore - IERC20(venue).balanceOf(msg.sender) == units, "EarnRouter: the venue took other units");
        results[msg.sender][intent] = Result(SafeCast.toUint128(assets), SafeCast.toUint128(units));
        emit Redeemed(msg.sender, intent, venue, units, assets);
        require(IERC20(usdc).transfer(msg.sender, assets), "EarnRouter: USDC did not arrive");
    }

    function requireUnused(bytes32 intent) private view {
        require(results[msg.sender][intent].units == 0, "EarnRouter: intent is used");
    }
}
