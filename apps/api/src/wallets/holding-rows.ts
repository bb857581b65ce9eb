import type { Hex } from '#libs/core/ids.js';
import { formatDecimal } from '#libs/core/money.js';
import { amountUsd } from '#libs/pipeline/fold/price-rule.js';
import { tokenUsd } from '#libs/pipeline/fold/token-values.js';
import type { Holding, NativeHolding } from '#libs/serve/contract/rest/holder-body.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readHolderCounts, unknownBalances } from '#libs/serve/reader/read-holders.js';
import { readPrices, readTokenRecords } from '#libs/serve/reader/read-prices.js';
import type { NativeBalance } from '../access/native-balances.js';
import { priceNumber, symbolOf, volumeNumber } from '../rows/display.js';
import { type ValuedHolding, valuedHoldings } from './valued-holdings.js';

/** What a wallet holds as every answer shows it, the most valuable first. */
export async function holdingRows(view: ChainView, wallet: Hex): Promise<Holding[]> {
  return (await valuedHoldings(view, wallet)).map((held) => holdingRow(view, held));
}

/**
 * The same for some tokens alone: one that the wallet does not hold, or not any more, has the amount 0, and null where no
 * balance of it is known.
 */
export async function holdingRowsOf(view: ChainView, wallet: Hex, tokens: ReadonlySet<Hex>): Promise<Holding[]> {
  const held = (await valuedHoldings(view, wallet)).filter(({ token }) => tokens.has(token));
  const shown = new Set(held.map(({ token }) => token));
  const gone = [...tokens].filter((token) => !shown.has(token));
  const [records, counts] = await Promise.all([readTokenRecords(view, gone), readHolderCounts(view, gone)]);
  const nothing = gone.map((token): HeldAmount => {
    const amount = unknownBalances(counts.get(token)) === null ? 0n : null;
    return { token, record: records.get(token) ?? null, amount, priceUsd: null, value: null, exit: null };
  });
  return [...held, ...nothing].map((row) => holdingRow(view, row));
}

type HeldAmount = Omit<ValuedHolding, 'amount'> & { readonly amount: bigint | null };

function holdingRow(
  { chain, about }: ChainView,
  { token, amount, record, priceUsd, value, exit }: HeldAmount,
): Holding {
  return {
    chain: chain.slug,
    token: chain.ids.formatAddress(token),
    name: record?.name ?? null,
    symbol: symbolOf(chain, token, record),
    image: about.of(token).image,
    amount: amount === null ? null : formatDecimal(amount, record?.decimals ?? 0),
    priceUsd: priceNumber(priceUsd),
    valueUsd: volumeNumber(value),
    exitUsd: volumeNumber(exit),
  };
}

/** The chain's own coin at the price of the view. */
export async function nativeRow(view: ChainView, balance: NativeBalance | null): Promise<NativeHolding | null> {
  if (balance === null) return null;
  const { nativeCurrency, wrappedNative } = view.chain;
  const priceUsd = tokenUsd(await readPrices(view, [wrappedNative.token]), wrappedNative.token);
  const { amount, block } = balance;
  return {
    symbol: nativeCurrency.symbol,
    amount: formatDecimal(amount, nativeCurrency.decimals),
    priceUsd: priceNumber(priceUsd),
    valueUsd: volumeNumber(priceUsd === null ? null : amountUsd(amount, nativeCurrency.decimals, priceUsd)),
    block,
  };
}
