import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, ChainEvent, PoolRecord, ReferenceSet, TokenRecord, TxRecord } from '#libs/protocol/blocks.js';
import type { SeededRandom } from '../seeded-random.js';
import {
  addLiquidity,
  anchorOf,
  clonePool,
  emptyPool,
  type PoolEvent,
  type PoolMap,
  rawAmount,
  removeLiquidity,
  reservesEvent,
  type SimulatedPool,
  swap,
  toldByVaults,
} from './simulated-pools.js';

import { launchSteps } from './token-launches.js';
import {
  cloneLedgers,
  moveTokens,
  randomMoves,
  startLedgers,
  type TokenLedgers,
  type TokenMove,
} from './token-moves.js';
import { rightsSaid } from './token-rights.js';

/** The world of a random history after one block, and the making of the next block from it. */
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
const address = (random: SeededRandom, family: ReferenceSet['family']): Hex => random.hex(family === 'evm' ? 20 : 32);

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
type Action =
  | { kind: 'swap'; pool: Hex; zeroForOne: boolean; share: number }
  | { kind: 'oddSwap'; pool: Hex; amount0: bigint; amount1: bigint }
  | { kind: 'add'; pool: Hex; usd: number }
  | { kind: 'remove'; pool: Hex }
  | { kind: 'donate'; pool: Hex; amount: bigint }
  | { kind: 'create'; record: PoolRecord; usd: number }
  | { kind: 'transfer'; token: Hex; from: Hex; to: Hex; amount: bigint }
  | TokenMove;

export interface BlockDraft {
  body: Pick<BlockGroup, 'txs' | 'tokens' | 'pools' | 'events' | 'anchors'>;
  world: HistoryWorld;
}

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

/** Mines pending and new transactions on top of a world. */
export function buildBlock(
  random: SeededRandom,
  before: HistoryWorld,
  pending: PendingTx[],
  busiest: number,
): BlockDraft {
  const world: HistoryWorld = {
    tokens: before.tokens,
    recordedTokens: new Set(before.recordedTokens),
    pools: new Map([...before.pools].map(([id, pool]) => [id, clonePool(pool)])),
    mined: [],
    family: before.family,
    ...cloneLedgers(before),
  };
  const block = new OpenBlock(random, world);
  const again = pending.filter(() => random.chance(0.5)).slice(0, busiest);
  const fresh = random.chance(0.12) ? 0 : random.int(0, busiest);
  for (const tx of again) block.mine(tx);
  for (let i = 0; i < fresh; i++) block.mine(randomTx(random, world));
  block.anchorSome();
  return { body: block.body, world };
}

/** One block in the making. */
class OpenBlock {
  readonly body: BlockDraft['body'] = { txs: [], tokens: [], pools: [], events: [], anchors: [] };
  private readonly toAnchor = new Set<SimulatedPool>();
  private ordinal: number;
  private index = 0;

  constructor(
    private readonly random: SeededRandom,
    private readonly world: HistoryWorld,
  ) {
    this.ordinal = random.int(0, 3);
  }

  mine(pending: PendingTx): void {
    const tx: TxRecord = { id: pending.id, index: this.index + this.random.int(0, 3), sender: pending.sender };
    this.index = tx.index + 1;
    const at = this.body.txs.length;
    this.body.txs.push(tx);
    const eventsBefore = this.body.events.length;
    for (const action of pending.actions) this.run(at, action);
    if (this.body.events.length === eventsBefore) {
      this.body.txs.pop();
      return;
    }
    this.world.mined.push(pending);
    this.launch(at, pending);
  }

  anchorSome(): void {
    if (this.world.family === 'solana') return;
    for (const pool of this.world.pools.values()) {
      const due = this.toAnchor.has(pool) || (pool.recorded && this.random.chance(pool.record.created ? 0.01 : 0.1));
      if (due) this.body.anchors.push(anchorOf(pool));
    }
  }

