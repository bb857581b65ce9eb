import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import { addressTopic, addressWord, Revert, topic, word } from './abi-words.js';
import {
  burnPosition,
  collect,
  collectProtocol,
  createConcentrated,
  flash,
  initialize,
  mintPosition,
  setFeeProtocol,
  swapConcentrated,
} from './concentrated-rules.js';
import { destroy, emit, issue, type MarketExecution, type TokenSpec, transfer } from './market-state.js';
import { OFFICIAL } from './official-addresses.js';
import { amountOut, burnShares, createPair, mintShares, swapPair, syncPair } from './pair-rules.js';

/**
 * What a wallet signed. An intent names no outcome: mined again on another branch it keeps its hash and meets another
 * state, so it leaves other logs or reverts, as on a real chain.
 */
export type CallIntent =
  | { do: 'transfer'; token: string; to: string; amount: bigint }
  | { do: 'issue'; token: string; to: string; amount: bigint }
  | { do: 'destroy'; token: string; amount: bigint }
  | { do: 'deploy'; spec: TokenSpec; holders: string[]; amount: bigint }
  | {
      do: 'create-pair';
      factory: string;
      tokenA: string;
      tokenB: string;
      amountA: bigint;
      amountB: bigint;
      registered: boolean;
    }
  | { do: 'add-liquidity'; pair: string; amount0: bigint; amount1: bigint }
  | { do: 'remove-liquidity'; pair: string; shares: bigint }
  | { do: 'donate'; pair: string; amount0: bigint; sync: boolean }
  | { do: 'swap'; hops: Hop[]; amountIn: bigint; recipient: string; direct: boolean }
  | {
      do: 'create-pool';
      tokenA: string;
      tokenB: string;
      fee: number;
      sqrtPriceX96: bigint;
      feeProtocol: number;
      ranges: { lower: number; upper: number; liquidity: bigint }[];
    }
  | { do: 'add-position'; pool: string; lower: number; upper: number; liquidity: bigint }
  | { do: 'remove-position'; pool: string; lower: number; upper: number; liquidity: bigint; collects: boolean }
  | { do: 'collect-protocol'; pool: string }
  | { do: 'flash'; pool: string; amount0: bigint; amount1: bigint }
  | { do: 'nft'; contract: string; to: string; id: bigint }
  | { do: 'foreign-log'; contract: string; topics: string[]; words: string[] }
  | { do: 'revert' };

export interface Hop {
  pool: string;
  zeroForOne: boolean;
  /** Farthest relative move of a concentrated pool's price, in ticks. */
  maxTicks: number;
}

export interface Intent {
  from: string;
  nonce: number;
  call: CallIntent;
}

const TRANSFER = topic('Transfer(address,address,uint256)');

/** Contract a call goes to; null creates one. */
export function targetOf(call: CallIntent): string | null {
  switch (call.do) {
    case 'transfer':
    case 'issue':
    case 'destroy':
      return call.token;
    case 'deploy':
      return null;
    case 'create-pair':
    case 'add-liquidity':
    case 'remove-liquidity':
      return OFFICIAL.v2Router;
    case 'donate':
      return call.pair;
    case 'swap':
      return call.direct ? (call.hops[0] as Hop).pool : OFFICIAL.swapRouter02;
    case 'create-pool':
    case 'add-position':
    case 'remove-position':
      return OFFICIAL.positionManager;
    case 'collect-protocol':
    case 'flash':
      return call.pool;
    case 'nft':
    case 'foreign-log':
      return call.contract;
    case 'revert':
      return OFFICIAL.swapRouter02;
  }
}

