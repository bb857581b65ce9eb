import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';

/**
 * Events that no decoder here reads yet and whose logs are kept as they were sent, from any contract: a later version reads them
 * from the log, without asking a node again. By what they are of.
 */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  /** Fills of orders, whose owner is not the sender of the transaction. */
  settlements: [
    // CoW Protocol
    'Trade(address,address,address,uint256,uint256,uint256,bytes)',
    // 0x: exchange proxy
    'TransformedERC20(address,address,address,uint256,uint256)',
    'LimitOrderFilled(bytes32,address,address,address,address,address,uint128,uint128,uint128,uint256,bytes32)',
    'RfqOrderFilled(bytes32,address,address,address,address,uint128,uint128,bytes32)',
    'OtcOrderFilled(bytes32,address,address,address,address,uint128,uint128)',
    // 1inch: limit order protocol, versions 4, then 2 and 3
    'OrderFilled(bytes32,uint256)',
    'OrderFilled(address,bytes32,uint256)',
    // UniswapX
    'Fill(bytes32,address,address,uint256)',
    // ERC-4337 entry points
    'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
  ],
  owners: ['OwnershipTransferred(address,address)'],
  curve: [
    'TokenExchange(address,int128,uint256,int128,uint256)',
    'TokenExchangeUnderlying(address,int128,uint256,int128,uint256)',
    'TokenExchange(address,uint256,uint256,uint256,uint256)',
    'TokenExchange(address,uint256,uint256,uint256,uint256,uint256,uint256)',
    ...[2, 3, 4].flatMap((coins) => [
      `AddLiquidity(address,uint256[${coins}],uint256[${coins}],uint256,uint256)`,
      `AddLiquidity(address,uint256[${coins}],uint256,uint256)`,
      `AddLiquidity(address,uint256[${coins}],uint256,uint256,uint256)`,
      `RemoveLiquidity(address,uint256[${coins}],uint256[${coins}],uint256)`,
      `RemoveLiquidity(address,uint256[${coins}],uint256)`,
      `RemoveLiquidityImbalance(address,uint256[${coins}],uint256[${coins}],uint256,uint256)`,
      `RemoveLiquidityImbalance(address,uint256,uint256[${coins}],uint256,uint256)`,
    ]),
    'AddLiquidity(address,uint256[],uint256[],uint256,uint256)',
    'RemoveLiquidity(address,uint256[],uint256[],uint256)',
    'RemoveLiquidityImbalance(address,uint256[],uint256[],uint256,uint256)',
    'RemoveLiquidityOne(address,uint256,uint256)',
    'RemoveLiquidityOne(address,uint256,uint256,uint256)',
    'RemoveLiquidityOne(address,int128,uint256,uint256,uint256)',
    'RemoveLiquidityOne(address,uint256,uint256,uint256,uint256,uint256)',
  ],
  'balancer-v2': [
    'Swap(bytes32,address,address,uint256,uint256)',
    'PoolRegistered(bytes32,address,uint8)',
    'TokensRegistered(bytes32,address[],address[])',
    'PoolBalanceChanged(bytes32,address,address[],int256[],uint256[])',
    'PoolBalanceManaged(bytes32,address,address,int256,int256)',
  ],
  'balancer-v3': [
    'Swap(address,address,address,uint256,uint256,uint256,uint256)',
    'PoolRegistered(address,address,(address,uint8,address,bool)[],uint256,uint32,(address,address,address),(bool,bool,bool,bool,bool,bool,bool,bool,bool,bool,address),(bool,bool,bool,bool))',
    'PoolInitialized(address)',
    'LiquidityAdded(address,address,uint8,uint256,uint256[],uint256[])',
    'LiquidityRemoved(address,address,uint8,uint256,uint256[],uint256[])',
    'Wrap(address,uint256,uint256,bytes32)',
    'Unwrap(address,uint256,uint256,bytes32)',
  ],
  fluid: [
    'Swap(bool,uint256,uint256,address)',
    'LogOperate(address,address,int256,int256,address,address,uint256,uint256)',
    'LogDexDeployed(address,uint256)',
    'DexT1Deployed(address,uint256,address,address)',
  ],
  'four.meme': [
    'TokenCreate(address,address,uint256,string,string,uint256,uint256,uint256)',
    'TokenCreate(address,address,uint256,string,string,uint256,uint256)',
    'TokenPurchase(address,address,uint256,uint256,uint256,uint256,uint256,uint256)',
    'TokenSale(address,address,uint256,uint256,uint256,uint256,uint256,uint256)',
    'TokenPurchase(address,address,uint256,uint256)',
    'TokenSale(address,address,uint256,uint256)',
    'TradeStop(address)',
    'LiquidityAdded(address,uint256,address,uint256)',
  ],
  'pancakeswap-infinity': [
    // Pools with ranges
    'Initialize(bytes32,address,address,address,uint24,bytes32,uint160,int24)',
    'ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)',
    'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24,uint16)',
    // Pools with bins
    'Initialize(bytes32,address,address,address,uint24,bytes32,uint24)',
    'Mint(bytes32,address,uint256[],bytes32,bytes32[],bytes32,bytes32)',
    'Burn(bytes32,address,uint256[],bytes32,bytes32[])',
    'Swap(bytes32,address,int128,int128,uint24,uint24,uint16)',
  ],
};

export const KEPT_TOPICS: readonly string[] = Object.values(KEPT)
  .flat()
  .map((signature) => `0x${keccak256Hex(new TextEncoder().encode(signature))}`);

/** A log with more data than this is of no event above. */
export const MOST_KEPT_BYTES = 4_096;
