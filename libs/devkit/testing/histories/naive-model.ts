import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, BlocksGroup, PoolRecord, ReferenceSet, TokenRecord } from '#libs/protocol/blocks.js';
import type { PriceFact, SetApart, TradeFact, TransferFact } from '#libs/protocol/facts.js';
import { liquidityAfter, takePosition } from './naive-known-ranges.js';
import { naiveOwner } from './naive-owner.js';
import type { NaivePool } from './naive-pool.js';
import { NaivePrices } from './naive-prices.js';
import { markReverted, type PoolStep } from './naive-reverted.js';
import { nothingShown, showTrade } from './naive-shown.js';
import { survivors } from './random-history.js';

/**
 * A deliberately naive model of the fold: it keeps the surviving blocks and works everything out from scratch, with
 * plain maps, without undo, index or cache, and shares no code with the fold. Slow on purpose; whatever serves facts is
 * checked against it.
 */
export interface NaiveState {
  tokens: Map<Hex, TokenRecord>;
  pools: Map<Hex, NaivePool>;
  /** Tokens that have a price. */
  prices: Map<Hex, PriceFact>;
  /** Coin and stables. */
  references: Map<Hex, bigint | null>;
}

export interface NaiveBlock {
  height: number;
  hash: Hex;
  time: number;
  trades: TradeFact[];
  transfers: TransferFact[];
}

export interface NaiveResult {
  blocks: NaiveBlock[];
  state: NaiveState;
}

/** The state at the log's end. */
export function naiveFold(groups: readonly BlocksGroup[]): NaiveResult {
  const epoch = groups[0];
  if (epoch?.kind !== 'epoch') throw new Error('a log starts with its epoch group');
  return naiveChain(epoch.reference, survivors(groups));
}

function naiveChain(reference: ReferenceSet, chain: readonly BlockGroup[]): NaiveResult {
  const tokens = new Map<Hex, TokenRecord>();
  const pools = new Map<Hex, NaivePool>();
  let prices = new NaivePrices(reference, tokens, pools);
  const blocks: NaiveBlock[] = [];
  for (const group of chain) {
    for (const record of group.tokens) {
      const said = [tokens.get(record.token), record].filter((one) => one !== undefined);
      const first = <Value>(of: (one: TokenRecord) => Value) => said.map(of).find((value) => value !== null) ?? null;
      const { token } = record;
      const [decimals, symbol] = [first((one) => one.decimals), first((one) => one.symbol)];
      tokens.set(token, {
        token,
        decimals,
        symbol,
        name: first((one) => one.name),
        totalSupply: first((one) => one.totalSupply),
      });
    }
    for (const record of group.pools)
      if (!pools.has(record.pool)) pools.set(record.pool, newPool(record, reference.family));
    const block: NaiveBlock = { height: group.height, hash: group.hash, time: group.time, trades: [], transfers: [] };
    const tradesOfTx = new Map<Hex, number>();
    const steps = new Map<Hex, PoolStep[]>();
    for (const event of group.events) {
      const tx = group.txs[event.tx]!;
      if (event.kind === 'transfer') {
        const { ordinal, token, from, to, amount } = event;
        block.transfers.push({ ordinal, tx: tx.id, token, from, to, amount });
        continue;
      }
      if (!('pool' in event) || event.kind === 'pool-vaults') continue;
      const pool = pools.get(event.pool)!;
      const step: PoolStep = { event, before: { ...pool }, after: pool, trade: null };
      steps.set(event.pool, [...(steps.get(event.pool) ?? []), step]);
      changeOrSetApart(pool, event, reference.family, group.hash);
      step.after = { ...pool };
      if (event.kind !== 'swap') continue;
      const txOrdinal = tradesOfTx.get(tx.id) ?? 0;
      const trade = prices.trade(pool, event.amount0, event.amount1);
      if (trade === null) continue;
      tradesOfTx.set(tx.id, txOrdinal + 1);
      const wallet =
        reference.family === 'solana' ? event.sender : naiveOwner(group, event, recordsOf(pools), reference.coin.token);
      step.trade = { ordinal: event.ordinal, txOrdinal, tx: tx.id, wallet, sender: tx.sender, ...trade };
      block.trades.push(step.trade);
    }
    for (const anchor of group.anchors) {
      const pool = pools.get(anchor.pool)!;
      pool.anchored = true;
      pool.setApart = null;
      pool.reserve0 = anchor.reserve0;
      pool.reserve1 = anchor.reserve1;
      if (anchor.near !== undefined && isTicked(pool.record, reference.family)) {
        const { sqrtPriceX96: from, amount0, amount1 } = anchor.near;
        pool.shown = { ...nothingShown(), from, near: [amount0, amount1] };
      }
      if (anchor.concentrated !== null && pool.record.kind !== 'constant-product') {
        pool.sqrtPriceX96 = anchor.concentrated.sqrtPriceX96;
        pool.tick = anchor.concentrated.tick;
        pool.liquidity = anchor.concentrated.liquidity;
        const real = anchor.concentrated.ticks.filter((t) => t.liquidityGross !== 0n);
        pool.ticks = new Map(real.map((t) => [t.tick, [t.liquidityGross, t.liquidityNet]]));
        pool.rangesKnown = isTicked(pool.record, reference.family);
      }
      if (anchor.reserve0 >= 2n ** 255n || anchor.reserve1 >= 2n ** 255n) clear(pool, 'amounts');
      setApartIfImpossible(pool);
    }
    for (const [id, of] of steps) markReverted(of, pools.get(id)!, prices, reference.family);
    blocks.push(block);
    prices = new NaivePrices(reference, tokens, pools);
  }
  return { blocks, state: { tokens, pools, prices: prices.all(), references: prices.references } };
}

