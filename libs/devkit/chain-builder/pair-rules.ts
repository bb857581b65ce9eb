import { squareRoot } from '#libs/chain/amm/square-root.js';
import { addressTopic, addressWord, Revert, topic, word } from './abi-words.js';
import { keccakHex } from './keccak-hex.js';
import { destroy, emit, issue, type MarketExecution, type PairState, transfer, ZERO_ADDRESS } from './market-state.js';

/** The rules of the Uniswap V2 pair: reserves follow balances, and x·y after the 0.3 % fee never shrinks. */
const PAIR_CREATED = topic('PairCreated(address,address,address,uint256)');
const SYNC = topic('Sync(uint112,uint112)');
const SWAP = topic('Swap(address,uint256,uint256,uint256,uint256,address)');
const MINT = topic('Mint(address,uint256,uint256)');
const BURN = topic('Burn(address,uint256,uint256,address)');
const PAIR_INIT_CODE_HASH = '96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';
const MINIMUM_LIQUIDITY = 1000n;
const MAX_RESERVE = (1n << 112n) - 1n;

export function pairAddress(factory: string, token0: string, token1: string): string {
  const salt = keccakHex(token0.slice(2) + token1.slice(2));
  return `0x${keccakHex(`ff${factory.slice(2)}${salt}${PAIR_INIT_CODE_HASH}`).slice(24)}`;
}

/** `registered: false` makes a pair that names the factory but that the factory does not know. */
export function createPair(
  run: MarketExecution,
  factory: string,
  tokenA: string,
  tokenB: string,
  registered = true,
): string {
  if (tokenA === tokenB) throw new Revert('UniswapV2: IDENTICAL_ADDRESSES');
  const [token0, token1] = tokenA < tokenB ? [tokenA, tokenB] : [tokenB, tokenA];
  if (registered && run.state.registeredPool(factory, token0, token1, 0) !== ZERO_ADDRESS) {
    throw new Revert('UniswapV2: PAIR_EXISTS');
  }
  const genuine = pairAddress(factory, token0, token1);
  const address = registered ? genuine : `0x${keccakHex(genuine.slice(2)).slice(24)}`;
  run.state.addToken({ address, name: 'Uniswap V2', symbol: 'UNI-V2', decimals: 18, behaviour: 'share', usd: 0 });
  run.state.addPool({
    kind: 'pair',
    address,
    factory,
    token0,
    token1,
    registered,
    reserve0: 0n,
    reserve1: 0n,
    timestampLast: 0,
  });
  if (registered) {
    let count = 0;
    for (const pool of run.state.pools.values()) if (pool.kind === 'pair' && pool.factory === factory) count++;
    emit(run, factory, [PAIR_CREATED, addressTopic(token0), addressTopic(token1)], addressWord(address), word(count));
  }
  return address;
}

function balances(run: MarketExecution, pair: PairState): [bigint, bigint] {
  return [run.state.balance(pair.token0, pair.address), run.state.balance(pair.token1, pair.address)];
}

function update(run: MarketExecution, pair: PairState): void {
  const [balance0, balance1] = balances(run, pair);
  if (balance0 > MAX_RESERVE || balance1 > MAX_RESERVE) throw new Revert('UniswapV2: OVERFLOW');
  pair.reserve0 = balance0;
  pair.reserve1 = balance1;
  pair.timestampLast = run.timestamp;
  emit(run, pair.address, [SYNC], word(balance0), word(balance1));
}

