import { chainManifests } from '#libs/chain/chains/registry.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import { type HttpProblem, notFound } from '#libs/serve/http/problem.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { type ChainAccess, coinOf } from '../access/chain-access.js';
import { priceNumber } from '../rows/display.js';

/** What a symbol of a chart names: a token of a chain, priced in USD or in the coin of its chain. */
export interface SymbolSubject {
  readonly reader: ChainReader;
  readonly token: Hex;
  readonly currency: 'usd' | 'native';
}

const IN_COIN = '/native';

/** The message is the one that the library knows. */
export const unknownSymbol = (): HttpProblem => notFound('unknown_symbol');

export function symbolSubject(access: ChainAccess, symbol: string): SymbolSubject {
  const inCoin = symbol.toLowerCase().endsWith(IN_COIN);
  const [name, address, ...rest] = (inCoin ? symbol.slice(0, -IN_COIN.length) : symbol).split(':');
  if (!name || !address || rest.length > 0) throw unknownSymbol();
  const chain = chainManifests.find(name);
  const reader = chain && access.find(chain.slug);
  const token = reader && (coinOf(reader.chain, address) ?? reader.chain.ids.parseAddress(address));
  if (!reader || !token) throw unknownSymbol();
  return { reader, token, currency: inCoin ? 'native' : 'usd' };
}

export const tickerOf = (chain: ChainSpec, token: Hex, currency: SymbolSubject['currency']): string =>
  `${chain.slug}:${chain.ids.formatAddress(token)}${currency === 'native' ? IN_COIN : ''}`;

const DIGITS = 6;
const MOST_DECIMALS = 15;

/** Ten to the number of decimals that show six digits of a price, two of them at least. */
export function priceScale(price: E36 | null): number {
  const shown = priceNumber(price);
  if (shown === null || shown <= 0) return 10 ** DIGITS;
  const decimals = DIGITS - 1 - Math.floor(Math.log10(shown));
  return 10 ** Math.min(Math.max(decimals, 2), MOST_DECIMALS);
}
