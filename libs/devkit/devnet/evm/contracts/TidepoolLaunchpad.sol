// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface IPairFactory {
    function createPair(address a, address b) external returns (address pair);
}

interface IPair {
    function mint(address to) external returns (uint256 liquidity);
}

interface IWrappedCoin {
    function deposit() external payable;
    function transfer(address to, uint256 value) external returns (bool);
}

/// A token of the launchpad. Until its curve is sold out no unit of it can get into the pair that it graduates to, so that
/// the curve sets the first price there.
contract TidepoolToken {
    uint256 public constant totalSupply = 1_000_000_000e18;
    uint8 public constant decimals = 18;

    address public immutable curve;
    string public name;
    string public symbol;
    /// Where the metadata are (ERC-7572); empty without any.
    string public contractURI;
    address public pair;
    bool public released;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_, string memory uri) {
        name = name_;
        symbol = symbol_;
        if (bytes(uri).length > 0) contractURI = uri;
        curve = msg.sender;
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function setPair(address pair_) external {
        require(msg.sender == curve && pair == address(0), "not the curve");
        pair = pair_;
    }

    function release() external {
        require(msg.sender == curve, "not the curve");
        released = true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            require(allowed >= value, "insufficient allowance");
            allowance[from][msg.sender] = allowed - value;
        }
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) private {
        require(released || to != pair, "not graduated");
        require(balanceOf[from] >= value, "amount exceeds balance");
        unchecked {
            balanceOf[from] -= value;
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }
}

/// A bonding curve: a constant product of virtual reserves, with a fee in the coin, every rounding against the trader. With
/// its last sale it puts what it raised and the rest of the supply into the pair, for ever.
contract TidepoolCurve {
    uint256 public constant FOR_SALE = 793_100_000e18;
    uint256 private constant VIRTUAL_TOKENS = 1_073_000_000e18;
    uint256 private constant FEE_BPS = 100;
    uint256 private constant BPS = 10_000;
    address private constant DEAD = 0x000000000000000000000000000000000000dEaD;

    address public immutable factory;
    address public immutable token0;
    address public immutable token1;
    TidepoolToken public immutable token;
    address private immutable wrapped;
    address public pair;
    uint256 public virtualCoin;
    uint256 public virtualTokens = VIRTUAL_TOKENS;
    uint256 public raised;
    uint256 public remaining = FOR_SALE;
    uint256 public fees;
    bool public graduated;
    bool private entered;

    /// Signed from the view of the curve, in the order of the tokens' addresses: positive came in. The virtual reserves are
    /// those after the trade.
    event CurveTrade(
        address indexed trader,
        address indexed recipient,
        int256 amount0,
        int256 amount1,
        uint256 virtual0,
        uint256 virtual1
    );
    /// What came into the reserves, or left them, other than by a trade: the fee of each trade leaves them.
    event CurveFlow(int256 amount0, int256 amount1);
    event CurveProgress(address indexed token, uint256 sold, uint256 forSale);
    event CurveGraduated(address indexed token, address pool);

    modifier once() {
        require(!entered, "entered");
        entered = true;
        _;
        entered = false;
    }

    constructor(string memory name, string memory symbol, string memory uri, address wrapped_, uint256 virtualCoin_) {
        factory = msg.sender;
        wrapped = wrapped_;
        virtualCoin = virtualCoin_;
        TidepoolToken made = new TidepoolToken(name, symbol, uri);
        token = made;
        (token0, token1) = address(made) < wrapped_ ? (address(made), wrapped_) : (wrapped_, address(made));
    }

    function open(address pair_) external {
        require(msg.sender == factory && pair == address(0), "not the launchpad");
        pair = pair_;
        token.setPair(pair_);
        _flow(int256(FOR_SALE), 0);
    }

    /// What a buy of this much coin takes and gives; `taken` is less where so much is not left.
    function quoteBuy(uint256 amount) public view returns (uint256 taken, uint256 tokens, uint256 fee) {
        uint256 net = (amount * (BPS - FEE_BPS)) / BPS;
        tokens = (virtualTokens * net) / (virtualCoin + net);
        taken = amount;
        if (tokens > remaining) {
            tokens = remaining;
            net = _up(virtualCoin * tokens, virtualTokens - tokens);
            taken = _up(net * BPS, BPS - FEE_BPS);
        }
        fee = taken - net;
    }

    /// What a sale of these tokens pays out, and the fee that is kept of it.
    function quoteSell(uint256 tokens) public view returns (uint256 paid, uint256 fee) {
        uint256 gross = (virtualCoin * tokens) / (virtualTokens + tokens);
        paid = (gross * (BPS - FEE_BPS)) / BPS;
        fee = gross - paid;
    }

    /// What is sent beyond `taken` goes back: to the recipient where the launchpad buys for it.
    function buy(address recipient, uint256 leastTokens) external payable once {
        require(!graduated, "graduated");
        (uint256 taken, uint256 tokens, uint256 fee) = quoteBuy(msg.value);
        require(tokens > 0 && tokens >= leastTokens, "too little");
        uint256 net = taken - fee;
        virtualCoin += net;
        virtualTokens -= tokens;
        raised += net;
        remaining -= tokens;
        fees += fee;
        address payer = msg.sender == factory ? recipient : msg.sender;
        token.transfer(recipient, tokens);
        _note(payer, recipient, -int256(tokens), int256(taken), fee);
        if (remaining == 0) _graduate();
        if (msg.value > taken) _pay(payer, msg.value - taken);
    }

    function sell(uint256 tokens, address recipient, uint256 leastCoin) external once {
        require(!graduated, "graduated");
        require(tokens > 0 && tokens <= FOR_SALE - remaining, "more than was sold");
        (uint256 paid, uint256 fee) = quoteSell(tokens);
        require(paid > 0 && paid >= leastCoin, "too little");
        virtualCoin -= paid + fee;
        virtualTokens += tokens;
        raised -= paid + fee;
        remaining += tokens;
        fees += fee;
        token.transferFrom(msg.sender, address(this), tokens);
        _note(msg.sender, recipient, int256(tokens), -int256(paid), fee);
        _pay(recipient, paid);
    }

    /// Sends the fees so far to where the launchpad wants them.
    function collect() external once {
        uint256 amount = fees;
        fees = 0;
        _pay(TidepoolLaunchpad(factory).feeRecipient(), amount);
    }

    function _note(address trader, address recipient, int256 tokens, int256 coin, uint256 fee) private {
        if (token0 == address(token)) emit CurveTrade(trader, recipient, tokens, coin, virtualTokens, virtualCoin);
        else emit CurveTrade(trader, recipient, coin, tokens, virtualCoin, virtualTokens);
        if (fee > 0) _flow(0, -int256(fee));
        emit CurveProgress(address(token), FOR_SALE - remaining, FOR_SALE);
    }

    function _flow(int256 tokens, int256 coin) private {
        if (token0 == address(token)) emit CurveFlow(tokens, coin);
        else emit CurveFlow(coin, tokens);
    }

    function _graduate() private {
        graduated = true;
        uint256 coin = raised;
        raised = 0;
        _flow(0, -int256(coin));
        token.release();
        token.transfer(pair, token.totalSupply() - FOR_SALE);
        IWrappedCoin(wrapped).deposit{value: coin}();
        require(IWrappedCoin(wrapped).transfer(pair, coin), "the wrapped coin refused");
        IPair(pair).mint(DEAD);
        emit CurveGraduated(address(token), pair);
    }

    function _pay(address to, uint256 amount) private {
        (bool paid, ) = to.call{value: amount}("");
        require(paid, "the coin was refused");
    }

    function _up(uint256 a, uint256 b) private pure returns (uint256) {
        return (a + b - 1) / b;
    }
}

