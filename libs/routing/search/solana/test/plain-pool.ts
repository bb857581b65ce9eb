import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolKind } from '#libs/protocol/blocks.js';
import type { SolanaRoutedPool } from '../solana-edge.js';
import type { SolanaPools } from '../solana-route-finder.js';

/** A pool and a book of pools without a chain behind them. */
export class PlainPool implements SolanaRoutedPool {
  version = 1;
  quotable = true;

  constructor(
    readonly id: Hex,
    readonly venue: string,
    readonly kind: PoolKind,
    readonly token0: Hex,
    readonly token1: Hex,
    public state: SolanaPoolState | null,
    readonly aIsToken0: boolean,
  ) {}

  change(state: SolanaPoolState | null): void {
    this.state = state;
    this.version++;
  }
}

export class PlainBook implements SolanaPools {
  graphVersion = 0;
  private readonly byId = new Map<Hex, PlainPool>();

  constructor(pools: readonly PlainPool[] = []) {
    for (const pool of pools) this.add(pool);
  }

  add(pool: PlainPool): void {
    this.byId.set(pool.id, pool);
    this.graphVersion++;
  }

  remove(id: Hex): void {
    this.byId.delete(id);
    this.graphVersion++;
  }

  pool(id: Hex): PlainPool | null {
    return this.byId.get(id) ?? null;
  }

  pools(): Iterable<PlainPool> {
    return this.byId.values();
  }
}
