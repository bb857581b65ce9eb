import { decodeEventLog, type Hex, hexToBigInt, parseAbi, toEventSelector, zeroAddress } from 'viem';
import { sqrtRatioAtTick as rootAt } from '#libs/chain/amm/tick-math.js';
import type { TruthPool } from './truth-prices.js';

/** Uniswap V4 as the truth of a market reads it: from the manager's events with viem, position by position. */
export interface ReceiptLog {
  address: string;
  topics: [Hex, ...Hex[]];
  data: Hex;
  logIndex: Hex;
}

export interface Decoded {
  name: string;
  args: Record<string, unknown>;
}

export const V4_MANAGER = '0x000000000004444c5dc75cb358380d2e3de08a90';

const manager = parseAbi([
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
]);

const known = new Set<string>(manager.map((event) => toEventSelector(event)));

export function readV4(
  log: ReceiptLog,
  pools: Map<string, TruthPool>,
  coin: string,
): { pool: TruthPool; swapped: [bigint, bigint] | null } | null {
  if (!known.has(log.topics[0])) return null;
  let event: ReturnType<typeof decodeEventLog<typeof manager>>;
  try {
    event = decodeEventLog({ abi: manager, data: log.data, topics: log.topics });
  } catch {
    return null;
  }
  if (event.eventName === 'Initialize') {
    const { id, currency0, currency1, fee, hooks, sqrtPriceX96, tick } = event.args;
    pools.set(id, {
      ...{ address: id, dex: 'Uniswap V4', concentrated: true, sqrtPriceX96, tick, liquidity: 0n },
      token0: currency0 === zeroAddress ? coin : currency0.toLowerCase(),
      token1: currency1.toLowerCase(),
      ...{ reserve0: 0n, reserve1: 0n, ranges: new Map() },
      hooked: fee === 0x800000 || (hexToBigInt(hooks) & 0b1111n) !== 0n,
    });
    return null;
  }
  const pool = pools.get(event.args.id);
  if (pool === undefined) return null;
  if (event.eventName === 'ModifyLiquidity') {
    const { tickLower: lower, tickUpper: upper, liquidityDelta } = event.args;
    // A copy: the prices before the block hold the ranges of the pool as it was.
    const ranges = new Map(pool.ranges);
    const known = ranges.get(`${lower}:${upper}`)?.liquidity ?? 0n;
    ranges.set(`${lower}:${upper}`, { lower, upper, liquidity: known + liquidityDelta });
    if (lower <= pool.tick && pool.tick < upper) pool.liquidity += liquidityDelta;
    Object.assign(pool, { ranges }, held({ ...pool, ranges }));
    return null;
  }
  const { amount0, amount1, sqrtPriceX96, liquidity, tick } = event.args;
  Object.assign(pool, { sqrtPriceX96, liquidity, tick });
  Object.assign(pool, held(pool));
  return { pool, swapped: [-amount0, -amount1] };
}

const SCALE = 192n;

/** What all ranges hold at the pool's price, summed exactly and rounded down once a side. */
function held({ sqrtPriceX96, ranges }: TruthPool): { reserve0: bigint; reserve1: bigint } {
  let [sum0, sum1] = [0n, 0n];
  for (const { lower, upper, liquidity } of ranges!.values()) {
    const [from, to] = [rootAt(lower), rootAt(upper)];
    const at = sqrtPriceX96 < from ? from : sqrtPriceX96 > to ? to : sqrtPriceX96;
    sum0 += ((liquidity * (to - at)) << (96n + SCALE)) / (to * at);
    sum1 += liquidity * (at - from);
  }
  return { reserve0: sum0 >> SCALE, reserve1: sum1 >> 96n };
}
