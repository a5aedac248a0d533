// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface AgentEntries {
    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool);
}

/// A Reputation Registry with the public interface of ERC-8004: clients rate agents of the Identity Registry, never their own ones.
/// Without readAllFeedback and without counting answers of everybody, which only indexers call.
/// The genesis block holds it without running a constructor, so the Identity Registry is a constant.
contract SandboxReputationRegistry {
    struct Entry {
        int128 value;
        uint8 valueDecimals;
        bool isRevoked;
        string tag1;
        string tag2;
    }

    struct Given {
        uint256 agentId;
        int128 value;
        uint8 valueDecimals;
        string tag1;
        string tag2;
        string endpoint;
        string feedbackURI;
        bytes32 feedbackHash;
    }

    event NewFeedback(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        int128 value,
        uint8 valueDecimals,
        string indexed indexedTag1,
        string tag1,
        string tag2,
        string endpoint,
        string feedbackURI,
        bytes32 feedbackHash
    );
    event FeedbackRevoked(uint256 indexed agentId, address indexed clientAddress, uint64 indexed feedbackIndex);
    event ResponseAppended(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        address indexed responder,
        string responseURI,
        bytes32 responseHash
    );

    address private constant IDENTITY_REGISTRY = 0x8004A169FB4a3325136EB29fA0ceB6D2e539a432;
    int128 private constant LARGEST_VALUE = 1e38;
    uint8 private constant MOST_DECIMALS = 18;

    mapping(uint256 agentId => mapping(address client => Entry[])) private entriesOf;
    mapping(uint256 agentId => address[]) private clientsOf;
    mapping(uint256 agentId => mapping(address client => mapping(uint64 index => mapping(address responder => uint64 count)))) private answersOf;

    function getIdentityRegistry() external pure returns (address) {
        return IDENTITY_REGISTRY;
    }

    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    function giveFeedback(
        uint256 agentId,
        int128 value,
        uint8 valueDecimals,
        string calldata tag1,
        string calldata tag2,
        string calldata endpoint,
        string calldata feedbackURI,
        bytes32 feedbackHash
    ) external {
        // One variable instead of eight: the stack is too short for the event.
        Given memory given;
        given.agentId = agentId;
        given.value = value;
        given.valueDecimals = valueDecimals;
        given.tag1 = tag1;
        given.tag2 = tag2;
        given.endpoint = endpoint;
        given.feedbackURI = feedbackURI;
        given.feedbackHash = feedbackHash;
        accept(given);
    }

    function accept(Given memory given) private {
        require(given.valueDecimals <= MOST_DECIMALS, "too many decimals");
        require(given.value >= -LARGEST_VALUE && given.value <= LARGEST_VALUE, "value too large");
        // An id that nobody registered is refused by the Identity Registry itself.
        require(!AgentEntries(IDENTITY_REGISTRY).isAuthorizedOrOwner(msg.sender, given.agentId), "Self-feedback not allowed");
        Entry[] storage entries = entriesOf[given.agentId][msg.sender];
        if (entries.length == 0) clientsOf[given.agentId].push(msg.sender);
        entries.push(Entry(given.value, given.valueDecimals, false, given.tag1, given.tag2));
        emit NewFeedback(
            given.agentId,
            msg.sender,
            uint64(entries.length),
            given.value,
            given.valueDecimals,
            given.tag1,
            given.tag1,
            given.tag2,
            given.endpoint,
            given.feedbackURI,
            given.feedbackHash
        );
    }

    function revokeFeedback(uint256 agentId, uint64 feedbackIndex) external {
        Entry storage entry = entryAt(agentId, msg.sender, feedbackIndex);
        require(!entry.isRevoked, "Already revoked");
        entry.isRevoked = true;
        emit FeedbackRevoked(agentId, msg.sender, feedbackIndex);
    }

    function appendResponse(
        uint256 agentId,
        address clientAddress,
        uint64 feedbackIndex,
        string calldata responseURI,
        bytes32 responseHash
    ) external {
        require(bytes(responseURI).length > 0, "Empty URI");
        entryAt(agentId, clientAddress, feedbackIndex);
        answersOf[agentId][clientAddress][feedbackIndex][msg.sender]++;
        emit ResponseAppended(agentId, clientAddress, feedbackIndex, msg.sender, responseURI, responseHash);
    }

    function getLastIndex(uint256 agentId, address clientAddress) external view returns (uint64) {
        return uint64(entriesOf[agentId][clientAddress].length);
    }

    function getClients(uint256 agentId) external view returns (address[] memory) {
        return clientsOf[agentId];
    }

    function readFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex)
        external
        view
        returns (int128 value, uint8 valueDecimals, string memory tag1, string memory tag2, bool isRevoked)
    {
        Entry storage entry = entryAt(agentId, clientAddress, feedbackIndex);
        return (entry.value, entry.valueDecimals, entry.tag1, entry.tag2, entry.isRevoked);
    }

    function getResponseCount(uint256 agentId, address clientAddress, uint64 feedbackIndex, address[] calldata responders)
        external
        view
        returns (uint64 count)
    {
        for (uint256 i; i < responders.length; i++) count += answersOf[agentId][clientAddress][feedbackIndex][responders[i]];
    }

    /// The mean of what the named clients gave and did not revoke, with as many decimals as the finest of them.
    function getSummary(uint256 agentId, address[] calldata clientAddresses, string calldata tag1, string calldata tag2)
        external
        view
        returns (uint64 count, int128 summaryValue, uint8 summaryValueDecimals)
    {
        require(clientAddresses.length > 0, "clientAddresses required");
        int256 sum;
        for (uint256 i; i < clientAddresses.length; i++) {
            Entry[] storage entries = entriesOf[agentId][clientAddresses[i]];
            for (uint256 j; j < entries.length; j++) {
                Entry storage entry = entries[j];
                if (entry.isRevoked || !fits(entry.tag1, tag1) || !fits(entry.tag2, tag2)) continue;
                sum += int256(entry.value) * int256(10 ** uint256(MOST_DECIMALS - entry.valueDecimals));
                if (entry.valueDecimals > summaryValueDecimals) summaryValueDecimals = entry.valueDecimals;
                count++;
            }
        }
        if (count > 0) summaryValue = int128(sum / int256(uint256(count)) / int256(10 ** uint256(MOST_DECIMALS - summaryValueDecimals)));
    }

    function entryAt(uint256 agentId, address client, uint64 index) private view returns (Entry storage) {
        require(index > 0, "index must be > 0");
        require(index <= entriesOf[agentId][client].length, "index out of bounds");
        return entriesOf[agentId][client][index - 1];
    }

    /// An empty filter fits everything.
    function fits(string memory tag, string calldata wanted) private pure returns (bool) {
        return bytes(wanted).length == 0 || keccak256(bytes(tag)) == keccak256(bytes(wanted));
    }
}
