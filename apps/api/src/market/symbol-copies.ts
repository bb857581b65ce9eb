import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { ListedToken } from './listed-token.js';
import { looksOf } from './token-words.js';

/** By how the symbols of a chain's own coin and stablecoins look: the tokens that may have them. */
const knownSymbols = new WeakMap<ChainSpec, ReadonlyMap<string, ReadonlySet<string>>>();

function symbolsOf(chain: ChainSpec): ReadonlyMap<string, ReadonlySet<string>> {
  let symbols = knownSymbols.get(chain);
  if (symbols === undefined) {
    const owners = new Map<string, Set<string>>();
    const { wrappedNative, nativeCurrency, stables } = chain;
    const own = [{ symbol: nativeCurrency.symbol, token: wrappedNative.token }, wrappedNative, ...stables];
    for (const { symbol, token } of own) {
      const looks = looksOf(symbol);
      owners.set(looks, (owners.get(looks) ?? new Set()).add(token));
    }
    symbols = owners;
    knownSymbols.set(chain, symbols);
  }
  return symbols;
}

/** Whether a token has the symbol of the chain's coin or of one of its stablecoins, or one that looks like it, without being it. */
export function copiesSymbol({ market, listed }: ListedToken): boolean {
  const { symbol } = listed.record;
  if (symbol === null) return false;
  const owners = symbolsOf(market.view.chain).get(looksOf(symbol));
  return owners !== undefined && !owners.has(listed.token);
}
