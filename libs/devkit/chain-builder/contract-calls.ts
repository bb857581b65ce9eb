import {
  addressWord,
  bytes32Result,
  bytesBody,
  data,
  Revert,
  readAddress,
  readSigned,
  readWord,
  selector,
  stringResult,
  word,
} from './abi-words.js';
import { TICK_SPACINGS } from './concentrated-rules.js';
import type { ConcentratedState, MarketState, PairState, TokenState } from './market-state.js';

/** Answers view calls from a market state as the contracts would. An address without code answers empty data. */
type Getter<T> = (subject: T, args: string, state: MarketState) => string;

function table<T>(getters: Record<string, Getter<T>>): Map<string, Getter<T>> {
  return new Map(Object.entries(getters).map(([signature, getter]) => [selector(signature), getter]));
}

const LONG_NAME = `Very\u0000Long\u0007Name\n${'x'.repeat(3000)}`;

const TOKEN_GETTERS = table<TokenState>({
  'name()': ({ spec }) => {
    if (spec.behaviour === 'mute') throw new Revert('', '0x');
    if (spec.behaviour === 'bytes32') return bytes32Result(spec.name);
    return stringResult(spec.behaviour === 'garbled' ? LONG_NAME : spec.name);
  },
  'symbol()': ({ spec }) => {
    if (spec.behaviour === 'mute') throw new Revert('', '0x');
    if (spec.behaviour === 'bytes32') return bytes32Result(spec.symbol);
    if (spec.behaviour === 'garbled') return data(word(32), bytesBody('ff8003c0af'));
    return stringResult(spec.symbol);
  },
  'decimals()': ({ spec }) => {
    if (spec.behaviour === 'mute') throw new Revert('', '0x');
    return data(word(spec.behaviour === 'absurd' ? 255 : spec.decimals));
  },
  'totalSupply()': ({ supply }) => data(word(supply)),
  'balanceOf(address)': (token, args) => data(word(token.balances.get(readAddress(args, 0)) ?? 0n)),
});

const PAIR_GETTERS = table<PairState>({
  'factory()': (pair) => data(addressWord(pair.factory)),
  'token0()': (pair) => data(addressWord(pair.token0)),
  'token1()': (pair) => data(addressWord(pair.token1)),
  'getReserves()': (pair) => data(word(pair.reserve0), word(pair.reserve1), word(pair.timestampLast)),
});

const CONCENTRATED_GETTERS = table<ConcentratedState>({
  'factory()': (pool) => data(addressWord(pool.factory)),
  'token0()': (pool) => data(addressWord(pool.token0)),
  'token1()': (pool) => data(addressWord(pool.token1)),
  'fee()': (pool) => data(word(pool.fee)),
  'tickSpacing()': (pool) => data(word(pool.tickSpacing)),
  'liquidity()': (pool) => data(word(pool.liquidity)),
  'protocolFees()': (pool) => data(word(pool.protocolFees0), word(pool.protocolFees1)),
  'slot0()': (pool) =>
    data(
      word(pool.sqrtPriceX96),
      word(pool.tick),
      word(0),
      word(1),
      word(1),
      word(pool.feeProtocol + pool.feeProtocol * 16),
      word(pool.sqrtPriceX96 > 0n),
    ),
  'ticks(int24)': (pool, args) => {
    const tick = pool.ticks.get(Number(readSigned(args, 0)));
    const initialized = tick !== undefined;
    return data(word(tick?.gross ?? 0n), word(tick?.net ?? 0n), ...Array(5).fill(word(0)), word(initialized));
  },
  'tickBitmap(int16)': (pool, args) => {
    const position = Number(readSigned(args, 0));
    let bitmap = 0n;
    for (const tick of pool.ticks.keys()) {
      const compressed = tick / pool.tickSpacing;
      if (Math.floor(compressed / 256) === position) bitmap |= 1n << BigInt(compressed - position * 256);
    }
    return data(word(bitmap));
  },
});

