import type { IdFormat } from '#libs/core/ids.js';
import { formatDecimal } from '#libs/core/money.js';
import type { RetractGroup } from '../blocks.js';
import type { FactsBlock, FactsRetract, TradeFact } from '../facts.js';

/**
 * Keyed topics for outsiders: one JSON document a record, ids as the chain's people write them, exact decimals as
 * strings, unknown values null. Fields are only ever added within a version.
 *
 * `trades` is keyed by base token, `retractions` by chain, so the two are not ordered against each other: a trade is
 * void when a retraction of its chain and epoch has fromSeq <= trade.seq <= toSeq, whichever arrives first.
 */
const KEYED_JSON_VERSION = 1;

export interface TradeDocument {
  version: number;
  type: 'trade';
  chain: string;
  epoch: number;
  /** The group that holds the trade. With epoch it says whether a retraction voids it. */
  seq: number;
  block: number;
  blockHash: string;
  /** Block time, Unix ms. */
  time: number;
  /** Transaction and the trade's number inside it: stable when the transaction is mined again. */
  id: string;
  transaction: string;
  /** Position in the block, ascending. */
  ordinal: number;
  /** Whose balances the trade changed. */
  wallet: string;
  /** Who sent the transaction; null where the facts are of before it was recorded. */
  sender: string | null;
  pool: string;
  venue: string;
  /** From the base token's view. */
  side: 'buy' | 'sell';
  baseToken: string;
  quoteToken: string;
  /** In whole tokens. */
  baseAmount: string;
  quoteAmount: string;
  /** USD for one whole base token. */
  priceUsd: string | null;
  /** USD price of the chain's coin that the values were computed with. */
  coinUsd: string | null;
  volumeUsd: string | null;
  /** Volume in whole coins of the chain. */
  volumeNative: string | null;
  /** Why it moves no candle; null where it does. `reverted`: its block undid it, and its volume is in no sum. */
  uncounted: string | null;
}

export interface RetractionDocument {
  version: number;
  type: 'retraction';
  chain: string;
  epoch: number;
  seq: number;
  /** Groups fromSeq to toSeq, both included, are void. */
  fromSeq: number;
  toSeq: number;
  /** The last block that is not retracted. */
  block: number;
  blockHash: string;
  time: number;
}

function tradeDocument(group: FactsBlock, trade: TradeFact, ids: IdFormat): TradeDocument {
  const transaction = ids.formatTx(trade.tx);
  return {
    version: KEYED_JSON_VERSION,
    type: 'trade',
    chain: group.chain,
    epoch: group.epoch,
    seq: group.seq,
    block: group.height,
    blockHash: ids.formatBlockHash(group.hash),
    time: group.time,
    id: `${transaction}-${trade.txOrdinal}`,
    transaction,
    ordinal: trade.ordinal,
    wallet: ids.formatAddress(trade.wallet),
    sender: trade.sender === null ? null : ids.formatAddress(trade.sender),
    pool: ids.formatAddress(trade.pool),
    venue: trade.venue,
    side: trade.side,
    baseToken: ids.formatAddress(trade.base),
    quoteToken: ids.formatAddress(trade.quote),
    baseAmount: formatDecimal(trade.baseAmount, trade.baseDecimals),
    quoteAmount: formatDecimal(trade.quoteAmount, trade.quoteDecimals),
    priceUsd: decimalOrNull(trade.priceUsd, 36),
    coinUsd: decimalOrNull(trade.coinUsd, 36),
    volumeUsd: decimalOrNull(trade.volumeUsd, 18),
    volumeNative: decimalOrNull(trade.volumeCoin, 18),
    uncounted: trade.uncounted,
  };
}

/** All trades of a base token are in one partition, in chain order. */
export function keyedTradeKey(group: FactsBlock, trade: TradeFact, ids: IdFormat): string {
  return `${group.chain}:${ids.formatAddress(trade.base)}`;
}

export function keyedTradeValue(group: FactsBlock, trade: TradeFact, ids: IdFormat): Uint8Array {
  return Buffer.from(JSON.stringify(tradeDocument(group, trade, ids)));
}

function retractionDocument(group: RetractGroup | FactsRetract, ids: IdFormat): RetractionDocument {
  return {
    version: KEYED_JSON_VERSION,
    type: 'retraction',
    chain: group.chain,
    epoch: group.epoch,
    seq: group.seq,
    fromSeq: group.fromSeq,
    toSeq: group.seq - 1,
    block: group.height,
    blockHash: ids.formatBlockHash(group.hash),
    time: group.time,
  };
}

export function keyedRetractionKey(group: RetractGroup | FactsRetract): string {
  return group.chain;
}

export function keyedRetractionValue(group: RetractGroup | FactsRetract, ids: IdFormat): Uint8Array {
  return Buffer.from(JSON.stringify(retractionDocument(group, ids)));
}

function decimalOrNull(value: bigint | null, scale: number): string | null {
  return value === null ? null : formatDecimal(value, scale);
}
