import { type ChainSpec, venueLabel } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { formatDecimal } from '#libs/core/money.js';
import { inCoin } from '#libs/pipeline/fold/price-rule.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import type { ChangedTags } from '#libs/serve/contract/live/frames.js';
import type { TradeBody } from '#libs/serve/contract/rest/trade-body.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { readTags, type TagLookup } from '#libs/serve/reader/read-tags.js';
import type { PlacedTrade } from '#libs/serve/reader/read-trades.js';
import { tradeSide } from '#libs/serve/reader/trade-side.js';
import { priceNumber, symbolOf, volumeNumber } from '../rows/display.js';

/** Trades as rows of an answer, seen from one token. */
export async function tradeRows(view: ChainView, token: Hex, trades: readonly PlacedTrade[]): Promise<TradeBody[]> {
  const [records, tags] = await Promise.all([
    readTokenRecords(view, otherTokens(token, trades)),
    readTags(
      view,
      trades.map(({ wallet }) => ({ token, wallet })),
    ),
  ]);
  return trades.map((trade) => tradeRow(view.chain, token, trade, { records, tags }));
}

/** Trades as rows of an answer, each seen from its base token. */
export async function baseTradeRows(view: ChainView, trades: readonly PlacedTrade[]): Promise<TradeBody[]> {
  const [records, tags] = await Promise.all([
    readTokenRecords(view, new Set(trades.map(({ quote }) => quote))),
    readTags(
      view,
      trades.map(({ base, wallet }) => ({ token: base, wallet })),
    ),
  ]);
  return trades.map((trade) => tradeRow(view.chain, trade.base, trade, { records, tags }));
}

/** The tokens whose records the rows of these trades need. */
export function otherTokens(token: Hex, trades: readonly TradeFact[]): Set<Hex> {
  return new Set(trades.map((trade) => tradeSide(trade, token).other));
}

/** What names a trade for clients; it survives a re-mined block. */
export function tradeNames(
  chain: ChainSpec,
  trade: Pick<TradeFact, 'tx' | 'txOrdinal' | 'wallet'>,
): Pick<TradeBody, 'id' | 'signature' | 'wallet'> {
  const signature = chain.ids.formatTx(trade.tx);
  return { id: `${signature}-${trade.txOrdinal}`, signature, wallet: chain.ids.formatAddress(trade.wallet) };
}

/** What rows of trades are made with, of the rows' own view. */
export interface TradeContext {
  readonly records: ReadonlyMap<Hex, TokenRecord>;
  readonly tags: TagLookup;
}

export function tradeRow(chain: ChainSpec, token: Hex, trade: PlacedTrade, { records, tags }: TradeContext): TradeBody {
  const side = tradeSide(trade, token);
  const { id, signature, wallet } = tradeNames(chain, trade);
  return {
    id,
    chain: chain.slug,
    token: chain.ids.formatAddress(side.token),
    pool: chain.ids.formatAddress(trade.pool),
    dex: venueLabel(chain, trade.venue),
    side: side.side,
    wallet,
    sender: trade.sender === null ? null : chain.ids.formatAddress(trade.sender),
    tokenAmount: formatDecimal(side.tokenAmount, side.tokenDecimals),
    quoteToken: chain.ids.formatAddress(side.other),
    quoteSymbol: symbolOf(chain, side.other, records.get(side.other)),
    quoteAmount: formatDecimal(side.otherAmount, side.otherDecimals),
    priceUsd: priceNumber(side.priceUsd),
    priceNative: priceNumber(inCoin(side.priceUsd, trade.coinUsd)),
    volumeUsd: volumeNumber(trade.volumeUsd),
    volumeNative: volumeNumber(trade.volumeCoin),
    counted: side.uncounted === null,
    uncounted: side.uncounted,
    time: trade.time,
    block: trade.block,
    signature,
    tags: tags.of(token, trade.wallet),
  };
}

/** Tags that a group changed as rows of a frame. */
export function tagRows(
  { ids }: ChainSpec,
  changed: readonly { token: Hex; wallet: Hex; tags: string[] }[],
): ChangedTags[] {
  return changed.map(({ token, wallet, tags }) => ({
    ...{ token: ids.formatAddress(token), wallet: ids.formatAddress(wallet), tags },
  }));
}
