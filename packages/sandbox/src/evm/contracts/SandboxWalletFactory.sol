// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SandboxSmartWallet} from "./SandboxSmartWallet.sol";

/// Makes smart wallets at addresses known before (CREATE2), as the factories of real accounts do: a wallet can hold coins and sign (ERC-6492)
/// before it exists, and whoever asks a second time gets the wallet that is there.
contract SandboxWalletFactory {
    function createAccount(address owner, uint256 salt) external returns (address wallet) {
        wallet = addressOf(owner, salt);
        if (wallet.code.length == 0) new SandboxSmartWallet{salt: bytes32(salt)}(owner);
    }

    function addressOf(address owner, uint256 salt) public view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(SandboxSmartWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(salt), code)))));
    }
}
