import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock, FactsGroup, PoolStateFact, PriceFact } from '#libs/protocol/facts.js';
import type { NaiveState } from './naive-model.js';

/**
 * The simplest reader of `facts`: sets what a group states, drops what is retracted, has no undo. What it holds at the end
 * is what every reader of facts must hold.
 */
export class FactsReader {
  readonly state: NaiveState = { tokens: new Map(), pools: new Map(), prices: new Map(), references: new Map() };
  blocks: FactsBlock[] = [];

  read(group: FactsGroup): void {
    if (group.kind === 'epoch') {
      this.state.references.set(group.reference.coin.token, null);
      for (const stable of group.reference.stables) this.state.references.set(stable, 10n ** 36n);
    } else if (group.kind === 'block') {
      this.blocks.push(group);
      for (const token of group.tokens) this.addToken(token);
      for (const pool of group.pools) this.addPool(pool);
    } else if (group.kind === 'retract') {
      this.blocks = this.blocks.filter((block) => block.seq < group.fromSeq);
    }
    if (group.kind !== 'block' && group.kind !== 'retract') return;
    for (const fact of group.poolStates) this.setPool(fact);
    for (const fact of group.prices) this.setPrice(fact);
    if (group.references.length > 0)
      for (const { token, usd } of group.references) this.state.references.set(token, usd);
    if (group.kind === 'block') return;
    for (const pool of group.removedPools) remove(this.state.pools, pool);
    for (const token of group.removedTokens) remove(this.state.tokens, token);
    for (const token of group.restoredTokens ?? []) {
      remove(this.state.tokens, token.token);
      this.addToken(token);
    }
  }

  private addToken(token: TokenRecord): void {
    const known = this.state.tokens.get(token.token);
    for (const field of ['decimals', 'symbol', 'name', 'totalSupply'] as const)
      if ((known?.[field] ?? token[field]) !== token[field]) throw new Error(`${field} of ${token.token} changed`);
    this.state.tokens.set(token.token, token);
  }

  private addPool(record: PoolRecord): void {
    if (this.state.pools.has(record.pool)) throw new Error(`pool ${record.pool} became known twice`);
    const nothing = { reserve0: 0n, reserve1: 0n, sqrtPriceX96: 0n, tick: 0, liquidity: 0n };
    this.state.pools.set(record.pool, { record, ...nothing, anchored: false, setApart: null, ticks: new Map() });
  }

  private setPool(fact: PoolStateFact): void {
    const pool = this.state.pools.get(fact.pool);
    if (pool === undefined) throw new Error(`state of unknown pool ${fact.pool}`);
    pool.reserve0 = fact.reserve0;
    pool.reserve1 = fact.reserve1;
    pool.anchored = fact.anchored;
    pool.setApart = fact.setApart;
    if (fact.concentrated === null) return;
    const { sqrtPriceX96, tick, liquidity, ticks, ticksComplete } = fact.concentrated;
    Object.assign(pool, { sqrtPriceX96, tick, liquidity });
    if (ticksComplete) pool.ticks.clear();
    for (const one of ticks) {
      if (one.liquidityGross === 0n) pool.ticks.delete(one.tick);
      else pool.ticks.set(one.tick, [one.liquidityGross, one.liquidityNet]);
    }
  }

  private setPrice(fact: PriceFact): void {
    if (fact.spot === null) remove(this.state.prices, fact.token);
    else this.state.prices.set(fact.token, fact);
  }
}

function remove<T>(map: Map<Hex, T>, id: Hex): void {
  if (!map.delete(id)) throw new Error(`${id} was not there to remove`);
}

/** Plain sorted form, for comparison and for messages. */
export function plainState(state: NaiveState): Record<string, unknown> {
  const sorted = <T>(map: Map<Hex, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    tokens: sorted(state.tokens),
    pools: sorted(state.pools).map(([id, pool]) => [
      id,
      { ...pool, shown: undefined, rangesKnown: undefined, ticks: [...pool.ticks].sort((a, b) => a[0] - b[0]) },
    ]),
    prices: sorted(state.prices),
    references: sorted(state.references),
  };
}
