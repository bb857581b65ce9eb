import { type Hex, toEventSelector } from 'viem';
import type { PricedDepth } from '../closing-trade.js';
import { closingTrade } from '../closing-trade.js';
import { readMarket } from './market-view.js';
import { LocalWorld } from './test/local-world.js';
import { readAll } from './test/read-chain.js';
import { readV4Pools } from './uniswap-v4/pool-state.js';

/** What makes the local market look like one: prices agree, launches are sniped, and a creator takes the liquidity away. */
const HISTORY = 300;
/** Fees of two pools, and what the traders of one block move. */
const MOST_APART = 0.02;
const [SYNC, PAIR_CREATED] = ['Sync(uint112,uint112)', 'PairCreated(address,address,address,uint256)'].map((event) =>
  toEventSelector(event),
) as [Hex, Hex];

let world: LocalWorld;
beforeAll(async () => {
  world = await LocalWorld.start('eth', 3, HISTORY);
}, 240_000);
afterAll(() => world.close(), 60_000);

const usdOf = (token: string): { decimals: number; usd: number } =>
  world.chain.tokens.find(({ address }) => address === token) as { decimals: number; usd: number };

test('pools of one pair agree, and so do paths around a triangle, on V2, V3 and V4', async () => {
  const { chain, market, coin, stable } = world;
  const view = await readMarket(chain.rpc, chain.pools, chain.tokens, []);
  const v4 = await readV4Pools(chain.rpc, market.v4!.poolManager, chain.v4Pools);
  const named = (token: string) => (BigInt(token) === 0n ? (coin as string) : token);
  const prices: { tokens: [string, string]; state: PricedDepth; tested: boolean }[] = [
    ...view.pools.map((state) => ({
      tokens: [state.pool.token0, state.pool.token1] as [string, string],
      state,
      tested: state.pool.weight > 0,
    })),
    ...v4.map((state, n) => ({
      tokens: [named(chain.v4Pools[n]!.token0), named(chain.v4Pools[n]!.token1)] as [string, string],
      state,
      tested: BigInt(chain.v4Pools[n]!.hooks) === 0n,
    })),
  ];
  /** USD of a whole coin by each pool with a dollar, and of every other token by what it is worth in coins. */
  const coinUsd = prices
    .filter(({ tokens }) => tokens.includes(coin) && tokens.includes(stable))
    .map(({ tokens, state }) => whole(tokens, coin, state.price));
  expect(coinUsd.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...coinUsd) / Math.min(...coinUsd)).toBeLessThan(1 + MOST_APART);
  const dollars = coinUsd[0] as number;
  const worth = new Map<string, number[]>([[coin, coinUsd]]);
  for (const { tokens, state, tested } of prices) {
    const other = tokens.find((token) => token !== coin && token !== stable);
    if (!tested || other === undefined) continue;
    const base = tokens.find((token) => token === coin || token === stable);
    if (base === undefined) continue;
    const usd = whole(tokens, other, state.price) * (base === coin ? dollars : 1);
    worth.set(other, [...(worth.get(other) ?? []), usd]);
  }
  for (const [token, several] of worth) {
    const apart = Math.max(...several) / Math.min(...several) - 1;
    const taxed = chain.tokens.find(({ address }) => address === token)?.taxed;
    expect([token, apart < (taxed ? 0.06 : 2 * MOST_APART)]).toEqual([token, true]);
  }
});

/** Whole units of the other token for one whole `token`. */
function whole([token0, token1]: [string, string], token: string, price: number): number {
  const scaled = price * 10 ** (usdOf(token0).decimals - usdOf(token1).decimals);
  return token === token0 ? scaled : 1 / scaled;
}

test('snipers buy in the block of the liquidity, and its creator leaves an empty pool', async () => {
  const { chain, sites } = world;
  const { receipts } = await readAll(chain.rpc);
  const made = new Set<string>();
  /** Of each new pair: the block and the reserves of every state that it was in. */
  const states = new Map<string, { height: number; reserves: number }[]>();
  for (const [height, own] of receipts.entries()) {
    for (const { address, data, topics } of own.flatMap(({ logs }) => logs)) {
      const [first] = topics;
      if (first === PAIR_CREATED && address === sites.v2Factory) made.add(`0x${data.slice(26, 66)}`);
      if (first !== SYNC || !made.has(address)) continue;
      const reserves = Math.min(Number(`0x${data.slice(2, 66)}`), Number(`0x${data.slice(66)}`));
      states.set(address, [...(states.get(address) ?? []), { height, reserves }]);
    }
  }
  const emptied = [...states.values()].filter(
    (seen) => seen.length > 20 && seen.at(-1)!.reserves < Math.max(...seen.map(({ reserves }) => reserves)) / 1e9,
  );
  expect(emptied.map((seen) => seen.filter(({ height }) => height === seen[0]?.height).length)).toEqual([4]);
});

test('nothing is left to earn where a trade would cost more than it closes', () => {
  expect(closingTrade({ price: 1, depth0: 0n, depth1: 0n }, 1, 0.003)).toBeNull();
});