const recordsOf = (pools: ReadonlyMap<Hex, NaivePool>) => new Map([...pools].map(([id, { record }]) => [id, record]));

/** A pool of Solana that has ranges. */
const isTicked = ({ kind, tickSpacing }: PoolRecord, family: ReferenceSet['family']): boolean =>
  family === 'solana' && kind === 'concentrated' && tickSpacing > 0;

function newPool(record: PoolRecord, family: ReferenceSet['family']): NaivePool {
  return {
    record,
    reserve0: 0n,
    reserve1: 0n,
    sqrtPriceX96: 0n,
    tick: 0,
    liquidity: 0n,
    anchored: record.created,
    setApart: null,
    ticks: new Map(),
    rangesKnown: record.created && isTicked(record, family),
  };
}

/** Takes the event where its outcome can be; otherwise nothing of the pool is known until it is stated whole again. */
function changeOrSetApart(pool: NaivePool, event: PoolEvent, family: ReferenceSet['family'], block: string): void {
  if (pool.setApart !== null) {
    if (event.kind === 'reserves' && pool.record.kind !== 'constant-product') return;
    if (event.kind !== 'reserves' && event.kind !== 'vaults') return;
    if (event.reserve0 === null || event.reserve1 === null) return;
    pool.setApart = null;
  }
  const told = event.kind !== 'initialize' && event.kind !== 'reserves' && (event.kind !== 'swap' || event.after);
  if (told && isTicked(pool.record, family)) showTrade(pool, event, block);
  if (event.kind === 'liquidity' && family === 'solana') {
    takePosition(pool, event);
    return;
  }
  const concentrated = pool.record.kind !== 'constant-product';
  if (concentrated && event.kind === 'liquidity' && event.liquidityDelta !== 0n) {
    const reach = Math.max(Math.abs(event.tickLower), Math.abs(event.tickUpper));
    if (reach > 887_272) {
      clear(pool, 'ticks');
      return;
    }
  }
  change(pool, event, family);
  setApartIfImpossible(pool);
}

