import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { least } from '#libs/core/bigint-order.js';
import type { Hex } from '#libs/core/ids.js';
import { type E18, type E36, formatDecimal, ONE_E18, pow10 } from '#libs/core/money.js';
import { amountUsd } from '#libs/pipeline/fold/price-rule.js';
import type { Position } from '#libs/pipeline/projections/positions/projection.js';
import type { WalletProfit } from '#libs/pipeline/projections/wallet-profits/projection.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import type { PositionRow, ProfitFields, WalletProfitFields } from '#libs/serve/contract/rest/profit-body.js';
import { priceNumber, volumeNumber } from './display.js';

/** What positions are valued with: all of one view. */
export interface Valuation {
  readonly decimals: number | null;
  readonly priceUsd: E36 | null;
  /** Unix ms of the view's block. */
  readonly time: number;
}

interface HeldPosition {
  readonly position: Position | undefined;
  /** Null where it is not known, with the reason. */
  readonly amount: bigint | null;
  readonly unknown: PositionRow['balanceUnknown'];
}

/** Profit and loss of one wallet with one token. */
export function positionRow(
  chain: ChainSpec,
  wallet: Hex,
  { position, amount, unknown }: HeldPosition,
  valuation: Valuation,
): PositionRow {
  const { decimals, priceUsd } = valuation;
  const value =
    amount === null || decimals === null || priceUsd === null ? null : amountUsd(amount, decimals, priceUsd);
  return {
    wallet: chain.ids.formatAddress(wallet),
    balance: amount === null ? null : formatDecimal(amount, decimals ?? 0),
    balanceUnknown: unknown,
    valueUsd: volumeNumber(value),
    ...(position === undefined ? untraded(amount, value) : traded(position, valuation)),
  };
}

/** What was never traded has no cost. */
function untraded(amount: bigint | null, value: E18 | null): ProfitFields {
  const unrealizedUsd = amount !== 0n && value === null ? null : 0;
  return {
    ...{ realizedUsd: 0, unrealizedUsd, totalUsd: unrealizedUsd, costUsd: 0 },
    ...{ averageBuyPriceUsd: null, averageSellPriceUsd: null, boughtUsd: 0, soldUsd: 0, buys: 0, sells: 0 },
    ...{ winRatePercent: null, firstTradeAt: null, lastTradeAt: null, holdingSeconds: null },
    unpricedPercent: amount !== null && amount > 0n ? 100 : null,
  };
}

function traded(position: Position, valuation: Valuation): ProfitFields {
  const { decimals, time } = valuation;
  const { amount, priced, boughtUsd, soldUsd, firstTradeAt, lastTradeAt, buys, sells } = position;
  const realized = position.gainUsd - position.lossUsd;
  const unrealized = unrealizedUsd(position, valuation);
  return {
    realizedUsd: usd(realized),
    unrealizedUsd: volumeNumber(unrealized),
    totalUsd: unrealized === null ? null : usd(realized + unrealized),
    costUsd: usd(position.costUsd),
    averageBuyPriceUsd: averagePrice(boughtUsd, position.boughtValued, decimals),
    averageSellPriceUsd: averagePrice(soldUsd, position.soldValued, decimals),
    ...{ boughtUsd: usd(boughtUsd), soldUsd: usd(soldUsd), buys, sells },
    winRatePercent: percent(BigInt(position.wins), BigInt(position.closes)),
    ...{ firstTradeAt, lastTradeAt, holdingSeconds: holdingSeconds(position, time) },
    unpricedPercent: percent(position.soldUnpriced + amount - priced, position.soldUnits + amount),
  };
}

/** Worth of the units with a cost, less the cost; null where that is not known. */
function unrealizedUsd({ priced, costUsd }: Position, { decimals, priceUsd }: Valuation): E18 | null {
  if (priced === 0n) return 0n;
  const value = decimals === null || priceUsd === null ? null : amountUsd(priced, decimals, priceUsd);
  return value === null ? null : value - costUsd;
}

/** Up to a time, the period that is still open included. */
function holdingSeconds({ heldMs, heldSince }: Position, time: number): number {
  return (heldMs + (heldSince === 0 ? 0 : Math.max(0, time - heldSince))) / 1_000;
}

