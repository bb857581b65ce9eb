import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { KeyedState } from '#libs/pipeline/state/keyed-state.js';
import type { Space } from '#libs/pipeline/state/space.js';

/**
 * A market of any size in keyed state, and its traffic: the same numbers give the same market and the same blocks, so that a
 * process that was killed can be continued by another.
 */
export interface MarketSize {
  pools: number;
  tokens: number;
  balances: number;
}

interface Pool {
  readonly token0: Hex;
  readonly token1: Hex;
  readonly feePpm: number;
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  readonly sqrtPriceX96: bigint;
}

interface Token {
  readonly symbol: string;
  readonly decimals: number;
  readonly supply: bigint;
  readonly level: number;
  readonly pool: Hex;
  readonly spot: bigint;
}

const ADDRESS = 20;

function writeBig(target: Buffer, at: number, value: bigint): number {
  const hex = value.toString(16);
  const bytes = (hex.length + 1) >> 1;
  target[at] = bytes;
  target.write(hex.length % 2 === 0 ? hex : `0${hex}`, at + 1, 'hex');
  return at + 1 + bytes;
}

function readBig(source: Buffer, at: number): { value: bigint; end: number } {
  const end = at + 1 + source[at]!;
  return { value: end === at + 1 ? 0n : BigInt(`0x${source.toString('hex', at + 1, end)}`), end };
}

/** Used again by each encoding: the state copies what it gets before it asks for the next. */
const scratch = Buffer.alloc(512);

export const pools: Space<Pool> = {
  name: 'pools',
  version: 1,
  encode: (pool) => {
    let at = scratch.write(pool.token0, 0, 'hex');
    at += scratch.write(pool.token1, at, 'hex');
    at = scratch.writeUInt32LE(pool.feePpm, at);
    at = writeBig(scratch, at, pool.reserve0);
    at = writeBig(scratch, at, pool.reserve1);
    return scratch.subarray(0, writeBig(scratch, at, pool.sqrtPriceX96));
  },
  decode: (bytes) => {
    const at = 2 * ADDRESS;
    const reserve0 = readBig(bytes, at + 4);
    const reserve1 = readBig(bytes, reserve0.end);
    return {
      token0: bytes.toString('hex', 0, ADDRESS),
      token1: bytes.toString('hex', ADDRESS, at),
      feePpm: bytes.readUInt32LE(at),
      reserve0: reserve0.value,
      reserve1: reserve1.value,
      sqrtPriceX96: readBig(bytes, reserve1.end).value,
    };
  },
};

export const tokens: Space<Token> = {
  name: 'tokens',
  version: 1,
  encode: (token) => {
    scratch[0] = token.decimals;
    scratch[1] = token.level;
    let at = 2 + scratch.write(token.pool, 2, 'hex');
    at = writeBig(scratch, at, token.supply);
    at = writeBig(scratch, at, token.spot);
    return scratch.subarray(0, at + scratch.write(token.symbol, at, 'utf8'));
  },
  decode: (bytes) => {
    const supply = readBig(bytes, 2 + ADDRESS);
    const spot = readBig(bytes, supply.end);
    return {
      decimals: bytes[0]!,
      level: bytes[1]!,
      pool: bytes.toString('hex', 2, 2 + ADDRESS),
      supply: supply.value,
      spot: spot.value,
      symbol: bytes.toString('utf8', spot.end),
    };
  },
};

export const balances: Space<bigint> = {
  name: 'balances',
  version: 1,
  encode: (value) => scratch.subarray(0, writeBig(scratch, 0, value)),
  decode: (bytes) => readBig(bytes, 0).value,
};

export const marketSpaces = [pools, tokens, balances] as unknown as readonly Space<never>[];

const keyBytes = Buffer.alloc(2 * ADDRESS + 4);

/**
 * Ids ascend with their number, so that a store is filled in key order; the rest of their bytes looks random. A hash object for each
 * would leave more to collect than the state does.
 */
