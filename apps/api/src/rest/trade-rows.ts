import { venueLabel } from '#libs/chains/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { formatDecimal } from '#libs/core/money.js';
import { inCoin } from '#libs/fold/price-rule.js';
import type { TradeBody } from '#libs/protocol/rest/trade-body.js';
import type { ChainView } from '#libs/tail/chain-view.js';
import { readTokenRecords } from '#libs/tail/read-prices.js';
import type { PlacedTrade } from '#libs/tail/read-trades.js';
import { tradeSide } from '#libs/tail/trade-side.js';
import { priceNumber, symbolOf, volumeNumber } from './display.js';

/** Trades as rows of an answer, seen from one token. */
export async function tradeRows(view: ChainView, token: Hex, trades: readonly PlacedTrade[]): Promise<TradeBody[]> {
  const { chain } = view;
  const sides = trades.map((trade) => tradeSide(trade, token));
  const records = await readTokenRecords(view, new Set(sides.map((side) => side.other)));
  return trades.map((trade, index) => {
    const side = sides[index]!;
    const signature = chain.ids.formatTx(trade.tx);
    return {
      id: `${signature}-${trade.txOrdinal}`,
      chain: chain.slug,
      token: chain.ids.formatAddress(side.token),
      pool: chain.ids.formatAddress(trade.pool),
      dex: venueLabel(chain, trade.venue),
      side: side.side,
      wallet: chain.ids.formatAddress(trade.wallet),
      tokenAmount: formatDecimal(side.tokenAmount, side.tokenDecimals),
      quoteToken: chain.ids.formatAddress(side.other),
      quoteSymbol: symbolOf(chain, side.other, records.get(side.other)),
      quoteAmount: formatDecimal(side.otherAmount, side.otherDecimals),
      priceUsd: priceNumber(side.priceUsd),
      priceNative: priceNumber(inCoin(side.priceUsd, trade.coinUsd)),
      volumeUsd: volumeNumber(trade.volumeUsd),
      volumeNative: volumeNumber(trade.volumeCoin),
      time: trade.time,
      block: trade.block,
      signature,
      tags: [],
    };
  });
}