/// Makes tokens, each with a curve of its own and the pair that it graduates to.
contract TidepoolLaunchpad {
    IPairFactory private immutable pairs;
    address private immutable wrapped;
    uint256 public immutable virtualCoin;
    address public immutable feeRecipient;
    address[] public curves;
    mapping(address => mapping(address => address)) private byTokens;

    event CurveLaunched(address indexed token, address indexed creator, address curve);

    constructor(IPairFactory pairs_, address wrapped_, uint256 virtualCoin_, address feeRecipient_) {
        pairs = pairs_;
        wrapped = wrapped_;
        virtualCoin = virtualCoin_;
        feeRecipient = feeRecipient_;
    }

    function count() external view returns (uint256) {
        return curves.length;
    }

    /// The curve of these two tokens, the lower address first; zero without one.
    function getCurve(address token0, address token1) external view returns (address) {
        return byTokens[token0][token1];
    }

    /// A new token and its curve. With coin the caller is also its first buyer.
    function launch(string calldata name, string calldata symbol) external payable returns (address token, address curve) {
        return _launched(new TidepoolCurve(name, symbol, "", wrapped, virtualCoin), 0);
    }

    /// The same with metadata and a floor of the first buy, at addresses that follow from the caller and what it gives here:
    /// no other launch moves them.
    function launchAt(
        string calldata name,
        string calldata symbol,
        string calldata uri,
        bytes32 salt,
        uint256 leastTokens
    ) external payable returns (address token, address curve) {
        bytes32 own = keccak256(abi.encode(msg.sender, salt));
        return _launched(new TidepoolCurve{salt: own}(name, symbol, uri, wrapped, virtualCoin), leastTokens);
    }

    function _launched(TidepoolCurve made, uint256 leastTokens) private returns (address token, address curve) {
        curve = address(made);
        token = address(made.token());
        curves.push(curve);
        byTokens[made.token0()][made.token1()] = curve;
        emit CurveLaunched(token, msg.sender, curve);
        made.open(pairs.createPair(token, wrapped));
        if (msg.value > 0) made.buy{value: msg.value}(msg.sender, leastTokens);
    }
}
