import type { E18, E36 } from '#libs/core/money.js';
import type { Balance } from '#libs/pipeline/projections/balances/projection.js';
import type { FirstTrade } from '#libs/pipeline/projections/first-trades/projection.js';
import type { TokenHolders } from '#libs/pipeline/projections/holders/projection.js';
import type { TokenLaunch } from '#libs/pipeline/projections/launches/projection.js';
import type { LpShares } from '#libs/pipeline/projections/lp-shares/projection.js';
import type { Position } from '#libs/pipeline/projections/positions/projection.js';
import type { TokenRights } from '#libs/pipeline/projections/token-rights/projection.js';
import type { TokenShares } from '#libs/pipeline/projections/token-shares/projection.js';
import type { TokenStandard } from '#libs/pipeline/projections/token-standards/projection.js';
import type { TraderTags } from '#libs/pipeline/projections/trader-tags/projection.js';
import type { VenueVolume } from '#libs/pipeline/projections/venue-volumes/projection.js';
import type { WalletProfit } from '#libs/pipeline/projections/wallet-profits/projection.js';
import type { PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type {
  FactsBlock,
  FactsGroup,
  FactsRetract,
  PoolStateFact,
  PriceFact,
  ReferencePrice,
  TradeFact,
  TransferFact,
} from '#libs/protocol/facts.js';
import { PRICE_LIMIT_E36, type TableBatch, tableBatches, VOLUME_LIMIT_E18 } from '../market/table-batch.js';
import { RowBuffer } from '../row-buffer.js';

type Place = FactsBlock | FactsRetract;

/**
 * Facts groups as table rows, from objects: the plain version of what FactsRows does from bytes. The same list of
 * groups always gives the same bytes in the same order. A price or volume beyond its column is stored null.
 */
export function encodeTables(groups: FactsGroup[]): TableBatch[] {
  const rows = new TableRows(groups);
  for (const group of groups) {
    if (group.kind === 'block') encodeBlock(rows, group);
    else if (group.kind === 'retract') encodeRetraction(rows, group);
  }
  return tableBatches(rows.open);
}

function encodeBlock(rows: TableRows, group: FactsBlock): void {
  const row = rows.begin('blocks', group);
  row.hex(group.hash);
  row.hex(group.parentHash);
  row.text(group.proof ?? '');
  for (const token of group.tokens) encodeToken(rows.begin('tokens', group), token);
  for (const pool of group.pools) encodePool(rows.begin('pools', group), pool);
  encodeState(rows, group);
  for (const trade of group.trades) encodeTrade(rows.begin('trades', group), trade);
  for (const transfer of group.transfers) encodeTransfer(rows.begin('transfers', group), transfer);
}

function encodeRetraction(rows: TableRows, group: FactsRetract): void {
  const row = rows.begin('retractions', group);
  row.hex(group.hash);
  row.uint64(group.fromSeq);
  encodeState(rows, group);
}

function encodeState(rows: TableRows, group: Place): void {
  for (const state of group.poolStates) encodePoolState(rows.begin('pool_states', group), state);
  for (const price of group.prices) encodePrice(rows.begin('prices', group), price);
  for (const reference of group.references) encodeReference(rows.begin('reference_prices', group), reference);
  for (const balance of group.balances ?? []) encodeBalance(rows.begin('balances', group), balance);
  for (const token of group.tokenHolders ?? []) encodeHolders(rows.begin('token_holders', group), token);
  for (const position of group.positions ?? []) encodePosition(rows.begin('positions', group), position);
  for (const { wallet, funder, traded, funded } of group.funders ?? []) {
    const row = rows.begin('funders', group);
    for (const id of [wallet, funder]) row.hex(id);
    row.uint8(traded);
    row.uint32(funded);
  }
  for (const linked of group.linkedTrades ?? []) {
    const row = rows.begin('linked_trades', group);
    for (const id of [linked.funder, linked.pool, linked.wallet]) row.hex(id);
    for (const usd of [linked.boughtUsd, linked.soldUsd]) row.int256(usd);
    for (const usd of [linked.madeSellingUsd, linked.madePayingUsd]) row.int256(usd);
    for (const usd of [linked.linkedSellingUsd, linked.linkedPayingUsd]) row.int256(usd);
  }
  for (const profit of group.walletProfits ?? []) encodeProfit(rows.begin('wallet_profits', group), profit);
  for (const launch of group.launches ?? []) encodeLaunch(rows.begin('launches', group), launch);
  for (const volume of group.venueVolumes ?? []) encodeVenueVolume(rows.begin('venue_volumes', group), volume);
  for (const rights of group.tokenRights ?? []) encodeRights(rows.begin('token_rights', group), rights);
  for (const first of group.firstTrades ?? []) encodeFirstTrade(rows.begin('first_trades', group), first);
  for (const tags of group.traderTags ?? []) encodeTags(rows.begin('trader_tags', group), tags);
  for (const shares of group.tokenShares ?? []) encodeShares(rows.begin('token_shares', group), shares);
  for (const shares of group.lpShares ?? []) encodeLpShares(rows.begin('lp_shares', group), shares);
  for (const one of group.tokenStandards ?? []) encodeStandard(rows.begin('token_standards', group), one);
}

/** Room for the rows of the large journals, so that their buffers need not grow; the others are small. */
function expectedBytes(table: string, groups: readonly FactsGroup[]): number {
  let bytes = 4_096;
  for (const group of groups) {
    if (group.kind !== 'block') continue;
    if (table === 'trades') bytes += group.trades.length * 400;
    else if (table === 'transfers') bytes += group.transfers.length * 256;
    else if (table === 'pool_states') bytes += group.poolStates.length * 220;
    else if (table === 'prices') bytes += group.prices.length * 160;
  }
  return bytes;
}

/** The rows of every table, each in its own buffer; for as long as it is open. */
class TableRows {
  readonly open = new Map<string, { buffer: RowBuffer; rows: number }>();

  constructor(private readonly groups: readonly FactsGroup[]) {}

  begin(table: string, place: Place): RowBuffer {
    let entry = this.open.get(table);
    if (entry === undefined) {
      entry = { buffer: new RowBuffer(expectedBytes(table, this.groups)), rows: 0 };
      this.open.set(table, entry);
    }
    entry.rows++;
    const { buffer } = entry;
    buffer.uint64(place.seq);
    buffer.uint64(place.height);
    buffer.int64(place.time);
    return buffer;
  }
}

function encodeToken(row: RowBuffer, token: TokenRecord): void {
  row.hex(token.token);
  nullable(row, token.decimals, (value) => row.uint8(value));
  nullable(row, token.symbol, (value) => row.text(value));
  nullable(row, token.name, (value) => row.text(value));
  nullable(row, token.totalSupply, (value) => row.uint256(value));
}

function encodePool(row: RowBuffer, pool: PoolRecord): void {
  row.hex(pool.pool);
  row.text(pool.venue);
  row.text(pool.kind);
  row.hex(pool.token0);
  row.hex(pool.token1);
  row.uint32(pool.feePpm);
  row.int32(pool.tickSpacing);
  row.bool(pool.created);
}

function encodePoolState(row: RowBuffer, state: PoolStateFact): void {
  const { concentrated } = state;
  row.hex(state.pool);
  row.int256(state.reserve0);
  row.int256(state.reserve1);
  row.bool(concentrated !== null);
  row.uint256(concentrated?.sqrtPriceX96 ?? 0n);
  row.int32(concentrated?.tick ?? 0);
  row.uint256(concentrated?.liquidity ?? 0n);
  row.length(concentrated?.ticks.length ?? 0);
  for (const tick of concentrated?.ticks ?? []) {
    row.int32(tick.tick);
    row.uint256(tick.liquidityGross);
    row.int256(tick.liquidityNet);
  }
  row.bool(concentrated?.ticksComplete ?? false);
  row.bool(state.anchored);
  row.text(state.setApart ?? '');
}

function encodePrice(row: RowBuffer, price: PriceFact): void {
  row.hex(price.token);
  nullable(row, price.pool, (value) => row.hex(value));
  nullable(row, price.quote, (value) => row.hex(value));
  encodePriceE36(row, price.spot);
  row.uint8(price.level);
  nullable(row, price.backing, (value) => row.text(value));
}

function encodeBalance(row: RowBuffer, { token, wallet, amount, firstAt, lastAt }: Balance): void {
  row.hex(token);
  row.hex(wallet);
  row.uint256(amount);
  row.uint64(firstAt);
  row.uint64(lastAt);
}

function encodeHolders(row: RowBuffer, of: TokenHolders): void {
  row.hex(of.token);
  row.uint64(of.holders);
  for (const amount of [of.held, of.minted, of.burnt, of.dead, of.recorded]) row.uint256(amount);
  row.uint8(of.standing);
}

function encodePosition(row: RowBuffer, of: Position): void {
  row.hex(of.token);
  row.hex(of.wallet);
  for (const amount of [of.amount, of.priced]) row.uint256(amount);
  row.int256(of.costUsd);
  for (const amount of [of.boughtUnits, of.boughtValued]) row.uint256(amount);
  row.int256(of.boughtUsd);
  for (const amount of [of.soldUnits, of.soldValued]) row.uint256(amount);
  row.int256(of.soldUsd);
  row.uint256(of.soldUnpriced);
  for (const usd of [of.gainUsd, of.lossUsd]) row.int256(usd);
  for (const count of [of.buys, of.sells, of.closes, of.wins]) row.uint64(count);
  for (const time of [of.firstTradeAt, of.lastTradeAt, of.heldMs, of.heldSince]) row.uint64(time);
}

function encodeProfit(row: RowBuffer, of: WalletProfit): void {
  row.hex(of.wallet);
  row.uint32(of.hour);
  for (const usd of [of.gainUsd, of.lossUsd, of.boughtUsd, of.soldUsd, of.unpricedUsd]) row.int256(usd);
  for (const count of [of.buys, of.sells, of.closes, of.wins]) row.uint64(count);
  for (const usd of [of.linkedUsd, of.feesUsd]) row.int256(usd);
  for (const count of [of.unknownFees, of.firstTradeAt, of.lastTradeAt]) row.uint64(count);
}

function encodeLaunch(row: RowBuffer, launch: TokenLaunch): void {
  row.hex(launch.token);
  row.uint8(launch.origin);
  row.text(launch.launchpad);
  row.hex(launch.creator);
  row.uint64(launch.createdAt);
  row.hex(launch.curve);
  row.uint32(launch.progressPpm);
  row.uint8(launch.graduated);
  row.uint64(launch.graduatedAt);
  row.hex(launch.graduatedPool);
}

function encodeVenueVolume(row: RowBuffer, { venue, day, volumeUsd, trades }: VenueVolume): void {
  row.text(venue);
  row.uint32(day);
  row.int256(volumeUsd);
  row.uint64(trades);
}

function encodeRights(row: RowBuffer, rights: TokenRights): void {
  row.hex(rights.token);
  row.uint8(rights.mintKnown);
  row.hex(rights.mint);
  row.uint8(rights.freezeKnown);
  row.hex(rights.freeze);
  row.uint8(rights.metadataKnown);
  row.hex(rights.metadata);
  row.uint8(rights.feeKnown);
  row.uint32(rights.transferFeeBps);
}

function encodeStandard(row: RowBuffer, { token, standard, extensions }: TokenStandard): void {
  row.hex(token);
  row.text(standard);
  row.text(extensions);
}

function encodeFirstTrade(row: RowBuffer, first: FirstTrade): void {
  row.text(first.subject);
  row.hex(first.id);
  for (const value of [first.height, first.startedAt]) row.uint64(value);
  row.uint8(first.fresh);
}

function encodeTags(row: RowBuffer, { token, wallet, tags, taggedAt, tradedAt }: TraderTags): void {
  row.hex(token);
  row.hex(wallet);
  row.uint32(tags);
  for (const height of [taggedAt, tradedAt]) row.uint64(height);
}

function encodeShares(row: RowBuffer, shares: TokenShares): void {
  row.hex(shares.token);
  row.uint8(shares.fresh);
  row.uint64(shares.tagged);
  for (const amount of [shares.creator, shares.snipers, shares.bundlers, shares.insiders]) row.uint256(amount);
}

function encodeLpShares(row: RowBuffer, shares: LpShares): void {
  row.hex(shares.pool);
  row.uint8(shares.known);
  row.uint256(shares.supply);
  row.uint256(shares.burnt);
}

function encodeReference(row: RowBuffer, reference: ReferencePrice): void {
  row.hex(reference.token);
  encodePriceE36(row, reference.usd);
}

function encodeTrade(row: RowBuffer, trade: TradeFact): void {
  row.uint32(trade.ordinal);
  row.hex(trade.tx);
  row.uint32(trade.txOrdinal);
  row.hex(trade.wallet);
  nullable(row, trade.sender, (sender) => row.hex(sender));
  row.hex(trade.pool);
  row.text(trade.venue);
  row.hex(trade.base);
  row.hex(trade.quote);
  row.uint8(trade.baseDecimals);
  row.uint8(trade.quoteDecimals);
  row.uint8(trade.side === 'buy' ? 1 : 2);
  row.uint256(trade.baseAmount);
  row.uint256(trade.quoteAmount);
  encodePriceE36(row, trade.priceUsd);
  encodePriceE36(row, trade.coinUsd);
  encodeVolumeE18(row, trade.volumeUsd);
  encodeVolumeE18(row, trade.volumeCoin);
  row.bool(trade.uncounted === null);
  row.text(trade.uncounted ?? '');
}

function encodeTransfer(row: RowBuffer, transfer: TransferFact): void {
  row.uint32(transfer.ordinal);
  row.hex(transfer.tx);
  row.hex(transfer.token);
  row.hex(transfer.from);
  row.hex(transfer.to);
  row.uint256(transfer.amount);
}

function encodePriceE36(row: RowBuffer, value: E36 | null): void {
  if (value === null || value >= PRICE_LIMIT_E36 || value <= -PRICE_LIMIT_E36) row.null();
  else {
    row.notNull();
    row.decimal256(value);
  }
}

function encodeVolumeE18(row: RowBuffer, value: E18 | null): void {
  if (value === null || value >= VOLUME_LIMIT_E18 || value <= -VOLUME_LIMIT_E18) row.null();
  else {
    row.notNull();
    row.decimal128(value);
  }
}

function nullable<T>(row: RowBuffer, value: T | null, write: (value: T) => void): void {
  if (value === null) row.null();
  else {
    row.notNull();
    write(value);
  }
}
