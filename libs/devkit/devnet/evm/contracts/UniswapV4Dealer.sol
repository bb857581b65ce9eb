// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

// What wallets of a local chain use to trade in and provide liquidity to Uniswap V4's pool manager, and a hook that changes
// amounts. Interfaces as the pool manager states them.

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct ModifyLiquidityParams {
    int24 tickLower;
    int24 tickUpper;
    int256 liquidityDelta;
    bytes32 salt;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface IPoolManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function modifyLiquidity(PoolKey memory key, ModifyLiquidityParams memory params, bytes calldata hookData)
        external
        returns (int256 callerDelta, int256 feesAccrued);
    function swap(PoolKey memory key, SwapParams memory params, bytes calldata hookData) external returns (int256);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}

/// Pays and receives for one caller at a time; keeps nothing.
contract UniswapV4Dealer {
    uint160 private constant LOWEST = 4295128740;
    uint160 private constant HIGHEST = 1461446703485210103287273052203988822378723970341;

    IPoolManager private immutable manager;

    constructor(IPoolManager manager_) {
        manager = manager_;
    }

    /// Exact input. The output goes to the recipient; reverts when it is below the least.
    function swap(PoolKey calldata key, bool zeroForOne, uint128 amountIn, uint128 leastOut, address recipient)
        external
        payable
    {
        SwapParams memory params = SwapParams(zeroForOne, -int256(uint256(amountIn)), zeroForOne ? LOWEST : HIGHEST);
        manager.unlock(abi.encode(true, msg.sender, recipient, leastOut, key, abi.encode(params)));
        refund();
    }

    /// Positive: adds liquidity of the caller; negative: takes its own out again.
    function modifyLiquidity(PoolKey calldata key, int24 lower, int24 upper, int256 liquidityDelta) external payable {
        ModifyLiquidityParams memory params =
            ModifyLiquidityParams(lower, upper, liquidityDelta, bytes32(uint256(uint160(msg.sender))));
        manager.unlock(abi.encode(false, msg.sender, msg.sender, uint128(0), key, abi.encode(params)));
        refund();
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == address(manager), "not the manager");
        (bool swaps, address payer, address recipient, uint128 leastOut, PoolKey memory key, bytes memory params) =
            abi.decode(data, (bool, address, address, uint128, PoolKey, bytes));
        int256 delta;
        if (swaps) {
            delta = manager.swap(key, abi.decode(params, (SwapParams)), "");
        } else {
            (delta,) = manager.modifyLiquidity(key, abi.decode(params, (ModifyLiquidityParams)), "");
        }
        int128 amount0 = int128(delta >> 128);
        int128 amount1 = int128(delta);
        if (swaps) {
            int128 out = amount0 > amount1 ? amount0 : amount1;
            require(out >= 0 && uint128(out) >= leastOut, "too little received");
        }
        close(key.currency0, amount0, payer, recipient);
        close(key.currency1, amount1, payer, recipient);
        return "";
    }

    function close(address currency, int128 amount, address payer, address recipient) private {
        if (amount > 0) {
            manager.take(currency, recipient, uint128(amount));
        } else if (amount < 0) {
            uint256 owed = uint256(-int256(amount));
            if (currency == address(0)) {
                manager.settle{value: owed}();
                return;
            }
            manager.sync(currency);
            // Some tokens return nothing.
            (bool ok, bytes memory answer) = currency.call(
                abi.encodeWithSignature("transferFrom(address,address,uint256)", payer, address(manager), owed)
            );
            require(ok && (answer.length == 0 || abi.decode(answer, (bool))), "payment failed");
            manager.settle();
        }
    }

    function refund() private {
        uint256 left = address(this).balance;
        if (left == 0) return;
        (bool ok,) = msg.sender.call{value: left}("");
        require(ok, "refund failed");
    }
}

/// Keeps one percent of what a swap gives (of what it takes, for exact outputs): pools with it move other amounts than their
/// curve says.
contract UniswapV4FeeHook {
    IPoolManager private immutable manager;

    constructor(IPoolManager manager_) {
        manager = manager_;
    }

    function afterSwap(address, PoolKey calldata key, SwapParams calldata params, int256 delta, bytes calldata)
        external
        returns (bytes4, int128)
    {
        require(msg.sender == address(manager), "not the manager");
        bool specifiedIs0 = (params.amountSpecified < 0) == params.zeroForOne;
        int128 moved = specifiedIs0 ? int128(delta) : int128(delta >> 128);
        int128 kept = (moved < 0 ? -moved : moved) / 100;
        manager.take(specifiedIs0 ? key.currency1 : key.currency0, address(this), uint128(kept));
        return (UniswapV4FeeHook.afterSwap.selector, kept);
    }
}