type Profit = Omit<WalletProfit, 'hour'>;

/** What is known of a wallet over several tokens. */
export interface WalletTotals {
  readonly hours: readonly Profit[];
  readonly costUsd: E18;
  readonly unrealizedUsd: E18;
  /** Mean; null where it traded none. */
  readonly holdingSeconds: number | null;
}

export function walletFields({ hours, costUsd, unrealizedUsd, holdingSeconds }: WalletTotals): WalletProfitFields {
  const sum = (of: (row: Profit) => bigint): bigint => hours.reduce((total, row) => total + of(row), 0n);
  const count = (of: (row: Profit) => number): number => hours.reduce((total, row) => total + of(row), 0);
  const realized = sum(({ gainUsd, lossUsd }) => gainUsd - lossUsd);
  const soldUsd = sum((row) => row.soldUsd);
  return {
    ...{ realizedUsd: usd(realized), unrealizedUsd: usd(unrealizedUsd), totalUsd: usd(realized + unrealizedUsd) },
    ...{ costUsd: usd(costUsd), averageBuyPriceUsd: null, averageSellPriceUsd: null },
    ...{ boughtUsd: usd(sum((row) => row.boughtUsd)), soldUsd: usd(soldUsd) },
    ...{ buys: count((row) => row.buys), sells: count((row) => row.sells) },
    winRatePercent: percent(BigInt(count((row) => row.wins)), BigInt(count((row) => row.closes))),
    firstTradeAt: hours.length === 0 ? null : Math.min(...hours.map((row) => row.firstTradeAt)),
    lastTradeAt: hours.length === 0 ? null : Math.max(...hours.map((row) => row.lastTradeAt)),
    holdingSeconds,
    unpricedPercent: percent(
      sum((row) => row.unpricedUsd),
      soldUsd,
    ),
    feesUsd: feesOf(hours),
    linkedPercent: linkedOf(
      sum((row) => row.linkedUsd),
      sum((row) => row.gainUsd),
    ),
  };
}

/** What is linked in some hours may be of the profits of earlier ones. */
const linkedOf = (linkedUsd: E18, gainUsd: E18): number | null => percent(least(linkedUsd, gainUsd), gainUsd);

/** Null where it is not known of some transaction. */
const feesOf = (hours: readonly Profit[]): number | null =>
  hours.some(({ unknownFees }) => unknownFees > 0)
    ? null
    : usd(hours.reduce((total, { feesUsd }) => total + feesUsd, 0n));

/** Cost and unrealised profit of what a wallet holds, tokens without a price left out of the latter, and how long it held them. */
export function openTotals(
  positions: readonly Position[],
  valuationOf: (token: Hex) => Valuation,
  isCounted: (position: Position) => boolean,
): Omit<WalletTotals, 'hours'> {
  let [costUsd, unrealized, seconds, counted] = [0n, 0n, 0, 0];
  for (const position of positions) {
    const valuation = valuationOf(position.token);
    costUsd += position.costUsd;
    unrealized += unrealizedUsd(position, valuation) ?? 0n;
    if (!isCounted(position)) continue;
    seconds += holdingSeconds(position, valuation.time);
    counted++;
  }
  return { costUsd, unrealizedUsd: unrealized, holdingSeconds: counted === 0 ? null : seconds / counted };
}

/** What wallets pay with: how long it is held says nothing of trades. */
export const isMoney = ({ wrappedNative, stables }: ChainSpec, token: Hex): boolean =>
  token === wrappedNative.token || stables.some((stable) => stable.token === token);

export const valuationOfToken = (record: TokenRecord | undefined, priceUsd: E36 | null, time: number): Valuation => ({
  decimals: record?.decimals ?? null,
  priceUsd,
  time,
});

const usd = (value: E18): number => volumeNumber(value)!;

function averagePrice(value: E18, units: bigint, decimals: number | null): number | null {
  if (units === 0n || decimals === null) return null;
  return priceNumber((value * ONE_E18 * pow10(decimals)) / units);
}

/** To a millionth of a percent. */
function percent(part: bigint, whole: bigint): number | null {
  return whole === 0n ? null : Number((part * 100_000_000n) / whole) / 1_000_000;
}
