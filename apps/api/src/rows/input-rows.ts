import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { formatDecimal } from '#libs/core/money.js';
import type {
  CandleInputs,
  HolderInputs,
  LogPlace,
  PriceStep,
  TokenInputs,
} from '#libs/serve/contract/rest/explain-body.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import {
  type CandleInputPlaces,
  type HolderInputPlaces,
  type PriceStepInput,
  readHolderInputs,
  readPriceInputs,
} from '#libs/serve/reader/read-inputs.js';
import { readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { priceNumber } from './display.js';

/** What `explain=1` adds to a token. */
export async function tokenInputs(view: ChainView, token: Hex, decimals: number | null): Promise<TokenInputs> {
  const [steps, holders] = await Promise.all([readPriceInputs(view, token), readHolderInputs(view, token)]);
  return {
    price: steps.map((step) => priceStep(view.chain, step)),
    holders: holderInputs(view.chain, holders, decimals),
  };
}

/** The same of a number of holders alone. */
export async function explainHolders(view: ChainView, token: Hex): Promise<HolderInputs> {
  const [records, places] = await Promise.all([readTokenRecords(view, [token]), readHolderInputs(view, token)]);
  return holderInputs(view.chain, places, records.get(token)?.decimals ?? null);
}

export const candleInputs = (chain: ChainSpec, { open, high, low, close }: CandleInputPlaces): CandleInputs => ({
  open: placeRow(chain, open),
  high: placeRow(chain, high),
  low: placeRow(chain, low),
  close: placeRow(chain, close),
});

function priceStep(chain: ChainSpec, step: PriceStepInput): PriceStep {
  const { token, pool, quote, price, block, trade, parts, measured } = step;
  return {
    token: chain.ids.formatAddress(token),
    pool: pool && chain.ids.formatAddress(pool),
    quoteToken: quote && chain.ids.formatAddress(quote),
    price: priceNumber(price),
    block,
    transaction: trade && chain.ids.formatTx(trade.tx),
    log: trade?.ordinal ?? null,
    measuredUsd: priceNumber(measured),
    pools: parts.map((part) => ({
      pool: chain.ids.formatAddress(part.pool),
      quoteToken: chain.ids.formatAddress(part.quote),
      price: priceNumber(part.spot)!,
    })),
  };
}

function holderInputs(
  chain: ChainSpec,
  { counts, complete, first, last }: HolderInputPlaces,
  decimals: number | null,
): HolderInputs {
  const whole = (amount: bigint | undefined): string | null =>
    amount === undefined || decimals === null ? null : formatDecimal(amount, decimals);
  return {
    minted: whole(counts?.minted),
    burnt: whole(counts?.burnt),
    held: whole(counts?.held),
    stated: whole(counts?.recorded),
    complete,
    firstTransfer: placeRow(chain, first),
    lastTransfer: placeRow(chain, last),
  };
}

type Placed = Parameters<typeof rowOf>[1];

const placeRow = (chain: ChainSpec, place: Placed | null): LogPlace | null => place && rowOf(chain, place);

const rowOf = (chain: ChainSpec, place: { block: number; ordinal: number; tx: Hex }): LogPlace => ({
  block: place.block,
  transaction: chain.ids.formatTx(place.tx),
  log: place.ordinal,
});