export function mintShares(run: MarketExecution, address: string, sender: string, to: string): void {
  const pair = run.state.changePair(address);
  const [balance0, balance1] = balances(run, pair);
  const amount0 = balance0 - pair.reserve0;
  const amount1 = balance1 - pair.reserve1;
  const supply = run.state.token(address).supply;
  let shares: bigint;
  if (supply === 0n) {
    shares = squareRoot(amount0 * amount1) - MINIMUM_LIQUIDITY;
    if (shares > 0n) issue(run, address, ZERO_ADDRESS, MINIMUM_LIQUIDITY);
  } else {
    const by0 = (amount0 * supply) / pair.reserve0;
    const by1 = (amount1 * supply) / pair.reserve1;
    shares = by0;
    if (by1 < shares) shares = by1;
  }
  if (shares <= 0n) throw new Revert('UniswapV2: INSUFFICIENT_LIQUIDITY_MINTED');
  issue(run, address, to, shares);
  update(run, pair);
  emit(run, address, [MINT, addressTopic(sender)], word(amount0), word(amount1));
}

export function burnShares(run: MarketExecution, address: string, sender: string, to: string): void {
  const pair = run.state.changePair(address);
  const [balance0, balance1] = balances(run, pair);
  const { supply } = run.state.token(address);
  const shares = run.state.balance(address, address);
  const amount0 = (shares * balance0) / supply;
  const amount1 = (shares * balance1) / supply;
  if (amount0 === 0n || amount1 === 0n) throw new Revert('UniswapV2: INSUFFICIENT_LIQUIDITY_BURNED');
  destroy(run, address, address, shares);
  transfer(run, pair.token0, address, to, amount0);
  transfer(run, pair.token1, address, to, amount1);
  update(run, pair);
  emit(run, address, [BURN, addressTopic(sender), addressTopic(to)], word(amount0), word(amount1));
}

/** What the router computes for an exact input that really arrived. */
export function amountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  if (amountIn <= 0n) throw new Revert('UniswapV2Library: INSUFFICIENT_INPUT_AMOUNT');
  if (reserveIn === 0n || reserveOut === 0n) throw new Revert('UniswapV2Library: INSUFFICIENT_LIQUIDITY');
  const withFee = amountIn * 997n;
  return (withFee * reserveOut) / (reserveIn * 1000n + withFee);
}

export function swapPair(
  run: MarketExecution,
  address: string,
  sender: string,
  amount0Out: bigint,
  amount1Out: bigint,
  to: string,
): void {
  const pair = run.state.changePair(address);
  if (amount0Out === 0n && amount1Out === 0n) throw new Revert('UniswapV2: INSUFFICIENT_OUTPUT_AMOUNT');
  if (amount0Out >= pair.reserve0 || amount1Out >= pair.reserve1) {
    throw new Revert('UniswapV2: INSUFFICIENT_LIQUIDITY');
  }
  if (to === pair.token0 || to === pair.token1) throw new Revert('UniswapV2: INVALID_TO');
  if (amount0Out > 0n) transfer(run, pair.token0, address, to, amount0Out);
  if (amount1Out > 0n) transfer(run, pair.token1, address, to, amount1Out);
  const [balance0, balance1] = balances(run, pair);
  const in0 = balance0 - (pair.reserve0 - amount0Out);
  const in1 = balance1 - (pair.reserve1 - amount1Out);
  if (in0 <= 0n && in1 <= 0n) throw new Revert('UniswapV2: INSUFFICIENT_INPUT_AMOUNT');
  const amount0In = in0 > 0n ? in0 : 0n;
  const amount1In = in1 > 0n ? in1 : 0n;
  const adjusted0 = balance0 * 1000n - amount0In * 3n;
  const adjusted1 = balance1 * 1000n - amount1In * 3n;
  if (adjusted0 * adjusted1 < pair.reserve0 * pair.reserve1 * 1_000_000n) throw new Revert('UniswapV2: K');
  update(run, pair);
  emit(
    run,
    address,
    [SWAP, addressTopic(sender), addressTopic(to)],
    word(amount0In),
    word(amount1In),
    word(amount0Out),
    word(amount1Out),
  );
}

/** Adds to the reserves what was sent to the pair without a swap. */
export function syncPair(run: MarketExecution, address: string): void {
  update(run, run.state.changePair(address));
}
