import {
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
  sqrtRatioAtTick,
  tickAtSqrtRatio,
} from '#libs/chain/amm/tick-math.js';
import { addressTopic, addressWord, Revert, topic, word } from './abi-words.js';
import { keccakHex } from './keccak-hex.js';
import {
  type ConcentratedState,
  emit,
  type LiquidityPosition,
  type MarketExecution,
  poolFromCreation,
  transfer,
  ZERO_ADDRESS,
} from './market-state.js';
import { amount0Delta, amount1Delta, builderSwapStep, divUp } from './swap-step.js';

/**
 * The rules of the Uniswap V3 pool: exact swap steps (also at every bitmap word), ticks, positions, protocol fees.
 * One simplification: earned fees are paid to positions in proportion to their liquidity, not to their range's share.
 */
const POOL_CREATED = topic('PoolCreated(address,address,uint24,int24,address)');
const INITIALIZE = topic('Initialize(uint160,int24)');
const SWAP = topic('Swap(address,address,int256,int256,uint160,uint128,int24)');
const MINT = topic('Mint(address,address,int24,int24,uint128,uint256,uint256)');
const BURN = topic('Burn(address,int24,int24,uint128,uint256,uint256)');
const COLLECT = topic('Collect(address,address,int24,int24,uint128,uint128)');
const COLLECT_PROTOCOL = topic('CollectProtocol(address,address,uint128,uint128)');
const SET_FEE_PROTOCOL = topic('SetFeeProtocol(uint8,uint8,uint8,uint8)');
const FLASH = topic('Flash(address,address,uint256,uint256,uint256,uint256)');
const POOL_INIT_CODE_HASH = 'e34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';
export const TICK_SPACINGS: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };

function concentratedAddress(factory: string, token0: string, token1: string, fee: number): string {
  const salt = keccakHex(addressWord(token0) + addressWord(token1) + word(fee));
  return `0x${keccakHex(`ff${factory.slice(2)}${salt}${POOL_INIT_CODE_HASH}`).slice(24)}`;
}

export function createConcentrated(
  run: MarketExecution,
  factory: string,
  tokenA: string,
  tokenB: string,
  fee: number,
): string {
  const tickSpacing = TICK_SPACINGS[fee];
  if (tokenA === tokenB || tickSpacing === undefined) throw new Revert('', '0x');
  const [token0, token1] = tokenA < tokenB ? [tokenA, tokenB] : [tokenB, tokenA];
  if (run.state.registeredPool(factory, token0, token1, fee) !== ZERO_ADDRESS) throw new Revert('', '0x');
  const address = concentratedAddress(factory, token0, token1, fee);
  run.state.addPool(poolFromCreation({ address, factory, token0, token1, fee, tickSpacing }));
  const topics = [POOL_CREATED, addressTopic(token0), addressTopic(token1), `0x${word(fee)}`];
  emit(run, factory, topics, word(tickSpacing), addressWord(address));
  return address;
}

export function initialize(run: MarketExecution, address: string, sqrtPriceX96: bigint): void {
  const pool = run.state.changeConcentrated(address);
  if (pool.sqrtPriceX96 !== 0n) throw new Revert('AI');
  pool.sqrtPriceX96 = sqrtPriceX96;
  pool.tick = tickAtSqrtRatio(sqrtPriceX96);
  emit(run, address, [INITIALIZE], word(sqrtPriceX96), word(pool.tick));
}

export function setFeeProtocol(run: MarketExecution, address: string, divisor: number): void {
  const pool = run.state.changeConcentrated(address);
  const old = word(pool.feeProtocol);
  pool.feeProtocol = divisor;
  emit(run, address, [SET_FEE_PROTOCOL], old, old, word(divisor), word(divisor));
}

function positionKey(owner: string, lower: number, upper: number): string {
  return `${owner} ${lower} ${upper}`;
}

function position(pool: ConcentratedState, owner: string, lower: number, upper: number): LiquidityPosition {
  const key = positionKey(owner, lower, upper);
  let found = pool.positions.get(key);
  if (!found) {
    found = { owner, lower, upper, liquidity: 0n, owed0: 0n, owed1: 0n };
    pool.positions.set(key, found);
  }
  return found;
}

function moveTick(pool: ConcentratedState, tick: number, delta: bigint, isUpper: boolean): void {
  const info = pool.ticks.get(tick) ?? { gross: 0n, net: 0n };
  info.gross += delta;
  info.net += isUpper ? -delta : delta;
  if (info.gross === 0n) pool.ticks.delete(tick);
  else pool.ticks.set(tick, info);
}

