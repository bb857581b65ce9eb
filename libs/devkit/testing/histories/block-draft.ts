import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, ChainEvent, TxRecord } from '#libs/protocol/blocks.js';
import type { SeededRandom } from '../seeded-random.js';
import { type Action, address, fund, type HistoryWorld, type PendingTx } from './history-world.js';
import { randomTx } from './random-transactions.js';
import {
  anchorOf,
  clonePool,
  emptyPool,
  nearAnchorOf,
  type PoolEvent,
  removeLiquidity,
  reservesEvent,
  type SimulatedPool,
  swap,
  toldByVaults,
} from './simulated-pools.js';
import { launchSteps } from './token-launches.js';
import { cloneLedgers, moveTokens, type TokenMove } from './token-moves.js';
import { rightsSaid } from './token-rights.js';

/** A block of a random history, and the world after it. */
export interface BlockDraft {
  body: Pick<BlockGroup, 'txs' | 'tokens' | 'pools' | 'events' | 'anchors'>;
  world: HistoryWorld;
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
  block.tellMoreOfTokens();
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
    for (const pool of this.world.pools.values()) {
      if (this.world.family === 'solana' && (pool.record.kind !== 'concentrated' || this.isOneRange(pool))) continue;
      const due = this.toAnchor.has(pool) || (pool.recorded && this.random.chance(pool.record.created ? 0.01 : 0.1));
      if (!due) continue;
      // Those that end so have bins.
      const hasBins = this.world.family === 'solana' && pool.record.pool.endsWith('0');
      this.body.anchors.push(hasBins ? nearAnchorOf(pool) : anchorOf(pool));
    }
  }

  /** A contract answers what it did not before; what it answered before it may say otherwise now, or not at all. */
  tellMoreOfTokens(): void {
    for (const id of this.world.recordedTokens) {
      if (!this.random.chance(0.01)) continue;
      const record = this.world.tokens.find((known) => known.record.token === id)!.record;
      const more = { ...record, decimals: record.decimals ?? this.random.pick([null, 6, 18, 40]) };
      const nothing = { token: id, decimals: null, symbol: null, name: null, totalSupply: null };
      const other = { ...record, decimals: this.random.int(0, 18), symbol: 'OTHER', name: 'Other', totalSupply: 7n };
      this.body.tokens.push(this.random.pick([more, more, nothing, other]));
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
    // On Solana some state no ticks: all of their liquidity is in one range.
    this.body.pools.push(this.isOneRange(pool) ? { ...pool.record, tickSpacing: 0 } : pool.record);
    // Half of the pools seen in mid-life are anchored at the end of that block, the others later.
    if (!pool.record.created && this.random.chance(0.5)) this.toAnchor.add(pool);
  }

  private isOneRange({ record }: SimulatedPool): boolean {
    return this.world.family === 'solana' && record.pool < '4';
  }

  private recordToken(id: Hex): void {
    if (this.world.recordedTokens.has(id)) return;
    const token = this.world.tokens.find((known) => known.record.token === id);
    if (token === undefined) return;
    this.world.recordedTokens.add(id);
    this.body.tokens.push(token.record);
  }
}
