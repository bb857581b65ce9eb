import type { Hex } from '#libs/core/ids.js';
import type { PriceRow } from '#libs/pipeline/store/market/price-reads.js';
import type { PoolRow, PoolsOfToken, TokenRow } from '#libs/pipeline/store/market/token-reads.js';
import type { TailGroup } from '../tail-buffer.js';
import type { HotState } from './hot-states.js';

export const ROW_BYTES = 480;

/** The newest row of one key, or that it has none. */
export class NewestRow<Row> implements HotState {
  constructor(
    public row: Row | null,
    private readonly next: (group: TailGroup) => Row | null | undefined,
  ) {}

  get bytes(): number {
    return this.row === null ? 0 : ROW_BYTES;
  }

  apply(group: TailGroup): boolean {
    const row = this.next(group);
    if (row !== undefined) this.row = row;
    return true;
  }
}

export const placeOf = ({ facts: { seq, height, time } }: TailGroup) => ({ seq, block: height, time });

export function tokenIn(group: TailGroup, token: Hex): TokenRow | undefined {
  const { facts } = group;
  const record = facts.kind === 'block' ? facts.tokens.findLast((candidate) => candidate.token === token) : undefined;
  return record && { ...record, ...placeOf(group) };
}

export function priceIn(group: TailGroup, token: Hex): PriceRow | undefined {
  const price = group.priceOf(token);
  return price && { ...price, ...placeOf(group) };
}

export function poolIn(group: TailGroup, pool: Hex): Omit<PoolRow, 'state'> | undefined {
  const { facts } = group;
  const record = facts.kind === 'block' ? facts.pools.findLast((candidate) => candidate.pool === pool) : undefined;
  return record && { ...record, ...placeOf(group) };
}

/** The pools of a token, the first ones to become known where there are more than `limit`. */
export class TokenPools implements HotState {
  private readonly pools: Map<Hex, PoolRow>;
  private added: Hex[];

  constructor(
    private readonly token: Hex,
    private readonly known: PoolsOfToken,
    private readonly limit: number,
  ) {
    this.pools = new Map(known.rows.map((row) => [row.pool, row]));
    this.added = [...this.pools.keys()];
  }

  get bytes(): number {
    return this.pools.size * 2 * ROW_BYTES;
  }

  all(): PoolsOfToken {
    return { rows: [...this.pools.values()], more: this.known.more };
  }

  moreIds(): readonly string[] {
    const { added } = this;
    this.added = [];
    return added;
  }

  apply(group: TailGroup): boolean {
    const { facts } = group;
    if (facts.kind === 'block') {
      for (const pool of facts.pools) {
        if (pool.token0 !== this.token && pool.token1 !== this.token) continue;
        const known = this.pools.get(pool.pool);
        // A new one comes after those that are held; which follows when one of these moves back is for the tables to say.
        if (this.known.more && known === undefined) continue;
        if (this.known.more || this.pools.size >= this.limit) return false;
        if (known === undefined) this.added.push(pool.pool);
        this.pools.set(pool.pool, { ...pool, ...placeOf(group), state: known?.state ?? null });
      }
    }
    for (const { pool, reserve0, reserve1, concentrated, anchored, setApart } of facts.poolStates) {
      const known = this.pools.get(pool);
      if (known === undefined) continue;
      const numbers = concentrated && {
        ...{ sqrtPriceX96: concentrated.sqrtPriceX96, tick: concentrated.tick, liquidity: concentrated.liquidity },
      };
      const state = { ...placeOf(group), reserve0, reserve1, concentrated: numbers, anchored, setApart };
      this.pools.set(pool, { ...known, state });
    }
    return true;
  }
}