/** Amounts are those the pool gives (rounded down) or takes (rounded up). */
function changeLiquidity(pool: ConcentratedState, lower: number, upper: number, delta: bigint): [bigint, bigint] {
  moveTick(pool, lower, delta, false);
  moveTick(pool, upper, delta, true);
  const up = delta > 0n;
  const size = up ? delta : -delta;
  const low = sqrtRatioAtTick(lower);
  const high = sqrtRatioAtTick(upper);
  if (pool.tick < lower) return [amount0Delta(low, high, size, up), 0n];
  if (pool.tick >= upper) return [0n, amount1Delta(low, high, size, up)];
  pool.liquidity += delta;
  return [amount0Delta(pool.sqrtPriceX96, high, size, up), amount1Delta(low, pool.sqrtPriceX96, size, up)];
}

export function mintPosition(
  run: MarketExecution,
  address: string,
  manager: string,
  payer: string,
  lower: number,
  upper: number,
  liquidity: bigint,
): void {
  const pool = run.state.changeConcentrated(address);
  if (lower >= upper || lower < MIN_TICK || upper > MAX_TICK) throw new Revert('TLU');
  if (lower % pool.tickSpacing !== 0 || upper % pool.tickSpacing !== 0 || liquidity <= 0n) throw new Revert('', '0x');
  const [amount0, amount1] = changeLiquidity(pool, lower, upper, liquidity);
  position(pool, manager, lower, upper).liquidity += liquidity;
  if (amount0 > 0n && transfer(run, pool.token0, payer, address, amount0) < amount0) throw new Revert('M0');
  if (amount1 > 0n && transfer(run, pool.token1, payer, address, amount1) < amount1) throw new Revert('M1');
  const topics = [MINT, addressTopic(manager), `0x${word(lower)}`, `0x${word(upper)}`];
  emit(run, address, topics, addressWord(manager), word(liquidity), word(amount0), word(amount1));
}

/** Removal leaves the amounts in the pool, owed to the position. A removal of 0 only collects earned fees. */
export function burnPosition(
  run: MarketExecution,
  address: string,
  manager: string,
  lower: number,
  upper: number,
  liquidity: bigint,
): void {
  const pool = run.state.changeConcentrated(address);
  const held = position(pool, manager, lower, upper);
  if (held.liquidity < liquidity || held.liquidity === 0n) throw new Revert('NP');
  let total = 0n;
  for (const other of pool.positions.values()) total += other.liquidity;
  const fee0 = (pool.earned0 * held.liquidity) / total;
  const fee1 = (pool.earned1 * held.liquidity) / total;
  pool.earned0 -= fee0;
  pool.earned1 -= fee1;
  const [amount0, amount1] = liquidity > 0n ? changeLiquidity(pool, lower, upper, -liquidity) : [0n, 0n];
  held.liquidity -= liquidity;
  held.owed0 += amount0 + fee0;
  held.owed1 += amount1 + fee1;
  const topics = [BURN, addressTopic(manager), `0x${word(lower)}`, `0x${word(upper)}`];
  emit(run, address, topics, word(liquidity), word(amount0), word(amount1));
}

export function collect(
  run: MarketExecution,
  address: string,
  manager: string,
  recipient: string,
  lower: number,
  upper: number,
): void {
  const pool = run.state.changeConcentrated(address);
  const held = position(pool, manager, lower, upper);
  const { owed0, owed1 } = held;
  held.owed0 = 0n;
  held.owed1 = 0n;
  if (held.liquidity === 0n) pool.positions.delete(positionKey(manager, lower, upper));
  if (owed0 > 0n) transfer(run, pool.token0, address, recipient, owed0);
  if (owed1 > 0n) transfer(run, pool.token1, address, recipient, owed1);
  const topics = [COLLECT, addressTopic(manager), `0x${word(lower)}`, `0x${word(upper)}`];
  emit(run, address, topics, addressWord(recipient), word(owed0), word(owed1));
}

export function collectProtocol(run: MarketExecution, address: string, sender: string, recipient: string): void {
  const pool = run.state.changeConcentrated(address);
  const amount0 = pool.protocolFees0 > 1n ? pool.protocolFees0 - 1n : 0n;
  const amount1 = pool.protocolFees1 > 1n ? pool.protocolFees1 - 1n : 0n;
  pool.protocolFees0 -= amount0;
  pool.protocolFees1 -= amount1;
  if (amount0 > 0n) transfer(run, pool.token0, address, recipient, amount0);
  if (amount1 > 0n) transfer(run, pool.token1, address, recipient, amount1);
  emit(run, address, [COLLECT_PROTOCOL, addressTopic(sender), addressTopic(recipient)], word(amount0), word(amount1));
}

