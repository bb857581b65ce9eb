import { chainSlugs } from '#libs/chain/chains/registry.js';
import { formatDecimal, toDisplayNumber } from '#libs/core/money.js';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { backingOfPrice } from '#libs/pipeline/fold/backing.js';
import { poolLiquidityUsd } from '#libs/pipeline/fold/token-values.js';
import type { PoolBody } from '#libs/serve/contract/rest/pool-body.js';
import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import { ApiHarness } from './api-harness.js';

/** Named tokens, prices, trending, pools and the pool that sets a price, compared with the surviving blocks. */
describe.each(seeds(10))('lists of named tokens, trending and pools (seed %i)', (seed) => {
  // Something but the coin and the stables was traded within a day, and a pool sets a price.
  const market = marketWith(seed, { groups: 100, retractions: 0.1 }, (known, { chain }) => {
    const references = [chain.wrappedNative.token, ...chain.stables.map(({ token }) => token)];
    const others = known.tokens().filter(({ token }) => !references.includes(token));
    const facts = known.blocks.flatMap(({ prices }) => prices);
    const pooled = others.some(({ token }) => facts.findLast((price) => price.token === token)?.pool);
    const traded = others.some(({ token }) => known.window(token, 86_400_000).trades > 0);
    return traded && Boolean(pooled);
  });
  const last = market.facts.length - 1;
  let harness: ApiHarness;
  let naive: NaiveMarket;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(last, Math.floor(last * 0.6));
    naive = new NaiveMarket(market.chain, market.facts, last);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const coin = () => market.chain.wrappedNative.token;
  const ids = () => naive.tokens().map(({ token }) => `eth:0x${token}`);
  const number = (price: bigint | null) => (price === null ? null : toDisplayNumber(price, 36));

  it('answers named tokens in order, each once, as the route of the token does', async () => {
    const named = [...ids().reverse(), ids()[0]!, `0x${naive.tokens()[1]!.token}:1`].slice(0, 50);
    const body = await harness.documented(`/tokens?ids=${named.join(',')}`, 'TokensAnswer');
    const expected = [...new Set(ids().reverse())].map((id) => id.slice(4));
    expect(body.data.map(({ address }: { address: string }) => address)).toEqual(expected);
    for (const row of body.data) {
      const one = (await harness.get(`/tokens/eth/${row.address}`)).body;
      expect({ data: row, meta: body.meta.chains.eth }).toEqual(one);
    }
    expect(body.data.length).toBeGreaterThan(2);
  });

  it('leaves out what is no token of its chain, and refuses what no rule allows', async () => {
    const [first] = ids() as [string];
    const strangers = [
      'eth:So11111111111111111111111111111111111111112',
      `eth:0x${'ab'.repeat(20)}`,
      `bsc:0x${coin()}`,
    ];
    for (const [path, parameter] of [
      ['/tokens', 'ids'],
      ['/prices', 'tokens'],
    ]) {
      const rows = async (names: string[]) => {
        const { status, body } = await harness.get(`${path}?${parameter}=${names.join(',')}`);
        expect(status).toBe(200);
        return body.data.map(({ chain, address }: { chain: string; address: string }) => `${chain}:${address}`);
      };
      expect(await rows([...strangers, first])).toEqual([first]);
      expect(await rows(strangers)).toEqual([]);
      expect(await rows(['eth:native', `ETHEREUM:0x${coin().toUpperCase()}`, `1:0x${'e'.repeat(40)}`])).toEqual([
        `eth:0x${coin()}`,
      ]);
      expect(await rows(Array(50).fill(first))).toEqual([first]);
      const cases: [string, string][] = [
        [`?${parameter}=${Array(51).fill(first).join(',')}`, 'at most 50 tokens: it names 51'],
        [`?${parameter}=doge:0x${coin()}`, `use one of ${chainSlugs.join(', ')}`],
        [`?${parameter}=0x${coin()}`, 'chain:address'],
        [`?${parameter}=eth:a:b`, 'chain:address'],
        [`?${parameter}=${first},`, 'before and after each comma'],
        [`?${parameter}=`, 'before and after each comma'],
        ['', `${parameter} is required`],
      ];
      for (const [query, message] of cases) {
        const { status, body } = await harness.get(path + query);
        expect({ query, status, code: body.error?.code }).toEqual({ query, status: 400, code: 'bad_request' });
        expect(body.error.message).toContain(message);
        expect(body.error.message).toContain(parameter);
      }
    }
    expect((await harness.get(`/tokens?ids=${first}&asOfBlock=5`)).status).toBe(400);
    expect((await harness.get(`/prices?tokens=${first},sol:native&asOfBlock=5`)).status).toBeLessThan(500);
  });

  it('answers prices of now and of an older block', async () => {
    const coinUsd = number(naive.price(coin()));
    const body = await harness.documented(`/prices?tokens=${ids().join(',')}`, 'PricesAnswer');
    expect(body.data).toHaveLength(ids().length);
    for (const row of body.data) {
      const token = row.address.slice(2);
      const [now, before] = [naive.price(token), naive.price(token, naive.head.time - 86_400_000 + 1)];
      const change =
        now === null || before === null || before === 0n
          ? null
          : Number(((now - before) * 1_000_000n) / before) / 10_000;
      expect(row).toMatchObject({
        ...{ chain: 'eth', priceUsd: number(now), change24hPercent: change, updatedAt: naive.head.time },
      });
      // Prices have 36 decimals: far below this a ratio has too few digits.
      if (row.priceNative !== null && row.priceUsd > 1e-18)
        expect(row.priceNative / (row.priceUsd / coinUsd!)).toBeCloseTo(1, 9);
    }
    const older = naive.blocks[Math.floor(naive.blocks.length / 2)]!;
    const then = new NaiveMarket(market.chain, market.facts, last, older.height);
    const past = await harness.documented(
      `/prices?tokens=${ids().join(',')}&asOfBlock=${older.height}`,
      'PricesAnswer',
    );
    expect(past.meta.chains.eth.block).toBe(older.height);
    expect(past.data.map(({ priceUsd }: { priceUsd: number }) => priceUsd)).toEqual(
      then.tokens().length === 0
        ? []
        : ids()
            .map((id) => id.slice(6))
            .filter((token) => then.tokens().some((known) => known.token === token))
            .map((token) => number(then.price(token))),
    );
  });

  it('orders trending by its score, without coin and stables, and without thin prices', async () => {
    let listed = 0;
    for (const window of ['5m', '1h', '6h', '24h'] as const) {
      const body = await harness.documented(`/trending?window=${window}&limit=200`, 'TrendingAnswer');
      const screened = (await harness.get(`/screener?sort=score&window=${window}&limit=200`)).body;
      expect(screened.meta).toEqual(body.meta);
      const references = [coin(), ...market.chain.stables.map(({ token }) => token)].map((token) => `0x${token}`);
      const active = screened.data.filter(
        ({ stats, address, exitUsd }: ScreenerRow) =>
          stats[window].trades > 0 && !references.includes(address) && (exitUsd === null || exitUsd >= 500),
      );
      // Of the first ten the one with the least exit is the tenth.
      const top = active.slice(0, 10) as ScreenerRow[];
      const least = top.length < 10 ? [] : [top.reduce((a, b) => (b.exitUsd! <= a.exitUsd! ? b : a))];
      expect(body.data).toEqual([...top.filter((row) => row !== least[0]), ...least, ...active.slice(10)]);
      listed += active.length;
    }
    expect(listed).toBeGreaterThan(0);
    const all = (await harness.get('/trending?window=24h&chain=ethereum')).body.data;
    const walked: object[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: object[]; next: string | null } = (
        await harness.get(`/trending?window=24h&limit=1${cursor && `&cursor=${cursor}`}`)
      ).body;
      walked.push(...page.data);
      cursor = page.next;
    }
    expect(walked).toEqual(all);
    for (const query of ['window=2h', 'limit=201', 'chain=doge', 'cursor=x', 'asOfBlock=3']) {
      expect((await harness.get(`/trending?${query}`)).status).toBe(400);
    }
  });

  it('shows a pool with its tokens, its price and its own statistics', async () => {
    const references = [...market.chain.stables.map(({ token }) => token), coin()];
    const level = (token: string): number => {
      const at = references.indexOf(token);
      if (at >= 0) return at === references.length - 1 ? 1 : 0;
      return naive.blocks.flatMap((block) => block.prices).findLast((price) => price.token === token)?.level ?? 4;
    };
    const pools = new Map(naive.tokens().flatMap(({ token }) => [...naive.poolsOf(token)]));
    let priced = 0;
    for (const [id, { pool, reserve0, reserve1 }] of pools) {
      const { data } = (await harness.documented(`/pools/eth/0x${id}`, 'PoolAnswer')) as { data: PoolBody };
      const [a, b] = [pool.token0, pool.token1];
      const baseIs0 = level(a) === level(b) ? a < b : level(a) > level(b);
      const [base, quote] = baseIs0 ? [a, b] : [b, a];
      expect([data.baseToken.address, data.quoteToken.address]).toEqual([`0x${base}`, `0x${quote}`]);
      const record = (token: string) => naive.tokens().find((known) => known.token === token)!;
      const state = naive.blocks.flatMap((block) => block.poolStates).findLast((known) => known.pool === id);
      const whole = (amount: bigint | null, token: string) => {
        const { decimals } = record(token);
        return amount === null || decimals === null ? null : formatDecimal(amount, decimals);
      };
      expect(data.baseToken.reserve).toBe(whole(baseIs0 ? reserve0 : reserve1, base));
      expect(data.quoteToken.reserve).toBe(whole(baseIs0 ? reserve1 : reserve0, quote));
      const value =
        reserve0 === null || reserve1 === null || state?.setApart !== null
          ? null
          : poolLiquidityUsd(naive.values(), {
              ...{ token0: a, token1: b, reserve0, reserve1 },
              ...{ decimals0: record(a).decimals, decimals1: record(b).decimals },
            });
      expect(data.liquidityUsd).toBe(value === null ? null : toDisplayNumber(value, 18));
      const fact = naive.blocks.flatMap((block) => block.prices).findLast((price) => price.token === base);
      expect(data.setsPrice).toBe(fact?.pool === id);
      if (data.setsPrice) {
        priced++;
        expect(data.price).toBe(number(fact!.spot));
        const { parts } = backingOfPrice(fact!)!;
        if (parts.length === 1) expect(data.priceUsd).toBe(data.baseToken.priceUsd);
      }
      const day = naive.trades(base).filter((trade) => trade.pool === id && trade.time > naive.head.time - 86_400_000);
      expect(data.stats['24h']).toMatchObject({
        trades: day.length,
        buys: day.filter((trade) => (trade.side === 'buy') === (trade.base === base)).length,
        volumeUsd: toDisplayNumber(
          day.reduce((sum, { uncounted, volumeUsd }) => sum + (uncounted === 'reverted' ? 0n : (volumeUsd ?? 0n)), 0n),
          18,
        ),
      });
    }
    expect(priced).toBeGreaterThan(0);
    expect((await harness.get(`/pools/eth/0x${'ab'.repeat(20)}`)).status).toBe(404);
    for (const path of ['/pools/eth/me', '/pools/doge/0x00', `/pools/eth/0x${[...pools.keys()][0]}?asOfBlock=3`]) {
      expect((await harness.get(path)).status).toBe(400);
    }
  });

  it('knows the pool that sets a price as primary, on trades and candles', async () => {
    let compared = 0;
    for (const { token } of naive.tokens()) {
      const { data } = (await harness.get(`/tokens/eth/0x${token}`)).body;
      const fact = naive.blocks.flatMap((block) => block.prices).findLast((price) => price.token === token);
      const primary = fact?.pool ? `0x${fact.pool}` : data.pools[0]?.address;
      for (const route of ['trades', 'candles']) {
        const path = `/tokens/eth/0x${token}/${route}`;
        const found = (await harness.get(`${path}?pool=primary&limit=3`)).body;
        const expected = primary === undefined ? [] : (await harness.get(`${path}?pool=${primary}&limit=3`)).body.data;
        expect(found.data).toEqual(expected);
        compared += expected.length;
        if (found.next !== null) {
          const next = (await harness.get(`${path}?pool=primary&limit=3&cursor=${found.next}`)).body;
          const whole = (await harness.get(`${path}?pool=${primary}&limit=6`)).body.data;
          if (route === 'trades') expect([...found.data, ...next.data]).toEqual(whole);
          else expect([...next.data, ...found.data]).toEqual(whole);
        }
      }
    }
    expect(compared).toBeGreaterThan(0);
  });
});