/** Runs an intent; throws Revert, after which its state and logs are to be thrown away. */
export function execute(run: MarketExecution, { from, call }: Intent): void {
  switch (call.do) {
    case 'transfer':
      transfer(run, call.token, from, call.to, call.amount);
      return;
    case 'issue':
      issue(run, call.token, call.to, call.amount);
      return;
    case 'destroy':
      destroy(run, call.token, from, call.amount);
      return;
    case 'deploy':
      run.state.addToken(call.spec);
      for (const holder of call.holders) issue(run, call.spec.address, holder, call.amount);
      return;
    case 'create-pair': {
      const pair = createPair(run, call.factory, call.tokenA, call.tokenB, call.registered);
      transfer(run, call.tokenA, from, pair, call.amountA);
      transfer(run, call.tokenB, from, pair, call.amountB);
      mintShares(run, pair, OFFICIAL.v2Router, from);
      return;
    }
    case 'add-liquidity': {
      const { token0, token1 } = run.state.pair(call.pair);
      transfer(run, token0, from, call.pair, call.amount0);
      transfer(run, token1, from, call.pair, call.amount1);
      mintShares(run, call.pair, OFFICIAL.v2Router, from);
      return;
    }
    case 'remove-liquidity':
      transfer(run, call.pair, from, call.pair, call.shares);
      burnShares(run, call.pair, OFFICIAL.v2Router, from);
      return;
    case 'donate':
      transfer(run, run.state.pair(call.pair).token0, from, call.pair, call.amount0);
      if (call.sync) syncPair(run, call.pair);
      return;
    case 'swap':
      swap(run, from, call.hops, call.amountIn, call.recipient, call.direct ? from : OFFICIAL.swapRouter02);
      return;
    case 'create-pool': {
      const pool = createConcentrated(run, OFFICIAL.v3Factory, call.tokenA, call.tokenB, call.fee);
      initialize(run, pool, call.sqrtPriceX96);
      if (call.feeProtocol > 0) setFeeProtocol(run, pool, call.feeProtocol);
      for (const range of call.ranges) {
        mintPosition(run, pool, OFFICIAL.positionManager, from, range.lower, range.upper, range.liquidity);
      }
      return;
    }
    case 'add-position':
      mintPosition(run, call.pool, OFFICIAL.positionManager, from, call.lower, call.upper, call.liquidity);
      return;
    case 'remove-position':
      burnPosition(run, call.pool, OFFICIAL.positionManager, call.lower, call.upper, call.liquidity);
      if (call.collects) collect(run, call.pool, OFFICIAL.positionManager, from, call.lower, call.upper);
      return;
    case 'collect-protocol':
      collectProtocol(run, call.pool, from, from);
      return;
    case 'flash':
      flash(run, call.pool, from, call.amount0, call.amount1);
      return;
    case 'nft':
      emit(run, call.contract, [TRANSFER, addressTopic(from), addressTopic(call.to), `0x${word(call.id)}`]);
      return;
    case 'foreign-log':
      emit(run, call.contract, call.topics, ...call.words, addressWord(from));
      return;
    case 'revert':
      throw new Revert('Too little received');
  }
}

function swap(
  run: MarketExecution,
  from: string,
  hops: readonly Hop[],
  amountIn: bigint,
  recipient: string,
  sender: string,
): void {
  let payer = from;
  let amount = amountIn;
  hops.forEach((hop, index) => {
    const to = index === hops.length - 1 ? recipient : sender;
    const pool = run.state.pools.get(hop.pool);
    if (!pool) throw new Revert('no such pool');
    const tokenOut = hop.zeroForOne ? pool.token1 : pool.token0;
    const before = run.state.balance(tokenOut, to);
    if (pool.kind === 'pair') {
      const tokenIn = hop.zeroForOne ? pool.token0 : pool.token1;
      transfer(run, tokenIn, payer, hop.pool, amount);
      // The amount that really arrived, as the router's functions for taxed tokens compute it.
      const [reserveIn, reserveOut] = hop.zeroForOne ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0];
      const out = amountOut(run.state.balance(tokenIn, hop.pool) - reserveIn, reserveIn, reserveOut);
      swapPair(run, hop.pool, sender, hop.zeroForOne ? 0n : out, hop.zeroForOne ? out : 0n, to);
    } else {
      const limitTick = pool.tick + (hop.zeroForOne ? -hop.maxTicks : hop.maxTicks);
      const limit = sqrtRatioAtTick(Math.max(-887_271, Math.min(887_271, limitTick)));
      swapConcentrated(run, hop.pool, sender, payer, to, hop.zeroForOne, amount, limit);
    }
    amount = run.state.balance(tokenOut, to) - before;
    payer = sender;
  });
}
