import { LogBrokenError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, ChainEvent, PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock, PoolStateFact, TradeFact, TransferFact } from '#libs/protocol/facts.js';
import { filledIn } from './filled-in.js';
import type { FoldParts } from './fold-parts.js';
import type { SavedPool } from './pool-scalars.js';
import type { PriceBook } from './price-book.js';
import { RevertedTrades } from './reverted.js';
import { saveBlock } from './save-block.js';
import { poolDelta, referenceFacts, sortPools, wholePool } from './state-facts.js';
import type { TablePool, TokenEntry, TokenTable } from './token-table.js';
import { TradeBuilder } from './trades.js';
import { type BlockUndo, closeBlock, openNewPool, touchPool } from './undo.js';

/**
 * Folds one block into the state: metadata and pools first, then its events in order, then its anchors (they are the
 * state at the end of the block), then prices, from the end state alone. What the block changed is set in the keyed state,
 * whose block is open.
 */
export function foldBlock(group: BlockGroup, parts: FoldParts, first: boolean, inputHash: Hex): FactsBlock {
  const { table, prices, thresholds } = parts;
  const undo: BlockUndo = { pools: [] };
  const builder = new TradeBuilder(group, table, prices, thresholds);
  const { tokens, named } = addTokens(group, table, prices);
  const pools = addPools(group, table, undo);
  const reverted = new RevertedTrades();
  const { trades, transfers } = applyEvents(group, table, { builder, reverted }, undo);
  for (const anchor of group.anchors) {
    const pool = knownPool(group, table, anchor.pool);
    const opened = touchPool(undo, pool);
    pool.applyAnchor(anchor);
    opened.replaced = true;
  }
  reverted.mark();
  const poolStates = changedPools(undo);
  for (const { pool, before } of undo.pools) {
    prices.markPool(pool);
    addPooled(prices, pool, before);
  }
  closeBlock(undo);
  const pooled = [...prices.pooledTokens];
  const changes = prices.evaluate();
  const { references, priceChanges } = saveBlock(parts, undo, named, pooled, changes, group.proof ?? null);
  const { chain, epoch, seq, height, hash, parentHash, time, proof } = group;
  return {
    chain,
    epoch,
    seq,
    height,
    hash,
    parentHash,
    time,
    kind: 'block',
    inputHash,
    ...(proof !== undefined && { proof }),
    trades,
    transfers,
    tokens,
    pools,
    poolStates,
    prices: priceChanges,
    references: first || changes.referencesChanged ? referenceFacts(table, references) : [],
  };
}

/** What a pool of two tokens that are neither coin nor stable holds of each, more or less than before the block. */
function addPooled(prices: PriceBook, pool: TablePool, before: SavedPool | null): void {
  const { token0, token1 } = pool;
  if (token0.isReference || token1.isReference) return;
  prices.addPooled(token0, pool.reserve0 - (before?.reserve0 ?? 0n));
  prices.addPooled(token1, pool.reserve1 - (before?.reserve1 ?? 0n));
}

function addTokens(
  group: BlockGroup,
  table: TokenTable,
  prices: PriceBook,
): { tokens: TokenRecord[]; named: TokenEntry[] } {
  const named = new Set<TokenEntry>();
  for (const record of group.tokens) {
    const token = table.token(record.token);
    const known = filledIn(token.record, record);
    if (known === token.record) continue;
    token.record = known;
    named.add(token);
    // What its pools said of references followed from the decimals too.
    if (token.isReference) for (const { observations } of token.referencePools) observations.fill(null);
    prices.markToken(token);
  }
  return { tokens: [...named].map(({ record }) => record!), named: [...named] };
}

function addPools(group: BlockGroup, table: TokenTable, undo: BlockUndo): PoolRecord[] {
  const added: PoolRecord[] = [];
  for (const record of group.pools) {
    const pool = table.addPool(record);
    if (pool === null) continue;
    added.push(record);
    openNewPool(undo, pool);
  }
  return added;
}

function applyEvents(
  group: BlockGroup,
  table: TokenTable,
  { builder, reverted }: { builder: TradeBuilder; reverted: RevertedTrades },
  undo: BlockUndo,
): { trades: TradeFact[]; transfers: TransferFact[] } {
  const trades: TradeFact[] = [];
  const transfers: TransferFact[] = [];
  let last = -1;
  for (const event of group.events) {
    if (event.ordinal <= last) throw brokenBlock(group, `ordinal ${event.ordinal} after ${last}`);
    last = event.ordinal;
    const tx = group.txs[event.tx];
    if (tx === undefined) throw brokenBlock(group, `ordinal ${event.ordinal} names transaction ${event.tx}`);
    if (event.kind === 'transfer') {
      const { ordinal, token, from, to, amount } = event;
      transfers.push({ ordinal, tx: tx.id, token, from, to, amount });
      continue;
    }
    if (!changesPool(event)) continue;
    const pool = knownPool(group, table, event.pool);
    touchPool(undo, pool);
    reverted.before(event, pool);
    applyToPool(pool, event);
    const trade = event.kind === 'swap' ? builder.trade(event, pool) : null;
    reverted.after(event, pool, trade);
    if (trade !== null) trades.push(trade);
  }
  return { trades, transfers };
}

/** Owners, metadata and launches are in the log for projections other than this one. */
type OtherEvent = Extract<
  ChainEvent,
  { kind: 'transfer' | 'pool-vaults' | 'authority' | 'metadata' | 'launch' | 'payment' }
>;

function changesPool(event: ChainEvent): event is Exclude<ChainEvent, OtherEvent> {
  switch (event.kind) {
    case 'transfer':
    case 'pool-vaults':
    case 'authority':
    case 'metadata':
    case 'launch':
    case 'payment':
      return false;
    default:
      return true;
  }
}

function applyToPool(pool: TablePool, event: Exclude<ChainEvent, OtherEvent>): void {
  switch (event.kind) {
    case 'swap':
      pool.applySwap(event);
      break;
    case 'reserves':
      pool.applyReserves(event);
      break;
    case 'vaults':
      pool.applyVaults(event);
      break;
    case 'liquidity':
      pool.applyLiquidity(event);
      break;
    case 'flow':
      pool.applyFlow(event);
      break;
    case 'initialize':
      pool.applyInitialize(event);
      break;
  }
}

/** Post-states of the pools that are new, were anchored, or ended the block differently. */
function changedPools(undo: BlockUndo): PoolStateFact[] {
  const facts: PoolStateFact[] = [];
  for (const { pool, before, ticks, replaced } of undo.pools) {
    if (before === null || replaced) facts.push(wholePool(pool, pool.ticks.values()));
    else {
      const fact = poolDelta(pool, before, ticks ?? []);
      if (fact !== null) facts.push(fact);
    }
  }
  return sortPools(facts);
}

function knownPool(group: BlockGroup, table: TokenTable, id: Hex): TablePool {
  const pool = table.pool(id);
  if (pool === undefined) throw brokenBlock(group, `pool ${id} has no record`);
  return pool;
}

function brokenBlock(group: BlockGroup, reason: string): LogBrokenError {
  return new LogBrokenError(`${group.chain} e${group.epoch} seq ${group.seq}: ${reason}`);
}