export function flash(run: MarketExecution, address: string, borrower: string, amount0: bigint, amount1: bigint): void {
  const pool = run.state.changeConcentrated(address);
  if (pool.liquidity === 0n) throw new Revert('L');
  const fee0 = divUp(amount0 * BigInt(pool.fee), 1_000_000n);
  const fee1 = divUp(amount1 * BigInt(pool.fee), 1_000_000n);
  for (const [token, amount, fee] of [
    [pool.token0, amount0, fee0],
    [pool.token1, amount1, fee1],
  ] as const) {
    if (amount === 0n) continue;
    transfer(run, token, address, borrower, amount);
    if (transfer(run, token, borrower, address, amount + fee) < amount + fee) throw new Revert('F');
  }
  pool.earned0 += fee0;
  pool.earned1 += fee1;
  const topics = [FLASH, addressTopic(borrower), addressTopic(borrower)];
  emit(run, address, topics, word(amount0), word(amount1), word(fee0), word(fee1));
}

/** As TickBitmap: looks no further than the 256-tick word, so that rounding happens where the contract rounds. */
function nextTickInWord(pool: ConcentratedState, zeroForOne: boolean): { tick: number; initialized: boolean } {
  const compressed = Math.floor(pool.tick / pool.tickSpacing);
  const from = zeroForOne ? compressed : compressed + 1;
  const wordStart = Math.floor(from / 256) * 256;
  const edge = zeroForOne ? wordStart : wordStart + 255;
  let best: number | null = null;
  for (const tick of pool.ticks.keys()) {
    const at = tick / pool.tickSpacing;
    if (zeroForOne) {
      if (at <= from && at >= edge && (best === null || at > best)) best = at;
    } else if (at >= from && at <= edge && (best === null || at < best)) {
      best = at;
    }
  }
  return { tick: (best ?? edge) * pool.tickSpacing, initialized: best !== null };
}

/** Exact input up to a price limit. Returns the pool deltas. */
export function swapConcentrated(
  run: MarketExecution,
  address: string,
  sender: string,
  payer: string,
  recipient: string,
  zeroForOne: boolean,
  amountIn: bigint,
  sqrtPriceLimit: bigint,
): { amount0: bigint; amount1: bigint } {
  const pool = run.state.changeConcentrated(address);
  if (amountIn <= 0n) throw new Revert('AS');
  const limitOk = zeroForOne
    ? sqrtPriceLimit < pool.sqrtPriceX96 && sqrtPriceLimit > MIN_SQRT_RATIO
    : sqrtPriceLimit > pool.sqrtPriceX96 && sqrtPriceLimit < MAX_SQRT_RATIO;
  if (!limitOk) throw new Revert('SPL');
  let remaining = amountIn;
  let given = 0n;
  let fees = 0n;
  let protocol = 0n;
  while (remaining > 0n && pool.sqrtPriceX96 !== sqrtPriceLimit) {
    const start = pool.sqrtPriceX96;
    const next = nextTickInWord(pool, zeroForOne);
    const tick = Math.max(MIN_TICK, Math.min(MAX_TICK, next.tick));
    const atTick = sqrtRatioAtTick(tick);
    const beyond = zeroForOne ? atTick < sqrtPriceLimit : atTick > sqrtPriceLimit;
    const step = builderSwapStep(start, beyond ? sqrtPriceLimit : atTick, pool.liquidity, remaining, BigInt(pool.fee));
    remaining -= step.amountIn + step.fee;
    given += step.amountOut;
    const share = pool.feeProtocol > 0 ? step.fee / BigInt(pool.feeProtocol) : 0n;
    protocol += share;
    fees += step.fee - share;
    pool.sqrtPriceX96 = step.next;
    if (step.next === atTick) {
      if (next.initialized) {
        const net = (pool.ticks.get(tick) as { net: bigint }).net;
        pool.liquidity += zeroForOne ? -net : net;
      }
      pool.tick = zeroForOne ? tick - 1 : tick;
    } else if (step.next !== start) {
      pool.tick = tickAtSqrtRatio(step.next);
    }
  }
  const paid = amountIn - remaining;
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  if (zeroForOne) {
    pool.earned0 += fees;
    pool.protocolFees0 += protocol;
  } else {
    pool.earned1 += fees;
    pool.protocolFees1 += protocol;
  }
  if (given > 0n) transfer(run, tokenOut, address, recipient, given);
  if (transfer(run, tokenIn, payer, address, paid) < paid) throw new Revert('IIA');
  const [amount0, amount1] = zeroForOne ? [paid, -given] : [-given, paid];
  const topics = [SWAP, addressTopic(sender), addressTopic(recipient)];
  emit(
    run,
    address,
    topics,
    word(amount0),
    word(amount1),
    word(pool.sqrtPriceX96),
    word(pool.liquidity),
    word(pool.tick),
  );
  return { amount0, amount1 };
}