  private run(tx: number, action: Action): void {
    if (action.kind === 'transfer') {
      const { token, from, to, amount } = action;
      this.recordToken(token);
      this.push({ kind: 'transfer', tx, ordinal: 0, token, from, to, amount });
      return;
    }
    if (action.kind === 'move') {
      this.move(tx, action);
      return;
    }
    if (action.kind === 'create') {
      if (this.world.pools.has(action.record.pool)) return;
      const pool = emptyPool(action.record);
      this.world.pools.set(action.record.pool, pool);
      const before = clonePool(pool);
      const events = fund(this.random, this.world, pool, action.usd);
      this.recordPool(pool);
      this.pushAll(tx, pool, before, events);
      return;
    }
    const pool = this.world.pools.get(action.pool);
    if (pool === undefined) return;
    const before = clonePool(pool);
    this.pushAll(tx, pool, before, this.poolEvents(pool, action));
  }

  private launch(tx: number, { id, sender }: PendingTx): void {
    const tokens = this.world.tokens.map(({ record }) => record.token);
    for (const step of launchSteps(id, sender, tokens, [...this.world.pools.keys()])) {
      this.body.events.push({ ...step, tx, ordinal: this.ordinal++ });
    }
    for (const said of rightsSaid(id, tokens)) this.body.events.push({ ...said, tx, ordinal: this.ordinal++ });
  }

  private move(tx: number, action: TokenMove): void {
    const { token } = action.token;
    this.recordToken(token);
    const moved = moveTokens(this.random, this.world, action);
    if (moved !== null) this.push({ kind: 'transfer', tx, ordinal: 0, token, ...moved });
  }

  private poolEvents(
    pool: SimulatedPool,
    action: Exclude<Action, { kind: 'transfer' | 'move' | 'create' }>,
  ): PoolEvent[] {
    switch (action.kind) {
      case 'swap':
        return swap(pool, action.zeroForOne, action.share);
      case 'add':
        return fund(this.random, this.world, pool, action.usd);
      case 'remove':
        return removeLiquidity(this.random, pool);
      case 'donate': {
        if (pool.record.kind === 'curve') return [];
        pool.reserve0 += action.amount;
        return pool.record.kind === 'concentrated'
          ? [{ kind: 'flow', amount0: action.amount, amount1: 0n }]
          : [reservesEvent(pool)];
      }
      case 'oddSwap': {
        // What a taxed token or an aggregator may leave: amounts that do not follow from the reserves.
        if (pool.record.kind !== 'constant-product') return [];
        return [reservesEvent(pool), { kind: 'swap', amount0: action.amount0, amount1: action.amount1, after: null }];
      }
    }
  }

  private pushAll(tx: number, pool: SimulatedPool, before: SimulatedPool, seen: PoolEvent[]): void {
    if (seen.length === 0) return;
    const events = this.world.family === 'solana' ? toldByVaults(pool, before, seen) : seen;
    this.recordPool(pool);
    const id = pool.record.pool;
    for (const event of events) {
      const common = { tx, ordinal: 0, pool: id };
      if (event.kind === 'swap') this.push({ ...common, ...event, sender: this.address(), recipient: this.address() });
      else if (event.kind === 'liquidity') this.push({ ...common, ...event, owner: this.address() });
      else this.push({ ...common, ...event });
    }
  }

  private address(): Hex {
    return address(this.random, this.world.family);
  }

  private push(event: ChainEvent): void {
    this.body.events.push({ ...event, ordinal: this.ordinal });
    this.ordinal += this.random.int(1, 3);
  }

  private recordPool(pool: SimulatedPool): void {
    if (pool.recorded) return;
    pool.recorded = true;
    this.recordToken(pool.record.token0);
    this.recordToken(pool.record.token1);
    this.body.pools.push(pool.record);
    // Half of the pools seen in mid-life are anchored at the end of that block, the others later.
    if (!pool.record.created && this.random.chance(0.5)) this.toAnchor.add(pool);
  }

