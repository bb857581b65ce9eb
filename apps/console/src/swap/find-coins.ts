import type { RestClient } from '#libs/serve/client/rest-client.js';
import { shortId } from '../format/numbers.js';
import type { Hit } from '../ui/hit-face.js';
import { type CoinChain, NATIVE, plainAddress } from './coins.js';

/** A token that can be chosen, or the coin. */
export interface CoinHit extends Hit {
  readonly native: boolean;
}

const MOST = 30;

/** Without a text the deepest tokens of the chain; the coin first where it fits. */
export async function findCoins(
  rest: Pick<RestClient, 'search' | 'screener'>,
  row: CoinChain,
  text: string,
  signal: AbortSignal,
): Promise<CoinHit[]> {
  const { chain } = row;
  const { data } =
    text === ''
      ? await rest.screener({ chain, sort: 'liquidity', limit: MOST }, { signal })
      : await rest.search(text, { chain, limit: MOST }, { signal });
  const tokens = data.map((token): CoinHit => {
    const address = plainAddress(token.address);
    const { symbol, name } = token;
    const wrapped = address === plainAddress(row.wrappedNative) && symbol === row.nativeCurrency.symbol;
    return {
      ...{ native: false, chain, address, note: shortId(address) },
      figures: { priceUsd: token.priceUsd, liquidityUsd: token.liquidityUsd },
      symbol: wrapped ? `W${symbol}` : (symbol ?? 'no symbol'),
      name: name ?? '',
    };
  });
  return coinFits(row, text) ? [coinOf(row), ...tokens] : tokens;
}

function coinFits({ nativeCurrency }: CoinChain, text: string): boolean {
  const wanted = text.toLowerCase();
  return [nativeCurrency.symbol, nativeCurrency.name, 'native', NATIVE].some((name) =>
    name.toLowerCase().startsWith(wanted),
  );
}

const coinOf = ({ chain, nativeCurrency: { symbol, name } }: CoinChain): CoinHit => ({
  ...{ native: true, chain, address: NATIVE, symbol, name, note: `native coin of ${chain}`, figures: null },
});