function setApartIfImpossible(pool: NaivePool): void {
  const word = 2n ** 256n;
  const { reserve0, reserve1, sqrtPriceX96, tick, liquidity, ticks } = pool;
  // In the order in which an event can break them.
  if (sqrtPriceX96 >= word / 2n ** 96n || Math.abs(tick) > 887_272) clear(pool, 'price');
  else if (liquidity < 0n || liquidity >= word / 2n ** 128n) clear(pool, 'liquidity');
  else if (
    [...ticks].some(([at, [gross, net]]) => {
      const size = net < 0n ? -net : net;
      return Math.abs(at) > 887_272 || gross < size || gross >= word / 2n ** 128n;
    })
  )
    clear(pool, 'ticks');
  else if (reserve0 >= word / 2n || reserve1 >= word / 2n) clear(pool, 'amounts');
}

function clear(pool: NaivePool, why: SetApart): void {
  const nothing = { reserve0: 0n, reserve1: 0n, sqrtPriceX96: 0n, tick: 0, liquidity: 0n };
  Object.assign(pool, {
    ...nothing,
    anchored: false,
    setApart: why,
    ticks: new Map(),
    shown: nothingShown(),
    rangesKnown: false,
  });
}

type PoolEvent = Exclude<Extract<BlockGroup['events'][number], { pool: Hex }>, { kind: 'pool-vaults' }>;

function change(pool: NaivePool, event: PoolEvent, family: ReferenceSet['family']): void {
  if (event.kind === 'vaults') {
    if (event.reserve0 !== null && event.reserve1 !== null) pool.anchored = true;
    if (!pool.anchored) return;
    if (event.reserve0 !== null) pool.reserve0 = event.reserve0;
    if (event.reserve1 !== null) pool.reserve1 = event.reserve1;
    return;
  }
  if (event.kind === 'reserves') {
    if (pool.record.kind !== 'constant-product') return;
    pool.reserve0 = event.reserve0;
    pool.reserve1 = event.reserve1;
    pool.anchored = true;
    return;
  }
  if (pool.record.kind === 'constant-product') return;
  if (event.kind === 'swap' && event.after === null) return;
  if (event.kind === 'liquidity' && event.liquidityDelta === 0n) return;
  let in0 = 0n;
  let in1 = 0n;
  if (event.kind === 'initialize') {
    pool.liquidity = liquidityAfter(pool, { ...event, liquidity: pool.liquidity });
    pool.sqrtPriceX96 = event.sqrtPriceX96;
    pool.tick = event.tick;
  } else if (event.kind === 'swap') {
    pool.liquidity = liquidityAfter(pool, event.after!);
    pool.sqrtPriceX96 = event.after!.sqrtPriceX96;
    pool.tick = event.after!.tick;
    in0 = event.amount0;
    in1 = event.amount1;
  } else if (event.kind === 'flow') {
    in0 = event.amount0;
    in1 = event.amount1;
  } else {
    const delta = event.liquidityDelta;
    const priced = pool.sqrtPriceX96 !== 0n;
    if (priced && pool.tick >= event.tickLower && pool.tick < event.tickUpper) pool.liquidity += delta;
    if (pool.anchored) {
      for (const [tick, net] of [
        [event.tickLower, delta],
        [event.tickUpper, -delta],
      ] as const) {
        const [gross, oldNet] = pool.ticks.get(tick) ?? [0n, 0n];
        pool.ticks.set(tick, [gross + delta, oldNet + net]);
        if (gross + delta === 0n && oldNet + net === 0n) pool.ticks.delete(tick);
      }
    }
    if (delta > 0n) {
      in0 = event.amount0;
      in1 = event.amount1;
    }
  }
  if (!pool.anchored || family === 'solana') return;
  pool.reserve0 = pool.reserve0 + in0 > 0n ? pool.reserve0 + in0 : 0n;
  pool.reserve1 = pool.reserve1 + in1 > 0n ? pool.reserve1 + in1 : 0n;
}