function keyOf(kind: number, at: number, count: number, bytes: number): Hex {
  const lead = Math.floor(((at + 0.5) / count) * 2 ** 48);
  keyBytes.writeUIntBE(lead, 0, 6);
  let word = Math.imul(at + 1, 0x9e3779b1) ^ kind;
  for (let from = 6; from < bytes; from += 4) {
    word = mixed(word + from);
    keyBytes.writeInt32LE(word, from);
  }
  return keyBytes.toString('hex', 0, bytes);
}

/** The last steps of MurmurHash3. */
function mixed(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

export const poolKey = (at: number, { pools: count }: MarketSize): Hex => keyOf(1, at, count, ADDRESS);
export const tokenKey = (at: number, { tokens: count }: MarketSize): Hex => keyOf(2, at, count, ADDRESS);
/** A token and its holder. */
export const balanceKey = (at: number, { balances: count }: MarketSize): Hex => keyOf(3, at, count, 2 * ADDRESS);

const units = (at: number): bigint => BigInt(at + 1) * 1_000_000_007_000_003n;

export function poolAt(at: number, size: MarketSize): Pool {
  const token0 = tokenKey(at % size.tokens, size);
  const token1 = tokenKey((at * 7 + 1) % size.tokens, size);
  return { token0, token1, feePpm: 3000, reserve0: units(at), reserve1: units(at * 3), sqrtPriceX96: units(at) << 60n };
}

export function tokenAt(at: number, size: MarketSize): Token {
  const pool = poolKey(at % size.pools, size);
  return { symbol: `TKN${at}`, decimals: 18, supply: units(at) << 30n, level: 2, pool, spot: units(at) << 50n };
}

export const balanceAt = (at: number): bigint => units(at);

export interface Traffic {
  pools: Hex[];
  tokens: Hex[];
  balances: Hex[];
}

/** What a trade touches: a pool, its two tokens, and three balances. */
export const KEYS_A_TRADE = 6;

/**
 * The keys of one block: four fifths by rank (the one of rank r is touched in proportion to 1/r), one fifth uniformly over
 * the whole set. Ranks are scattered over the keys.
 */
export function trafficOf(random: SeededRandom, trades: number, size: MarketSize): Traffic {
  const draw = (count: number): number => {
    if (random.chance(0.2)) return random.int(count);
    const rank = Math.min(count - 1, Math.floor(count ** random.next()) - 1);
    return scattered(rank, count);
  };
  const keys = (times: number, count: number, key: (at: number, size: MarketSize) => Hex): Hex[] =>
    Array.from({ length: trades * times }, () => key(draw(count), size));
  return {
    pools: keys(1, size.pools, poolKey),
    tokens: keys(2, size.tokens, tokenKey),
    balances: keys(3, size.balances, balanceKey),
  };
}

/** A large prime is coprime to every count below it, so each rank has a place of its own. */
const PRIME = 2_147_483_647n;
const scattered = (rank: number, count: number): number => Number((BigInt(rank) * PRIME) % BigInt(count));

/** Each trade reads and changes its pool and three balances, reads both tokens and now and then changes one. */
export function applyTraffic(state: KeyedState, traffic: Traffic, seq: number): void {
  const [poolSpace, tokenSpace, balanceSpace] = [state.space(pools), state.space(tokens), state.space(balances)];
  for (let trade = 0; trade < traffic.pools.length; trade++) {
    const amount = BigInt(seq * 1_000 + trade);
    const poolId = traffic.pools[trade]!;
    const pool = poolSpace.get(poolId)!;
    const reserve0 = pool.reserve0 + amount;
    poolSpace.set(poolId, { ...pool, reserve0, sqrtPriceX96: (pool.sqrtPriceX96 * (reserve0 + 1n)) / reserve0 });
    for (let side = 0; side < 2; side++) {
      const tokenId = traffic.tokens[trade * 2 + side]!;
      const token = tokenSpace.get(tokenId)!;
      if ((trade + side) % 10 === 0) tokenSpace.set(tokenId, { ...token, pool: poolId, spot: token.spot + amount });
    }
    for (let each = 0; each < 3; each++) {
      const key = traffic.balances[trade * 3 + each]!;
      balanceSpace.set(key, balanceSpace.get(key)! + amount);
    }
  }
}