const V2_FACTORY_GETTERS = table<string>({
  'getPair(address,address)': (factory, args, state) =>
    data(addressWord(state.registeredPool(factory, readAddress(args, 0), readAddress(args, 1), 0))),
  'feeTo()': () => data(word(0)),
});

const V3_FACTORY_GETTERS = table<string>({
  'getPool(address,address,uint24)': (factory, args, state) =>
    data(
      addressWord(state.registeredPool(factory, readAddress(args, 0), readAddress(args, 1), Number(readWord(args, 2)))),
    ),
  'feeAmountTickSpacing(uint24)': (_factory, args) => data(word(TICK_SPACINGS[Number(readWord(args, 0))] ?? 0)),
});

export interface CallContext {
  state: MarketState;
  number: number;
  timestamp: number;
  /** Factories in addition to the official ones. */
  v2Factories: ReadonlySet<string>;
  v3Factories: ReadonlySet<string>;
  multicall3: string;
  /** Other addresses that have code. */
  contracts: ReadonlySet<string>;
}

/** Returned data, 0x-prefixed; throws Revert. */
export function callContract(context: CallContext, to: string, input: string): string {
  const address = to.toLowerCase();
  const method = input.slice(2, 10);
  const args = input.slice(10);
  const { state } = context;
  if (address === context.multicall3) return multicall(context, method, args);
  if (context.v2Factories.has(address)) return answer(V2_FACTORY_GETTERS, address, method, args, state);
  if (context.v3Factories.has(address)) return answer(V3_FACTORY_GETTERS, address, method, args, state);
  const pool = state.pools.get(address);
  const token = state.tokens.get(address);
  if (pool?.kind === 'pair' && PAIR_GETTERS.has(method)) return answer(PAIR_GETTERS, pool, method, args, state);
  if (pool?.kind === 'concentrated') return answer(CONCENTRATED_GETTERS, pool, method, args, state);
  if (token) return answer(TOKEN_GETTERS, token, method, args, state);
  return '0x';
}

export function hasCode(context: CallContext, address: string): boolean {
  const { state, v2Factories, v3Factories, multicall3 } = context;
  return (
    address === multicall3 ||
    v2Factories.has(address) ||
    v3Factories.has(address) ||
    state.pools.has(address) ||
    state.tokens.has(address) ||
    context.contracts.has(address)
  );
}

function answer<T>(
  getters: Map<string, Getter<T>>,
  subject: T,
  method: string,
  args: string,
  state: MarketState,
): string {
  const getter = getters.get(method);
  if (!getter) throw new Revert('', '0x');
  return getter(subject, args, state);
}

function multicall(context: CallContext, method: string, args: string): string {
  if (method === selector('getBlockNumber()')) return data(word(context.number));
  if (method === selector('getCurrentBlockTimestamp()')) return data(word(context.timestamp));
  if (method !== selector('aggregate3((address,bool,bytes)[])')) throw new Revert('', '0x');
  const array = args.slice(Number(readWord(args, 0)) * 2);
  const count = Number(readWord(array, 0));
  const body = array.slice(64);
  const results: string[] = [];
  for (let i = 0; i < count; i++) {
    const call = body.slice(Number(readWord(body, i)) * 2);
    const bytes = call.slice(Number(readWord(call, 2)) * 2);
    const length = Number(readWord(bytes, 0));
    const input = bytes.slice(64, 64 + length * 2);
    let success = true;
    let returned: string;
    try {
      returned = callContract(context, readAddress(call, 0), `0x${input}`);
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      if (readWord(call, 1) === 0n) throw new Revert('Multicall3: call failed');
      success = false;
      returned = error.data;
    }
    results.push(word(success) + word(64) + bytesBody(returned.slice(2)));
  }
  let offset = count * 32;
  const heads: string[] = [];
  for (const result of results) {
    heads.push(word(offset));
    offset += result.length / 2;
  }
  return data(word(32), word(count), ...heads, ...results);
}
