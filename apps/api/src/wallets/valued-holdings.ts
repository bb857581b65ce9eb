import { byId } from '#libs/core/by-id.js';
import type { Hex } from '#libs/core/ids.js';
import type { E18, E36 } from '#libs/core/money.js';
import { amountUsd } from '#libs/pipeline/fold/price-rule.js';
import { valuesOver } from '#libs/pipeline/fold/token-values.js';
import type { Balance } from '#libs/pipeline/projections/balances/projection.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readHoldings } from '#libs/serve/reader/read-holders.js';
import { readPrices, readTokenRecords } from '#libs/serve/reader/read-prices.js';

/** What a wallet holds of one token, in raw units, and its worth. */
export interface ValuedHolding {
  readonly token: Hex;
  readonly amount: bigint;
  readonly record: TokenRecord | null;
  readonly priceUsd: E36 | null;
  /** At the price. */
  readonly value: E18 | null;
  /** What a sale of it would bring. */
  readonly exit: E18 | null;
}

/** The most valuable first, then those without a price by address: one order for every route and channel. */
export async function valuedHoldings(view: ChainView, wallet: Hex): Promise<ValuedHolding[]> {
  const valued = (await holdingsOf(view, [wallet])).get(wallet) ?? [];
  return valued.sort((a, b) => {
    if (a.value !== b.value) return b.value === null || (a.value !== null && a.value > b.value) ? -1 : 1;
    return a.token < b.token ? -1 : 1;
  });
}

/** What some wallets hold, by wallet, in no order of worth. */
export async function holdingsOf(view: ChainView, wallets: readonly Hex[]): Promise<Map<Hex, ValuedHolding[]>> {
  const held = await readHoldings(view, wallets);
  const tokens = [...new Set(held.map(({ token }) => token))];
  const [records, prices] = await Promise.all([readTokenRecords(view, tokens), readPrices(view, tokens)]);
  const values = valuesOver(prices);
  const valuedOf = ({ token, amount }: Balance): ValuedHolding => {
    const record = records.get(token) ?? null;
    const decimals = record?.decimals ?? null;
    const priceUsd = values.usd(token);
    const value = decimals === null || priceUsd === null ? null : amountUsd(amount, decimals, priceUsd);
    const exit = decimals === null ? null : values.sale(token, amount, decimals);
    return { token, amount, record, priceUsd, value, exit };
  };
  return new Map([...byId(held, ({ wallet }) => wallet)].map(([wallet, rows]) => [wallet, rows.map(valuedOf)]));
}
