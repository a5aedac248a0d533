// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// The smallest smart wallet: it holds coins, does what its owner says, and vouches for its owner's signatures (ERC-1271).
contract SandboxSmartWallet {
    address public immutable owner;

    bytes4 private constant VALID = 0x1626ba7e;
    bytes4 private constant INVALID = 0xffffffff;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecover(hash, signature);
        return problem == ECDSA.RecoverError.NoError && signer == owner ? VALID : INVALID;
    }

    function execute(address target, uint256 value, bytes calldata data) external returns (bytes memory result) {
        require(msg.sender == owner, "SandboxSmartWallet: caller is not the owner");
        bool done;
        (done, result) = target.call{value: value}(data);
        if (!done) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
    }
}
