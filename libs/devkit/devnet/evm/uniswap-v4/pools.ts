import { encodeFunctionData, type Hex } from 'viem';
import { squareRoot } from '#libs/chain/amm/square-root.js';
import { MAX_TICK, sqrtRatioAtTick, tickAtSqrtRatio } from '#libs/chain/amm/tick-math.js';
import type { ChainToken } from '../market-plan.js';
import { NATIVE_CURRENCY, type PlannedV4, type PlannedV4Pool } from '../market-plan.js';
import { ERC20_ABI, MAX_UINT256 } from '../periphery-abi.js';
import { tickRange } from '../tick-range.js';
import { unitsOf } from '../token-units.js';
import type { Outgoing } from '../transaction-sender.js';
import { DEALER_ABI, POOL_MANAGER_ABI } from './abi.js';
import { type ChainV4Pool, COIN_ADDRESS, DEALER, FEE_HOOK, NO_HOOKS, poolId, poolKey } from './chain-pool.js';

/**
 * The pools of a plan and the transactions that make them: each is initialized at its price and gets a position over the
 * whole range, a wide and a narrow one.
 */
export interface V4SetUp {
  pools: ChainV4Pool[];
  approvals: Outgoing[];
  creations: Outgoing[];
}

export function setUpV4(plan: PlannedV4, tokens: readonly ChainToken[], coin: ChainToken, from: string): V4SetUp {
  const bySymbol = new Map(tokens.map((token) => [token.symbol, token]));
  bySymbol.set(NATIVE_CURRENCY, { ...coin, address: COIN_ADDRESS });
  const made = plan.pools.map((planned) => created(plan, planned, bySymbol, from));
  const used = new Set(made.flatMap(({ pool }) => [pool.token0, pool.token1]).filter((side) => side !== COIN_ADDRESS));
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args: [DEALER, MAX_UINT256] });
  return {
    pools: made.map(({ pool }) => pool),
    approvals: [...used].map((token) => ({ from, to: token, data })),
    creations: made.flatMap(({ transactions }) => transactions),
  };
}

function created(
  { poolManager }: PlannedV4,
  { pair, fee, tickSpacing, hooked, depthUsd, weight }: PlannedV4Pool,
  bySymbol: ReadonlyMap<string, ChainToken>,
  from: string,
): { pool: ChainV4Pool; transactions: Outgoing[] } {
  const [a, b] = pair.map((symbol) => bySymbol.get(symbol) as ChainToken) as [ChainToken, ChainToken];
  const [low, high] = BigInt(a.address) < BigInt(b.address) ? [a, b] : [b, a];
  const sides = { token0: low.address, token1: high.address, fee, tickSpacing, hooks: hooked ? FEE_HOOK : NO_HOOKS };
  const pool = { ...sides, id: poolId(sides), weight };
  const [amount0, amount1] = [unitsOf(low, depthUsd), unitsOf(high, depthUsd)];
  const root = squareRoot((amount1 << 192n) / amount0);
  const initialize = encodeFunctionData({
    abi: POOL_MANAGER_ABI,
    functionName: 'initialize',
    args: [poolKey(pool), root],
  });
  const widths = fee === 100 ? [MAX_TICK, 400, 20] : [MAX_TICK, 6_000, 1_500];
  const positions = widths.map((width, nth): Outgoing => {
    const share = [3n, 4n, 3n][nth] as bigint;
    const { lower, upper } = tickRange(tickAtSqrtRatio(root), width, tickSpacing);
    const put0 = (amount0 * share) / 10n;
    const liquidity = liquidityOf(root, sqrtRatioAtTick(lower), sqrtRatioAtTick(upper), put0, (amount1 * share) / 10n);
    const args = [poolKey(pool), lower, upper, liquidity] as const;
    const data = encodeFunctionData({ abi: DEALER_ABI, functionName: 'modifyLiquidity', args });
    // What the position does not take of the coin comes back.
    const value = pool.token0 === COIN_ADDRESS ? put0 + 1n : 0n;
    return { from, to: DEALER, data, value, gas: 1_500_000 };
  });
  return { pool, transactions: [{ from, to: poolManager, data: initialize as Hex, gas: 1_000_000 }, ...positions] };
}

/** The most liquidity that takes no more of either side, for a price inside the range. */
function liquidityOf(root: bigint, lower: bigint, upper: bigint, amount0: bigint, amount1: bigint): bigint {
  const of0 = (amount0 * root * upper) / ((upper - root) << 96n);
  const of1 = (amount1 << 96n) / (root - lower);
  return of0 < of1 ? of0 : of1;
}
