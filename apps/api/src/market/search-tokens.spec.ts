import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { TokenValues } from '#libs/pipeline/fold/token-values.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import { LayeredMap } from '#libs/serve/reader/layered-map.js';
import type { MarketCounts } from '#libs/serve/reader/market-stats.js';
import { MarketToken } from '#libs/serve/reader/market-token.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import type { TokenOrigin } from '#libs/serve/reader/token-launch.js';
import type { TokenSupply } from '#libs/serve/reader/token-supply.js';
import { searchTokens } from './search-tokens.js';
import { editDistance } from './similar-tokens.js';

/** Order and tolerance of the search, on a market made of names alone. */
const chain = chainSpec('eth')!;
const [usdc, usdt] = ['USDC', 'USDT'].map(
  (symbol) => chain.stables.find((stable) => stable.symbol === symbol)!.token,
) as [string, string];
const NO_SUPPLY: TokenSupply = { total: null, circulating: null, holders: null };
const NO_VALUES = new TokenValues({ reference: () => undefined, backing: () => null });
const NO_ORIGIN: TokenOrigin = { creator: null, createdAt: null, launchpad: null };
const idOf = (n: number): string => n.toString(16).padStart(40, '0');

function marketOf(
  entries: readonly [token: string, symbol: string | null, name: string | null, liquidity: number][],
): Market {
  const none = { counts: LayeredMap.over<MarketCounts>(new Map()), before: [] };
  const tokens = new Map(
    entries.map(([token, symbol, name, liquidity]) => {
      const record: TokenRecord = { token, symbol, name, decimals: 18, totalSupply: null };
      const listed = new MarketToken(token, record, NO_SUPPLY, NO_ORIGIN, NO_VALUES, 4, none);
      listed.liquidityUsd = BigInt(liquidity) * 10n ** 18n;
      return [token, listed];
    }),
  );
  const view = { chain: chain as ChainSpec } as Market['view'];
  return { view, tokens, pool: () => undefined };
}

const market = marketOf([
  [usdc, 'USDC', 'USD Coin', 1_000],
  [usdt, 'USDT', 'Tether USD', 900],
  [chain.wrappedNative.token, 'WETH', 'Wrapped Ether', 5_000],
  [idOf(1), 'USDC', 'USD Coin', 9_000_000],
  [idOf(2), 'UЅDС', 'USD Coin', 8_000_000],
  [idOf(3), 'usd.c', 'fake', 7_000_000],
  [idOf(4), 'USDC2', 'Next coin', 10],
  [idOf(5), 'ETH', 'Ether', 70_000],
  [idOf(6), 'PEPE', 'Pepe', 50],
  [idOf(7), 'PEPE', 'Pepe the second', 500],
  [idOf(8), 'UNI', 'Uniswap', 300],
  [idOf(9), 'CAFE', 'Café crème', 30],
  [idOf(10), '$WIF', 'dogwifhat', 20],
  [idOf(11), null, null, 10],
  [idOf(12), 'X', 'Curve DAO Token', 40],
]);
const found = (text: string): Promise<string[]> => searched(market, text);
const searched = async (of: Market, text: string): Promise<string[]> =>
  (await searchTokens([of], text)).first.map(({ token }) => token);

describe('search of tokens', () => {
  it('shows the real one before its copies, however deep they say they are', async () => {
    expect(await found('usdc')).toEqual([usdc, idOf(1), idOf(4)]);
    expect((await found('usd coin')).slice(0, 3)).toEqual([usdc, idOf(1), idOf(2)]);
    expect((await found('ETH'))[0]).toBe(chain.wrappedNative.token);
    expect((await found('eth')).indexOf(chain.wrappedNative.token)).toBeLessThan((await found('eth')).indexOf(idOf(5)));
    expect(await found('pepe')).toEqual([idOf(7), idOf(6)]);
  });

  it('orders by how well it matches: symbol, name, beginning, anywhere', async () => {
    expect(await found('uniswap')).toEqual([idOf(8)]);
    expect(await found('usd')).toEqual([usdc, usdt, idOf(4), idOf(1), idOf(2), idOf(3)]);
    expect(await found('coin')).toContain(idOf(4));
    expect(await found('')).toEqual([]);
    expect(await found('$')).toEqual([]);
  });

  it('reads any case, marks, wide letters and a leading $ as the plain letters', async () => {
    for (const text of ['café', 'CAFE', 'ｃａｆｅ', '$cafe', 'Cafe\u0301'])
      expect({ text, ids: await found(text) }).toEqual({ text, ids: [idOf(9)] });
    for (const text of ['wif', '$WIF']) expect(await found(text)).toEqual([idOf(10)]);
  });

  it('finds what has a letter or two wrong, only where nothing matches', async () => {
    for (const text of ['unisawp', 'uniswp', 'uniswapp', 'unixwap', 'umiswap']) {
      expect({ text, ids: await found(text) }).toEqual({ text, ids: [idOf(8)] });
    }
    expect(await found('dogwfiha')).toEqual([idOf(10)]);
    expect(await found('tetehr')).toEqual([usdt]);
    expect(await found('crve')).toEqual([idOf(12)]);
    expect(await found('curvy')).toEqual([idOf(12)]);
    expect(await found('uxx')).toEqual([]);
    expect(await found('quite another text')).toEqual([]);
    expect(await found('usdx')).not.toEqual([]);
    expect(await found('usdc')).not.toContain(usdt);
  });

  it.each(seeds(20))('finds a name after any one mistake in it (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const word = (length: number) => Array.from({ length }, () => letters[random.int(0, 25)]!).join('');
    let compared = 0;
    for (let round = 0; round < 40; round++) {
      const names = Array.from({ length: 30 }, () => word(random.int(5, 12)));
      const long = names.map((name) => `${word(4)} ${name}`);
      const many = marketOf(names.map((name, index) => [idOf(index + 1), name, long[index]!, 1]));
      const at = random.int(0, names.length - 1);
      const name = names[at]!;
      const place = random.int(0, name.length - 2);
      const mistakes = [
        name.slice(0, place) + name.slice(place + 1),
        name.slice(0, place) + letters[random.int(0, 25)]! + name.slice(place),
        name.slice(0, place) + letters[random.int(0, 25)]! + name.slice(place + 1),
        name.slice(0, place) + name[place + 1]! + name[place]! + name.slice(place + 2),
      ];
      for (const text of mistakes) {
        expect(editDistance(name, text)).toBeLessThanOrEqual(1);
        expect(editDistance(text, name)).toBe(editDistance(name, text));
        if (text.length < 4) continue;
        const ids = await searched(many, text);
        const matches = long.some((known) => known.includes(text));
        if (!matches) expect({ name, text, found: ids.includes(idOf(at + 1)) }).toEqual({ name, text, found: true });
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(100);
  });
});
