import { unencodable } from '#libs/protocol/codec/byte-writer.js';
import {
  readDeltas,
  readFlags,
  readIds,
  readLabels,
  readRepeated,
  readUnsigned,
  readUnsignedOrNull,
  readVaruints,
  writeDeltas,
  writeRepeated,
} from '#libs/protocol/codec/columns.js';
import type { GroupReader, GroupWriter } from '#libs/protocol/codec/group-frame.js';
import { type TradeFact, type Uncounted, uncountedReasons } from '#libs/protocol/facts.js';

/** By the code: 0 says nothing of why, 1 is counted. A reason keeps its code for ever. */
export const UNCOUNTED_CODES: readonly string[] = ['unknown', '', ...uncountedReasons];
const COUNTED = 1;

/** The trades of a facts block, column by column, before trades said who sent them. `side` is a flag: 1 sells the base token. */
export function writeTrades(out: GroupWriter, trades: readonly TradeFact[]): void {
  out.varuint(trades.length);
  writeDeltas(out, trades, (trade) => trade.ordinal);
  for (const trade of trades) out.varuint(trade.txOrdinal);
  for (const trade of trades) out.id(trade.tx);
  for (const trade of trades) out.id(trade.wallet);
  for (const trade of trades) out.id(trade.pool);
  for (const trade of trades) out.label(trade.venue);
  for (const trade of trades) out.id(trade.base);
  for (const trade of trades) out.id(trade.quote);
  for (const trade of trades) out.varuint(trade.baseDecimals);
  for (const trade of trades) out.varuint(trade.quoteDecimals);
  for (const trade of trades) out.u8(sideCode(trade.side));
  for (const trade of trades) out.u8(uncountedCode(trade.uncounted));
  for (const trade of trades) out.unsigned(trade.baseAmount);
  for (const trade of trades) out.unsigned(trade.quoteAmount);
  for (const trade of trades) out.unsignedOrNull(trade.priceUsd);
  writeRepeated(out, trades, (trade) => trade.coinUsd);
  for (const trade of trades) out.unsignedOrNull(trade.volumeUsd);
  for (const trade of trades) out.unsignedOrNull(trade.volumeCoin);
}

/** The same, with who sent the transaction. */
export function writeSentTrades(out: GroupWriter, trades: readonly TradeFact[]): void {
  writeTrades(out, trades);
  for (const { sender } of trades) out.id(sender ?? unencodable('a trade without a sender'));
}

export const readSentTrades = (input: GroupReader): TradeFact[] => readColumns(input, true);

export const readTrades = (input: GroupReader): TradeFact[] => readColumns(input, false);

function readColumns(input: GroupReader, isSent: boolean): TradeFact[] {
  const count = input.count(isSent ? 19 : 18);
  const ordinals = readDeltas(input, count);
  const txOrdinals = readVaruints(input, count);
  const txs = readIds(input, count);
  const wallets = readIds(input, count);
  const pools = readIds(input, count);
  const venues = readLabels(input, count);
  const bases = readIds(input, count);
  const quotes = readIds(input, count);
  const baseDecimals = readVaruints(input, count);
  const quoteDecimals = readVaruints(input, count);
  const sells = readFlags(input, count);
  const uncounted = readUncounted(input, count);
  const baseAmounts = readUnsigned(input, count);
  const quoteAmounts = readUnsigned(input, count);
  const prices = readUnsignedOrNull(input, count);
  const coinPrices = readRepeated(input, count);
  const usdVolumes = readUnsignedOrNull(input, count);
  const coinVolumes = readUnsignedOrNull(input, count);
  const senders = isSent ? readIds(input, count) : null;
  const trades: TradeFact[] = [];
  for (let i = 0; i < count; i++) {
    trades.push({
      ordinal: ordinals[i]!,
      txOrdinal: txOrdinals[i]!,
      tx: txs[i]!,
      wallet: wallets[i]!,
      sender: senders === null ? null : senders[i]!,
      pool: pools[i]!,
      venue: venues[i]!,
      base: bases[i]!,
      quote: quotes[i]!,
      baseDecimals: baseDecimals[i]!,
      quoteDecimals: quoteDecimals[i]!,
      side: sells[i] ? 'sell' : 'buy',
      baseAmount: baseAmounts[i]!,
      quoteAmount: quoteAmounts[i]!,
      priceUsd: prices[i]!,
      coinUsd: coinPrices[i]!,
      volumeUsd: usdVolumes[i]!,
      volumeCoin: coinVolumes[i]!,
      uncounted: uncounted[i]!,
    });
  }
  return trades;
}

function uncountedCode(reason: TradeFact['uncounted']): number {
  if (reason === null) return COUNTED;
  const code = UNCOUNTED_CODES.indexOf(reason);
  return code < 0 ? unencodable(`a trade that is uncounted for ${String(reason)}`) : code;
}

function readUncounted(input: GroupReader, count: number): TradeFact['uncounted'][] {
  const column: TradeFact['uncounted'][] = [];
  for (let i = 0; i < count; i++) {
    const code = input.u8();
    if (code >= UNCOUNTED_CODES.length) input.fail(`a trade that is uncounted for ${code}`);
    column.push(code === COUNTED ? null : (UNCOUNTED_CODES[code] as Uncounted));
  }
  return column;
}

function sideCode(side: TradeFact['side']): number {
  if (side === 'buy') return 0;
  if (side === 'sell') return 1;
  return unencodable(`side ${String(side)}`);
}