  private recordToken(id: Hex): void {
    if (this.world.recordedTokens.has(id)) return;
    const token = this.world.tokens.find((known) => known.record.token === id);
    if (token === undefined) return;
    this.world.recordedTokens.add(id);
    this.body.tokens.push(token.record);
  }
}

function randomTx(random: SeededRandom, world: HistoryWorld): PendingTx {
  const actions: Action[] = [];
  for (let i = 0; i < (random.chance(0.2) ? random.int(2, 5) : 1); i++) actions.push(...randomActions(random, world));
  const { family } = world;
  return { id: random.hex(family === 'evm' ? 32 : 64), sender: address(random, family), actions };
}

function randomActions(random: SeededRandom, world: HistoryWorld): Action[] {
  const roll = random.next();
  const pools = [...world.pools.values()];
  if (roll < 0.1 && pools.length < 24) {
    const usd = random.chance(0.4) ? random.spread(5, 40) : random.spread(5, 1e6);
    return [{ kind: 'create', record: { ...randomPool(random, world), created: true }, usd }];
  }
  if (roll < 0.25) {
    const picked = random.pick(world.tokens);
    const { token } = picked.record;
    if (picked.honest) return randomMoves(random, world, picked.record, [...world.pools.keys()]);
    return [
      {
        kind: 'transfer',
        token,
        from: address(random, world.family),
        to: address(random, world.family),
        amount: BigInt(random.int(0, 1e12)),
      },
    ];
  }
  if (pools.length === 0) return [];
  const pool = random.pick(pools).record.pool;
  if (roll < 0.32) return [{ kind: 'add', pool, usd: random.spread(1, 1e5) }];
  if (roll < 0.39) return [{ kind: 'remove', pool }];
  if (roll < 0.41) return [{ kind: 'donate', pool, amount: BigInt(random.int(1, 1e9)) }];
  if (roll < 0.45) {
    const [a, b] = [BigInt(random.int(0, 1e9)), BigInt(random.int(0, 1e9))];
    const [sign0, sign1] = random.pick([
      [1n, -1n],
      [-1n, 1n],
      [1n, 1n],
      [1n, 0n],
    ] as const);
    return [{ kind: 'oddSwap', pool, amount0: sign0 * a, amount1: sign1 * b }];
  }
  if (roll < 0.5) return pegBreak(random, world);
  return [{ kind: 'swap', pool, zeroForOne: random.chance(0.5), share: random.spread(1e-8, 0.3) }];
}

/** Sells (or buys) one stable in all its pools against the coin and the other stables. */
function pegBreak(random: SeededRandom, world: HistoryWorld): Action[] {
  const role = new Map(world.tokens.map((token) => [token.record.token, token.role]));
  const stable = random.pick(world.tokens.filter((token) => token.role === 'stable')).record.token;
  const sell = random.chance(0.6);
  const share = random.spread(0.005, 0.3);
  const actions: Action[] = [];
  for (const { record } of world.pools.values()) {
    const other = record.token0 === stable ? record.token1 : record.token1 === stable ? record.token0 : null;
    if (other === null || role.get(other) === 'plain') continue;
    actions.push({ kind: 'swap', pool: record.pool, zeroForOne: (record.token0 === stable) === sell, share });
  }
  return actions;
}

function randomPool(random: SeededRandom, world: HistoryWorld): PoolRecord {
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
function fund(random: SeededRandom, world: HistoryWorld, pool: SimulatedPool, usd: number): PoolEvent[] {
  const amount = (id: Hex) => {
    const token = world.tokens.find((known) => known.record.token === id)!;
    const drift = token.role === 'stable' ? random.spread(0.995, 1.005) : random.spread(0.9, 1.1);
    return rawAmount(random, (usd / token.usd) * drift, Math.min(30, token.record.decimals ?? 18));
  };
  return addLiquidity(random, pool, amount(pool.record.token0), amount(pool.record.token1));
}
