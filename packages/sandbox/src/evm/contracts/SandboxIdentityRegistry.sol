// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// An Identity Registry with the public interface of ERC-8004: every agent is an ERC-721 token whose URI is its registration file.
/// The genesis block holds it without running the constructor, so nothing here lives in immutables or initial storage.
contract SandboxIdentityRegistry is ERC721URIStorage {
    struct MetadataEntry {
        string metadataKey;
        bytes metadataValue;
    }

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event MetadataSet(uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue);
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);

    string private constant WALLET_KEY = "agentWallet";
    bytes32 private constant WALLET_KEY_HASH = keccak256("agentWallet");
    uint256 private constant LONGEST_DEADLINE = 5 minutes;
    bytes32 private constant WALLET_TYPE = keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)");
    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    uint256 private nextId;
    mapping(uint256 agentId => mapping(string key => bytes value)) private metadataOf;

    constructor() ERC721("", "") {}

    modifier onlyController(uint256 agentId) {
        require(_isAuthorized(ownerOf(agentId), msg.sender, agentId), "Not authorized");
        _;
    }

    function name() public pure override returns (string memory) {
        return "AgentIdentity";
    }

    function symbol() public pure override returns (string memory) {
        return "AGENT";
    }

    function register() external returns (uint256) {
        return enroll("");
    }

    function register(string memory agentURI) external returns (uint256) {
        return enroll(agentURI);
    }

    function register(string memory agentURI, MetadataEntry[] memory metadata) external returns (uint256 agentId) {
        agentId = enroll(agentURI);
        for (uint256 i; i < metadata.length; i++) {
            writeFree(agentId, metadata[i].metadataKey, metadata[i].metadataValue);
        }
    }

    function setAgentURI(uint256 agentId, string calldata newURI) external onlyController(agentId) {
        _setTokenURI(agentId, newURI);
        emit URIUpdated(agentId, newURI, msg.sender);
    }

    function getMetadata(uint256 agentId, string memory metadataKey) external view returns (bytes memory) {
        return metadataOf[agentId][metadataKey];
    }

    function setMetadata(uint256 agentId, string memory metadataKey, bytes memory metadataValue) external onlyController(agentId) {
        writeFree(agentId, metadataKey, metadataValue);
    }

    function getAgentWallet(uint256 agentId) external view returns (address) {
        return address(bytes20(metadataOf[agentId][WALLET_KEY]));
    }

    /// The new wallet agrees by its signature (EIP-712, or ERC-1271 of a contract wallet).
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature)
        external
        onlyController(agentId)
    {
        require(newWallet != address(0), "bad wallet");
        require(block.timestamp <= deadline, "expired");
        require(deadline <= block.timestamp + LONGEST_DEADLINE, "deadline too far");
        bytes32 content = keccak256(abi.encode(WALLET_TYPE, agentId, newWallet, ownerOf(agentId), deadline));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain(), content));
        require(SignatureChecker.isValidSignatureNow(newWallet, digest, signature), "invalid wallet sig");
        write(agentId, WALLET_KEY, abi.encodePacked(newWallet));
    }

    function unsetAgentWallet(uint256 agentId) external onlyController(agentId) {
        write(agentId, WALLET_KEY, "");
    }

    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool) {
        return _isAuthorized(ownerOf(agentId), spender, agentId);
    }

    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    function enroll(string memory agentURI) private returns (uint256 agentId) {
        agentId = nextId++;
        _safeMint(msg.sender, agentId);
        if (bytes(agentURI).length > 0) _setTokenURI(agentId, agentURI);
        emit Registered(agentId, agentURI, msg.sender);
        write(agentId, WALLET_KEY, abi.encodePacked(msg.sender));
    }

    /// The wallet of an agent is proven, so nobody writes it as plain metadata.
    function writeFree(uint256 agentId, string memory key, bytes memory value) private {
        require(keccak256(bytes(key)) != WALLET_KEY_HASH, "reserved key");
        write(agentId, key, value);
    }

    function write(uint256 agentId, string memory key, bytes memory value) private {
        metadataOf[agentId][key] = value;
        emit MetadataSet(agentId, key, key, value);
    }

    /// A transferred agent has a new owner, whose wallet nobody has proven yet.
    function _update(address to, uint256 agentId, address auth) internal override returns (address from) {
        from = super._update(to, agentId, auth);
        if (from != address(0) && to != address(0)) write(agentId, WALLET_KEY, "");
    }

    function domain() private view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPE, keccak256("ERC8004IdentityRegistry"), keccak256("1"), block.chainid, address(this)));
    }
}
