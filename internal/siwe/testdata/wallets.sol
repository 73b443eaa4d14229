// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

// Contract wallets for TestOnAChain. wallets.json is this, compiled with solc 0.8.37,
// the optimizer on (200 runs) and no metadata.

/// Agrees with its owner; throws at everything else, as many wallets do.
contract Wallet {
    address immutable owner;

    constructor(address who) {
        owner = who;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view virtual returns (bytes4) {
        require(signed(hash, signature, owner), "not the owner");
        return 0x1626ba7e;
    }

    function signed(bytes32 hash, bytes calldata s, address by) internal pure returns (bool) {
        return s.length == 65 && ecrecover(hash, uint8(s[64]), bytes32(s[:32]), bytes32(s[32:64])) == by;
    }
}

/// Deploys wallets, each at its own address (ERC-6492).
contract Factory {
    function deploy(address owner, bytes32 salt) external returns (address) {
        return address(new Wallet{salt: salt}(owner));
    }
}

/// Has to be made ready before it agrees with its owner (ERC-6492, prepareData).
contract Unready is Wallet {
    bool ready;

    constructor(address who) Wallet(who) {}

    function prepare() external {
        ready = true;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view override returns (bytes4) {
        return ready && signed(hash, signature, owner) ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// Answers whatever it was deployed with, to every question, or throws it.
contract Parrot {
    bytes answer;
    bool throws;

    constructor(bytes memory what, bool thrown) {
        (answer, throws) = (what, thrown);
    }

    fallback(bytes calldata) external returns (bytes memory) {
        bytes memory a = answer;
        if (throws) assembly { revert(add(a, 32), mload(a)) }
        return a;
    }
}

/// Uses up all gas.
contract Burner {
    fallback() external {
        assembly { invalid() }
    }
}

/// Would change the chain while it is asked, which STATICCALL does not allow.
contract Writer {
    uint256 asked;

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        asked++;
        return 0x1626ba7e;
    }
}
