import { Revert, readAddress, readSigned, readWord, topic } from '#libs/devkit/chain-builder/abi-words.js';
import { type CallContext, callContract, hasCode } from '#libs/devkit/chain-builder/contract-calls.js';
import {
  destroy,
  issue,
  type MarketExecution,
  MarketState,
  poolFromCreation,
  type TokenSpec,
  transfer,
  ZERO_ADDRESS,
} from '#libs/devkit/chain-builder/market-state.js';

/**
 * The market state behind a recorded chain, rebuilt from its own logs: a recording holds no state to call into.
 * States are kept at intervals and advanced from the nearest one below.
 */
export interface RecordedLog {
  address: string;
  topics: readonly string[];
  data: string;
}

export interface StateSource {
  /** Tokens of the recording, all of them known from the start. */
  tokens: readonly TokenSpec[];
  /** Number of heights that have logs, and the logs of one. */
  heights: number;
  logsAt(height: number): readonly RecordedLog[];
  contracts: ReadonlySet<string>;
  v2Factories: ReadonlySet<string>;
  v3Factories: ReadonlySet<string>;
  multicall3: string;
  timestampAt(height: number): number;
}

const TOPICS = {
  transfer: topic('Transfer(address,address,uint256)'),
  pairCreated: topic('PairCreated(address,address,address,uint256)'),
  poolCreated: topic('PoolCreated(address,address,uint24,int24,address)'),
  sync: topic('Sync(uint112,uint112)'),
  initialize: topic('Initialize(uint160,int24)'),
  swapV3: topic('Swap(address,address,int256,int256,uint160,uint128,int24)'),
  swapCakeV3: topic('Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)'),
  mintV3: topic('Mint(address,address,int24,int24,uint128,uint256,uint256)'),
};
const INTERVAL = 64;

export class RecordedState {
  private readonly kept = new Map<number, MarketState>();
  private last: { height: number; state: MarketState } | null = null;

  constructor(private readonly source: StateSource) {
    const first = MarketState.empty();
    for (const spec of source.tokens) first.addToken(spec);
    this.kept.set(-1, first);
  }

  call(height: number, to: string, input: string): string {
    return callContract(this.context(height), to, input);
  }

  hasCode(height: number, address: string): boolean {
    return hasCode(this.context(height), address);
  }

  /** State at the end of a height. */
  at(height: number): MarketState {
    if (height < 0 || height >= this.source.heights) throw new RangeError(`no recorded height ${height}`);
    let from = height - (height % INTERVAL) - 1;
    while (!this.kept.has(from)) from -= INTERVAL;
    let state = this.kept.get(from) as MarketState;
    if (this.last && this.last.height <= height && this.last.height > from) {
      from = this.last.height;
      state = this.last.state;
    }
    for (let next = from + 1; next <= height; next++) {
      state = this.advance(state, next);
      if (next % INTERVAL === INTERVAL - 1) this.kept.set(next, state);
    }
    this.last = { height, state };
    return state;
  }

  private context(height: number): CallContext {
    const { v2Factories, v3Factories, multicall3, contracts } = this.source;
    const timestamp = this.source.timestampAt(height);
    return { state: this.at(height), number: height, timestamp, v2Factories, v3Factories, multicall3, contracts };
  }

  private advance(before: MarketState, height: number): MarketState {
    const run: MarketExecution = { state: before.fork(), logs: [], timestamp: this.source.timestampAt(height) };
    for (const log of this.source.logsAt(height)) {
      apply(run, log);
      run.logs.length = 0;
    }
    return run.state;
  }
}

function address(topicOrWord: string): string {
  return `0x${topicOrWord.slice(-40)}`;
}

function apply(run: MarketExecution, log: RecordedLog): void {
  const { state } = run;
  const args = log.data.slice(2);
  const [kind, topic1, topic2, topic3] = log.topics as [string, string, string, string];
  switch (kind) {
    case TOPICS.transfer: {
      const [from, to, amount] = [address(topic1), address(topic2), readWord(args, 0)];
      // Pairs mint their first shares to the zero address, from it.
      if (from === ZERO_ADDRESS) issue(run, log.address, to, amount);
      else if (to === ZERO_ADDRESS) destroy(run, log.address, from, amount);
      else transfer(run, log.address, from, to, amount);
      return;
    }
    case TOPICS.pairCreated: {
      const pair = readAddress(args, 0);
      state.addToken({
        address: pair,
        name: 'Uniswap V2',
        symbol: 'UNI-V2',
        decimals: 18,
        behaviour: 'share',
        usd: 0,
      });
      state.addPool({
        kind: 'pair',
        address: pair,
        factory: log.address,
        token0: address(topic1),
        token1: address(topic2),
        registered: true,
        reserve0: 0n,
        reserve1: 0n,
        timestampLast: 0,
      });
      return;
    }
    case TOPICS.poolCreated:
      state.addPool(
        poolFromCreation({
          address: readAddress(args, 1),
          factory: log.address,
          token0: address(topic1),
          token1: address(topic2),
          fee: Number(topic3),
          tickSpacing: Number(readSigned(args, 0)),
        }),
      );
      return;
    case TOPICS.sync: {
      const pair = state.changePair(log.address);
      pair.reserve0 = readWord(args, 0);
      pair.reserve1 = readWord(args, 1);
      pair.timestampLast = run.timestamp;
      return;
    }
    case TOPICS.initialize: {
      const pool = state.changeConcentrated(log.address);
      pool.sqrtPriceX96 = readWord(args, 0);
      pool.tick = Number(readSigned(args, 1));
      return;
    }
    case TOPICS.swapV3:
    case TOPICS.swapCakeV3: {
      const pool = state.changeConcentrated(log.address);
      pool.sqrtPriceX96 = readWord(args, 2);
      pool.liquidity = readWord(args, 3);
      pool.tick = Number(readSigned(args, 4));
      return;
    }
    case TOPICS.mintV3: {
      const pool = state.changeConcentrated(log.address);
      const lower = Number(BigInt.asIntN(256, BigInt(topic2)));
      const upper = Number(BigInt.asIntN(256, BigInt(topic3)));
      const amount = readWord(args, 1);
      for (const [tick, sign] of [
        [lower, 1n],
        [upper, -1n],
      ] as const) {
        const known = pool.ticks.get(tick) ?? { gross: 0n, net: 0n };
        pool.ticks.set(tick, { gross: known.gross + amount, net: known.net + sign * amount });
      }
      if (lower <= pool.tick && pool.tick < upper) pool.liquidity += amount;
      return;
    }
    default:
      return;
  }
}

/** Name, symbol and decimals from the constructor arguments `(string,string,uint8)` that end a creation's input. */
export function tokenOfCreation(contract: string, input: string): TokenSpec | null {
  const args = input.slice(-7 * 64);
  try {
    if (readWord(args, 0) !== 0x60n || readWord(args, 1) !== 0xa0n) return null;
    const decimals = Number(readWord(args, 2));
    const name = shortString(args, 3);
    const symbol = shortString(args, 5);
    if (decimals > 36 || name === null || symbol === null) return null;
    return { address: contract, name, symbol, decimals, behaviour: 'standard', usd: 0 };
  } catch (error) {
    if (error instanceof Revert) return null;
    throw error;
  }
}

function shortString(args: string, at: number): string | null {
  const length = Number(readWord(args, at));
  if (length > 32) return null;
  return Buffer.from(args.slice((at + 1) * 64, (at + 1) * 64 + length * 2), 'hex').toString('utf8');
}
