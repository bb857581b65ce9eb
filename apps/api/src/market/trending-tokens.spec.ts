import { fromNumber } from '#libs/core/money.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { MarketToken } from '#libs/serve/reader/market-token.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import { trendingList } from './trending-tokens.js';

/**
 * Activity can be made up, what could be taken out cannot: an attacker with as many tokens, trades and wallets as he likes has none in
 * the first ten with less exit than the tenth, none at all with less money than a price that is not thin asks for, and gains nothing
 * by more volume or wallets than his exits bear.
 */

interface Made {
  readonly token: string;
  readonly exit: number;
  readonly volume: number;
  readonly wallets: number;
}

const listedAs = ({ token, exit, volume, wallets }: Made) =>
  ({
    token,
    level: 2,
    liquidityUsd: fromNumber(2 * exit, 18),
    worth: { exitUsd: fromNumber(exit, 18) },
    counts: () => ({ trades: wallets, buyers: wallets, sellers: 0, volumeUsd: fromNumber(volume, 18) }),
  }) as unknown as MarketToken;

async function first(tokens: readonly Made[], limit = 200): Promise<Made[]> {
  const byToken = new Map(tokens.map((made) => [made.token, made]));
  const market = {
    view: { chain: { slug: 'eth' } },
    tokens: new Map(tokens.map((made) => [made.token, listedAs(made)])),
  } as unknown as Market;
  const { first } = await trendingList('24h').first([market], limit);
  return first.map(({ token }) => byToken.get(token)!);
}

it.each(propertySeeds(scaled(300)))('has no made-up token above what its exit bears (seed %i)', async (seed) => {
  const random = new SeededRandom(seed);
  const honest = Array.from({ length: random.int(0, 40) }, (_, n): Made => {
    const exit = random.spread(100, 1e7);
    return { token: `a${n}`, exit, volume: exit * random.spread(0.01, 30), wallets: random.int(1, 5_000) };
  });
  const budget = random.spread(10, 1e6);
  const made = random.int(1, 30);
  const attacked = Array.from({ length: made }, (_, n): Made => {
    const exit = (budget / made) * random.spread(0.1, 1);
    return { token: `b${n}`, exit, volume: random.spread(1, 1e12), wallets: random.int(1, 1_000_000) };
  });
  const all = await first([...honest, ...attacked]);
  const top = all.slice(0, 10);
  if (top.length === 10) for (const { exit } of top) expect(exit).toBeGreaterThanOrEqual(top[9]!.exit);
  for (const { exit } of all) expect(exit).toBeGreaterThanOrEqual(500);
  // A shorter list is the beginning of the longer one.
  expect(await first([...honest, ...attacked], 10)).toEqual(top);
  const more = attacked.map((token) => ({
    ...token,
    volume: Math.max(token.volume, 20 * token.exit),
    wallets: Math.max(token.wallets, Math.ceil(token.exit / 10)),
  }));
  const most = more.map((token) => ({ ...token, volume: token.volume * 1e3, wallets: token.wallets * 1e3 }));
  const order = (tokens: Made[]): string[] => tokens.map(({ token }) => token);
  expect(order(await first([...honest, ...most]))).toEqual(order(await first([...honest, ...more])));
});
