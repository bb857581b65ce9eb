import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord, ReferenceSet, TokenRecord } from '#libs/protocol/blocks.js';
import type { SeededRandom } from '../seeded-random.js';
import {
  addLiquidity,
  emptyPool,
  type PoolEvent,
  type PoolMap,
  rawAmount,
  type SimulatedPool,
} from './simulated-pools.js';
import { startLedgers, type TokenLedgers, type TokenMove } from './token-moves.js';

/** The world of a random history after one block. */
export interface HistoryWorld extends TokenLedgers {
  tokens: SimulatedToken[];
  /** Tokens whose metadata the log holds on this fork. */
  recordedTokens: Set<Hex>;
  pools: PoolMap;
  /** Transactions of the block that led here, to be mined again on another fork. */
  mined: PendingTx[];
  family: ReferenceSet['family'];
}

/** An id as long as the family's addresses are. */
export const address = (random: SeededRandom, family: ReferenceSet['family']): Hex =>
  random.hex(family === 'evm' ? 20 : 32);

interface SimulatedToken {
  record: TokenRecord;
  /** What the generator thinks it is worth, to size its pools. */
  usd: number;
  role: 'stable' | 'coin' | 'plain';
  /** Whether its transfers are all in the log and add up. */
  honest: boolean;
}

export interface PendingTx {
  id: Hex;
  sender: Hex;
  actions: Action[];
}

/** What a transaction wants; what comes out depends on the world it is mined in. */
export type Action =
  | { kind: 'swap'; pool: Hex; zeroForOne: boolean; share: number }
  | { kind: 'oddSwap'; pool: Hex; amount0: bigint; amount1: bigint }
  | { kind: 'add'; pool: Hex; usd: number }
  | { kind: 'remove'; pool: Hex }
  | { kind: 'donate'; pool: Hex; amount: bigint }
  | { kind: 'create'; record: PoolRecord; usd: number }
  | { kind: 'transfer'; token: Hex; from: Hex; to: Hex; amount: bigint }
  | TokenMove;

const FEES = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10000, 200],
] as const;

export function startWorld(
  random: SeededRandom,
  startHeight: number,
  family: ReferenceSet['family'] = 'evm',
): { reference: ReferenceSet; world: HistoryWorld } {
  const tokens: SimulatedToken[] = [];
  const add = (role: SimulatedToken['role'], decimals: number | null, usd: number, symbol: string | null) => {
    const totalSupply = random.chance(0.1) ? null : BigInt(random.int(1, 1e9)) * 10n ** BigInt(decimals ?? 0);
    const record = {
      token: address(random, family),
      decimals,
      symbol,
      name: symbol === null ? null : `${symbol} token`,
      totalSupply,
    };
    tokens.push({ record, usd, role, honest: role !== 'coin' && random.chance(0.6) });
    return record;
  };
  const coin = add('coin', 18, random.spread(200, 5_000), 'WCOIN');
  const stables = Array.from({ length: random.int(1, 3) }, (_, i) => add('stable', random.pick([6, 18]), 1, `USD${i}`));
  for (let i = 0; i < random.int(5, 9); i++) {
    const decimals = random.chance(0.06) ? random.pick([null, 40]) : random.pick([0, 6, 8, 9, 18, 18, 18, 24]);
    add('plain', decimals, random.spread(1e-7, 1e4), random.chance(0.1) ? null : `T${i}`);
  }
  const reference: ReferenceSet = {
    family,
    genesisHash: random.hex(32),
    startHeight,
    decoderVersion: 1,
    coin: { token: coin.token, symbol: 'COIN', decimals: 18 },
    stables: stables.map((stable) => stable.token),
    rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
  };
  const world: HistoryWorld = {
    tokens,
    recordedTokens: new Set(),
    pools: new Map(),
    mined: [],
    family,
    ...startLedgers(random, family),
  };
  // Pools that exist before the log starts: seen in mid-life.
  for (let i = 0; i < random.int(2, 6); i++) {
    const pool = emptyPool({ ...randomPool(random, world), created: false });
    fund(random, world, pool, random.spread(5, 1e6));
    if (pool.reserve0 > 0n) world.pools.set(pool.record.pool, pool);
  }
  return { reference, world };
}

export function randomPool(random: SeededRandom, world: HistoryWorld): PoolRecord {
  const of = (role: SimulatedToken['role']) => world.tokens.filter((token) => token.role === role);
  const plain = of('plain');
  const stables = of('stable');
  const coin = of('coin')[0]!;
  const roll = random.next();
  let pair: [SimulatedToken, SimulatedToken];
  if (roll < 0.22) pair = [coin, random.pick(stables)];
  else if (roll < 0.3 && stables.length > 1) pair = [stables[0]!, random.pick(stables.slice(1))];
  else if (roll < 0.55) pair = [coin, random.pick(plain)];
  else if (roll < 0.72) pair = [random.pick(stables), random.pick(plain)];
  else {
    const a = random.pick(plain);
    pair = [a, random.pick(plain.filter((token) => token !== a))];
  }
  const [token0, token1] = pair.map((token) => token.record.token).sort() as [Hex, Hex];
  const concentrated = random.chance(0.45);
  const curve = world.family === 'solana' && random.chance(0.4);
  const [feePpm, tickSpacing] = random.pick(FEES);
  return {
    pool: address(random, world.family),
    venue: concentrated ? 'uniswap-v3' : 'uniswap-v2',
    kind: concentrated ? 'concentrated' : curve ? 'curve' : 'constant-product',
    token0,
    token1,
    feePpm: concentrated ? feePpm : 3000,
    tickSpacing: concentrated ? tickSpacing : 0,
    created: true,
  };
}

/** Adds liquidity worth about `usd` a side at the generator's own prices. */
export function fund(random: SeededRandom, world: HistoryWorld, pool: SimulatedPool, usd: number): PoolEvent[] {
  const amount = (id: Hex) => {
    const token = world.tokens.find((known) => known.record.token === id)!;
    const drift = token.role === 'stable' ? random.spread(0.995, 1.005) : random.spread(0.9, 1.1);
    return rawAmount(random, (usd / token.usd) * drift, Math.min(30, token.record.decimals ?? 18));
  };
  return addLiquidity(random, pool, amount(pool.record.token0), amount(pool.record.token1));
}
