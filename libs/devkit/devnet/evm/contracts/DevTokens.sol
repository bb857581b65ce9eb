// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Ledger shared by the local chain's tokens: the whole supply goes to `holder` at construction.
abstract contract Ledger {
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    /// Where its metadata are (ERC-7572).
    string public contractURI;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(uint256 supply, address holder) {
        totalSupply = supply;
        balanceOf[holder] = supply;
        emit Transfer(address(0), holder, supply);
    }

    /// Once, when the market is made.
    function describe(string calldata uri) external {
        require(bytes(contractURI).length == 0, "described");
        contractURI = uri;
    }

    function _approve(address owner, address spender, uint256 value) internal {
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    function _spend(address owner, address spender, uint256 value) internal {
        uint256 allowed = allowance[owner][spender];
        if (allowed == type(uint256).max) return;
        require(allowed >= value, "ERC20: insufficient allowance");
        allowance[owner][spender] = allowed - value;
    }

    function _move(address from, address to, uint256 value) internal virtual {
        require(balanceOf[from] >= value, "ERC20: transfer amount exceeds balance");
        unchecked {
            balanceOf[from] -= value;
        }
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

abstract contract ReturningLedger is Ledger {
    function approve(address spender, uint256 value) external returns (bool) {
        _approve(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        _spend(from, msg.sender, value);
        _move(from, to, value);
        return true;
    }
}

contract StandardToken is ReturningLedger {
    string public name;
    string public symbol;
    uint8 public immutable decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply, address holder)
        Ledger(supply, holder)
    {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }
}

/// Keeps 3 % of every transfer for its collector.
contract TaxedToken is ReturningLedger {
    string public name;
    string public symbol;
    uint8 public immutable decimals;
    address public immutable collector;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply, address holder)
        Ledger(supply, holder)
    {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
        collector = holder;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (from == collector || to == collector) {
            super._move(from, to, value);
            return;
        }
        uint256 tax = (value * 3) / 100;
        super._move(from, to, value - tax);
        super._move(from, collector, tax);
    }
}

/// Answers name() and symbol() as bytes32, as early tokens do.
contract Bytes32Token is ReturningLedger {
    bytes32 public name;
    bytes32 public symbol;
    uint256 public immutable decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply, address holder)
        Ledger(supply, holder)
    {
        name = bytes32(bytes(name_));
        symbol = bytes32(bytes(symbol_));
        decimals = decimals_;
    }
}

/// transfer, transferFrom and approve return nothing, and an allowance changes only to or from zero, as with USDT.
contract NoReturnToken is Ledger {
    string public name;
    string public symbol;
    uint256 public immutable decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply, address holder)
        Ledger(supply, holder)
    {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }

    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0, "approve from non-zero");
        _approve(msg.sender, spender, value);
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        _spend(from, msg.sender, value);
        _move(from, to, value);
    }
}

/// A transfer passes only from or to an account that the owner opened: others hold it and cannot move it.
contract GatedToken is ReturningLedger {
    string public name;
    string public symbol;
    uint8 public immutable decimals;
    address public immutable owner;
    mapping(address => bool) public open;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply, address holder)
        Ledger(supply, holder)
    {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
        owner = holder;
        open[holder] = true;
    }

    function setOpen(address account, bool opened) external {
        require(msg.sender == owner, "GatedToken: not the owner");
        open[account] = opened;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(open[from] || open[to], "GatedToken: transfers are closed");
        super._move(from, to, value);
    }
}
