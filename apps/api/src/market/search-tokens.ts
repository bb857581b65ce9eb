import { forEachYielding } from '#libs/core/for-each-yielding.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import { coinOf } from '../access/chain-access.js';
import { byCreation } from './boards.js';
import { firstOf, type Listing } from './first-of.js';
import { byDepth, ListedToken } from './listed-token.js';
import { similarTokens } from './similar-tokens.js';
import { copiesSymbol } from './symbol-copies.js';
import { addressWordOf, folded, wordsOf } from './token-words.js';

/** A piece of an address shorter than this is not looked for: nearly every address would match. */
const LEAST_OF_ADDRESS = 4;

/** Better matches have lower ranks. */
const rank = {
  ...{ address: 0, poolBase: 1, poolQuote: 2, created: 3 },
  ...{ symbol: 4, name: 5, prefix: 6, substring: 7, similar: 8 },
} as const;

/**
 * Tokens whose name, symbol or address matches a text, those of a pool with that address and those that a wallet with that
 * address created: the best match first, the newest first of a creator's. Among equals those that copy the symbol of the
 * chain's coin or of a stablecoin come last, else the deeper token first. Only where nothing matches, what is the text but for a
 * letter or two.
 */
export async function searchTokens(
  markets: readonly Market[],
  text: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<Listing<ListedToken>> {
  const found = (await Promise.all(markets.map((market) => searchMarket(market, text)))).flat();
  const shown = found.length > 0 ? found : await similarTo(markets, folded(text));
  const copies = new Set<ListedToken>();
  await forEachYielding(shown, ({ token }) => {
    if (copiesSymbol(token)) copies.add(token);
  });
  const among = (a: Found, b: Found): number => {
    if (a.rank === rank.created) return byCreation(a.token, b.token);
    return Number(copies.has(a.token)) - Number(copies.has(b.token)) || byDepth(a.token, b.token);
  };
  const first = await firstOf(shown, limit, (a, b) => a.rank - b.rank || among(a, b));
  return { first: first.map(({ token }) => token), total: shown.length };
}

const similarTo = async (markets: readonly Market[], needle: string): Promise<Found[]> =>
  (await similarTokens(markets, needle)).map(({ token, distance }) => ({ rank: rank.similar + distance, token }));

/** The word `native` is looked for as a word. */
const isAddress = (text: string): boolean => /^0x/i.test(text);

interface Found {
  rank: number;
  token: ListedToken;
}

async function searchMarket(market: Market, text: string): Promise<Found[]> {
  const { chain } = market.view;
  const id = (isAddress(text) ? coinOf(chain, text) : null) ?? chain.ids.parsePool(text);
  if (id !== null) return atAddress(market, id);
  const needle = folded(text);
  // Addresses are compared as they are written, in any case.
  const written = text.length < LEAST_OF_ADDRESS ? null : text.toLowerCase();
  const found: Found[] = [];
  await forEachYielding(market.tokens.values(), (listed) => {
    const coin = listed.token === chain.wrappedNative.token ? folded(chain.nativeCurrency.symbol) : null;
    let matched = rankOf(listed.record, needle, coin);
    if (matched === null && written !== null && addressWordOf(listed.record, chain.ids).startsWith(written)) {
      matched = rank.prefix;
    }
    if (matched !== null) found.push({ rank: matched, token: new ListedToken(market, listed) });
  });
  return found;
}

/** The token there, both tokens of the pool there, the one that the pool is about first, and the tokens that a wallet there created. */
async function atAddress(market: Market, id: string): Promise<Found[]> {
  const token = market.tokens.get(id);
  const found: Found[] = token === undefined ? [] : [{ rank: rank.address, token: new ListedToken(market, token) }];
  await forEachYielding(market.tokens.values(), (listed) => {
    if (listed.origin.creator !== id || listed === token) return;
    found.push({ rank: rank.created, token: new ListedToken(market, listed) });
  });
  const pool = market.pool(id);
  if (pool === undefined) return found;
  const sides = [pool.token0, pool.token1]
    .flatMap((side) => market.tokens.get(side) ?? [])
    .sort((a, b) => b.level - a.level || (a.token < b.token ? -1 : 1));
  sides.forEach((side, index) => {
    found.push({ rank: index === 0 ? rank.poolBase : rank.poolQuote, token: new ListedToken(market, side) });
  });
  return found;
}

function rankOf(record: TokenRecord, needle: string, coin: string | null): number | null {
  const { symbol, name } = wordsOf(record);
  if (needle === '') return null;
  if (symbol === needle || coin === needle) return rank.symbol;
  if (name === needle) return rank.name;
  if (symbol.startsWith(needle) || name.startsWith(needle)) return rank.prefix;
  return symbol.includes(needle) || name.includes(needle) ? rank.substring : null;
}
