import { chainSlugs } from '#libs/chain/chains/registry.js';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { screenerSorts, statsWindowNames } from '#libs/serve/contract/rest/market-queries.js';
import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import type { SearchRow } from '#libs/serve/contract/rest/search-body.js';
import { ApiHarness } from './api-harness.js';

/** Lists of tokens: what their rows say, in which order they come, what is found, and pages of them over a moving chain. */
describe.each(seeds(10))('screener and search (seed %i)', (seed) => {
  const market = marketWith(seed, { groups: 120, retractions: 0.1 }, (now, { chain, facts }) => {
    const then = new NaiveMarket(chain, facts, Math.floor((facts.length - 1) * 0.7));
    return [now, then].every((at) => at.tokens().length > 3 && at.tokens().some(({ symbol }) => symbol));
  });
  const last = market.facts.length - 1;
  const random = new SeededRandom(seed);
  let harness: ApiHarness;
  let naive: NaiveMarket;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    const at = Math.floor(last * 0.7);
    await harness.advance(at, Math.floor(last * 0.5));
    naive = new NaiveMarket(market.chain, market.facts, at);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const documented = (path: string, schema: string) => harness.documented(path, schema);
  const screened = async (query: string): Promise<ScreenerRow[]> =>
    (await documented(`/screener?limit=200&${query}`, 'ScreenerAnswer')).data;
  const found = async (text: string): Promise<SearchRow[]> =>
    (await documented(`/search?limit=200&q=${encodeURIComponent(text)}`, 'SearchAnswer')).data;
  const addresses = (rows: readonly { address: string }[]) => rows.map(({ address }) => address);

  it('shows every token once, as the route of the token does', async () => {
    const body = await documented('/screener?limit=200', 'ScreenerAnswer');
    expect(body.next).toBeNull();
    const known = naive.tokens().map(({ token }) => `0x${token}`);
    expect(addresses(body.data).sort()).toEqual(known.sort());
    for (const { score, ...row } of body.data as ScreenerRow[]) {
      const token = (await harness.get(`/tokens/eth/${row.address}`)).body;
      expect(token.meta).toEqual(body.meta.chains.eth);
      expect(token.data).toMatchObject(row);
      const { volumeUsd, buyers, sellers } = row.stats['24h'];
      const exit = row.exitUsd ?? Number.POSITIVE_INFINITY;
      const wallets = Math.min(buyers + sellers, exit / 10);
      expect(score).toBeCloseTo(Math.log1p(Math.min(volumeUsd, exit * 20)) * Math.log1p(wallets), 9);
    }
  });

  it('orders by every key, in both directions, what is not known last', async () => {
    const known = await screened('');
    for (const sort of screenerSorts) {
      if (!isMeasured(known, sort)) {
        await expectRefused(`sort=${sort}`, `${sort} is not measured on eth`);
        continue;
      }
      for (const window of statsWindowNames) {
        const value = (row: ScreenerRow): number | null => {
          const stats = row.stats[window];
          const values: Record<string, number | null> = {
            ...{ volume: stats.volumeUsd, priceChange: stats.priceChangePercent, trades: stats.trades },
            ...{ liquidity: row.liquidityUsd, price: row.priceUsd, score: row.score },
            ...{ marketCap: row.marketCapUsd, holders: row.holders, age: row.createdAt && -row.createdAt },
          };
          return values[sort]!;
        };
        for (const order of ['asc', 'desc']) {
          const rows = await screened(`sort=${sort}&order=${order}&window=${window}`);
          expect(rows.length).toBe(naive.tokens().length);
          const values = rows.map(value);
          const numbers = values.filter((number) => number !== null);
          const sorted = [...numbers].sort((a, b) => (order === 'asc' ? a - b : b - a));
          expect({ sort, order, values }).toEqual({
            sort,
            order,
            values: [...sorted, ...values.slice(numbers.length).map(() => null)],
          });
        }
      }
    }
  });

  it('keeps what meets the bounds, and nothing of which it is not known', async () => {
    const all = await screened('');
    // One with something in its pools, where there is one.
    const deep = all.filter((row) => row.liquidityUsd !== null && row.liquidityUsd > 0);
    const some = random.pick(deep.length > 0 ? deep : all.filter((row) => row.liquidityUsd !== null));
    const { liquidityUsd } = some;
    const volume = random.pick(all).stats['6h'].volumeUsd;
    const expectRows = async (query: string, keep: (row: ScreenerRow) => boolean) =>
      expect({ query, rows: addresses(await screened(query)) }).toEqual({ query, rows: addresses(all.filter(keep)) });
    const plain = (value: number) => value.toFixed(20).replace(/\.?0+$/, '');
    const bound = plain(liquidityUsd!);
    // What could be taken out is compared first.
    const isBacked = ({ exitUsd }: ScreenerRow, least: number) => exitUsd === null || exitUsd >= Math.min(least, 500);
    await expectRows(
      `minLiquidity=${bound}`,
      (row) => row.liquidityUsd !== null && row.liquidityUsd >= Number(bound) && isBacked(row, Number(bound)),
    );
    await expectRows(`maxLiquidity=${bound}`, (row) => row.liquidityUsd !== null && row.liquidityUsd <= Number(bound));
    const [least, most] = [plain(volume / 2), plain(volume)];
    const rows = await screened(`minVolume=${least}&maxVolume=${most}&window=6h`);
    const within = (row: ScreenerRow) =>
      row.stats['6h'].volumeUsd >= Number(least) && row.stats['6h'].volumeUsd <= Number(most);
    expect(addresses(rows).sort()).toEqual(addresses(all.filter(within)).sort());
    const measures = [
      { name: 'marketCap', bound: 'MarketCap', of: (row: ScreenerRow) => row.marketCapUsd },
      { name: 'holders', bound: 'Holders', of: (row: ScreenerRow) => row.holders },
      { name: 'age', bound: 'Age', of: (row: ScreenerRow) => row.createdAt },
    ];
    for (const { name, bound, of } of measures) {
      for (const query of [`min${bound}=0`, `max${bound}=1e30`]) {
        if (isMeasured(all, name)) await expectRows(query, (row) => of(row) !== null);
        else await expectRefused(query, `${name} is not measured on eth`);
      }
    }
    for (const { creator } of all.filter((row) => row.creator !== null)) {
      await expectRows(`creator=${creator}`, (row) => row.creator === creator);
    }
    await expectRefused('launchpad=pumpfun', 'launchpad pumpfun is not indexed on eth');
    if (!isMeasured(all, 'creator')) await expectRefused(`creator=${some.address}`, 'creator is not measured on eth');
  });

  const isMeasured = (rows: readonly ScreenerRow[], name: string): boolean =>
    rows.some(({ marketCapUsd, holders, createdAt, creator }) => {
      const values: Record<string, unknown> = { marketCap: marketCapUsd, holders, age: createdAt, creator };
      return !(name in values) || values[name] !== null;
    });

  const expectRefused = async (query: string, message: string): Promise<void> => {
    const { status, body } = await harness.get(`/screener?${query}`);
    expect({ query, status, message: body.error?.message }).toEqual({
      ...{ query, status: 400 },
      message: expect.stringContaining(message),
    });
  };

  it('finds tokens by address, symbol, name and pool, the best match first', async () => {
    for (const { token, symbol, name } of naive.tokens()) {
      const address = `0x${token}`;
      expect(addresses(await found(address))).toEqual([address]);
      expect(addresses(await found(` ${address.toUpperCase().replace('0X', '0x')} `))).toEqual([address]);
      expect(addresses(await found(address.slice(0, 12)))).toContain(address);
      for (const text of [symbol, name]) {
        if (text === null || text.trim() === '') continue;
        const rows = await found(text.toUpperCase());
        expect(addresses(rows)).toContain(address);
        const matches = (row: SearchRow) =>
          [row.symbol, row.name, row.address].some((value) => value?.toLowerCase().includes(text.trim().toLowerCase()));
        expect(rows.every(matches)).toBe(true);
        const exact = rows.map((row) => row.symbol?.toLowerCase() === text.toLowerCase());
        expect(exact.lastIndexOf(true)).toBe(exact.filter(Boolean).length - 1);
      }
      for (const { pool } of naive.poolsOf(token).values()) {
        const rows = addresses(await found(`0x${pool.pool}`));
        expect([...rows].sort()).toEqual([`0x${pool.token0}`, `0x${pool.token1}`].sort());
      }
    }
    expect(addresses(await found(market.chain.nativeCurrency.symbol))).toContain(
      `0x${market.chain.wrappedNative.token}`,
    );
    expect(await found('no token is called so')).toEqual([]);
    expect(await found(`0x${'ab'.repeat(20)}`)).toEqual([]);
    const text = encodeURIComponent(naive.tokens().find(({ symbol }) => symbol)!.symbol!);
    const one = await harness.get(`/search?q=${text}`);
    for (const path of [`/search?query=${text}`, `/search?search=${text}`, `/v1/search?q=${text}&chain=1`]) {
      expect((await harness.get(path)).body.data).toEqual(one.body.data);
    }
  });

  it('pages through one state while the chain moves on', async () => {
    let moved = 0;
    for (const path of [
      '/screener?sort=price&order=asc',
      '/screener?sort=volume&window=5m',
      '/search?q=0x00',
      '/search?q=e',
    ]) {
      for (const limit of [1, 3]) {
        const blockOf = ({ meta }: { meta: { chains: { eth: { block: number } } } }) => meta.chains.eth.block;
        let whole = (await harness.get(`${path}&limit=200`)).body;
        let page = (await harness.get(`${path}&limit=${limit}`)).body;
        // A list is of a moment ago: the moment of the second one may be another.
        while (blockOf(page) !== blockOf(whole)) {
          whole = (await harness.get(`${path}&limit=200`)).body;
          page = (await harness.get(`${path}&limit=${limit}`)).body;
        }
        const walked: object[] = [];
        const { meta } = page;
        expect(meta).toEqual(whole.meta);
        for (;;) {
          expect(page.meta).toEqual(meta);
          walked.push(...page.data);
          if (page.next === null) break;
          const at = harness.live.lastSeq;
          if (at < last && (moved === 0 || random.chance(0.5))) {
            await harness.advance(at + 1, random.int(harness.sink.checkpoint.seq, at + 1));
            moved++;
          }
          page = (await harness.get(`${path}&limit=${limit}&cursor=${page.next}`)).body;
        }
        expect(walked).toEqual(whole.data);
      }
    }
    expect(moved).toBeGreaterThan(0);
  });

  it('reads bounds with an exponent, and pages of another size go on where the one before ended', async () => {
    // A list is of a moment ago: once it is of the newest block it stays as it is.
    const chains = (await harness.get('/chains')).body.data as { chain: string; head: { block: number } | null }[];
    const newest = chains.find(({ chain }) => chain === 'eth')!.head!.block;
    await until('the newest block', async () => (await harness.get('/screener')).body.meta.chains.eth.block === newest);
    for (const [bound, texts] of [
      ['0', ['0e5', '0E0', '0e%2B1']],
      ['25', ['2.5e1', '0.25E2', '2.5e%2B1', '250e-1']],
    ] as const) {
      const plain = await harness.get(`/screener?minLiquidity=${bound}&limit=200`);
      expect(plain.status).toBe(200);
      // What is worth more than the second one a history may lack.
      if (bound === '0') expect(plain.body.data.length).toBeGreaterThan(0);
      for (const text of texts) {
        expect((await harness.get(`/screener?minLiquidity=${text}&limit=200`)).body.data).toEqual(plain.body.data);
      }
    }
    const all = (await harness.get('/screener?limit=200')).body.data as unknown[];
    const first = (await harness.get('/screener?limit=2')).body;
    const rest = (await harness.get(`/screener?limit=200&cursor=${first.next}`)).body;
    expect([...first.data, ...rest.data]).toEqual(all);
  });

  it('names the field and the rule of every wrong parameter', async () => {
    const next = (await harness.get('/screener?limit=1')).body.next;
    const cases: [string, string][] = [
      ['/screener?chain=doge', chainSlugs.join(', ')],
      ['/search?q=a&chain=doge', chainSlugs.join(', ')],
      ['/screener?chain=', 'chain'],
      ['/screener?sort=fame', 'sort must be one of volume, liquidity, marketCap, holders, age'],
      ['/screener?order=up', 'order must be one of desc, asc'],
      ['/screener?window=2h', 'window must be one of 5m, 1h, 6h, 24h'],
      ['/screener?limit=201', 'limit must be a whole number from 1 to 200'],
      ['/screener?limit=0', 'limit must be'],
      ['/screener?minLiquidity=-1', 'minLiquidity must be a number from 0'],
      ['/screener?minLiquidity=1e400', 'minLiquidity must be a number from 0'],
      ['/screener?minLiquidity=1e', 'minLiquidity must be a number from 0'],
      ['/screener?maxVolume=much', 'maxVolume must be'],
      ['/screener?minHolders=', 'minHolders must be'],
      ['/screener?minAge=NaN', 'minAge must be'],
      ['/screener?maxMarketCap=Infinity', 'maxMarketCap must be'],
      ['/screener?minVolume=2&maxVolume=1', 'minVolume must not be above maxVolume'],
      ['/screener?minMarketCap=2&maxMarketCap=1.5', 'minMarketCap must not be above maxMarketCap'],
      ['/screener?launchpad=unheard', 'launchpad must be one of pumpfun'],
      ['/screener?creator=me', 'creator must be an address of eth'],
      ['/screener?cursor=abc', 'cursor'],
      [`/screener?limit=1&sort=price&cursor=${next}`, 'cursor'],
      [`/search?q=a&cursor=${next}`, 'cursor'],
      ['/search', 'q is required'],
      ['/search?q=', 'q must have 1 to 128 characters'],
      ['/search?q=%20%20', 'q must have 1 to 128 characters'],
      [`/search?q=${'a'.repeat(129)}`, 'q must have 1 to 128 characters'],
      [`/search?q=${'a'.repeat(1001)}`, 'q must have at most'],
      ['/search?q=a&limit=ten', 'limit must be'],
    ];
    for (const [path, message] of cases) {
      const { status, body } = await harness.get(path);
      expect({ path, status, code: body?.error?.code }).toEqual({ path, status: 400, code: 'bad_request' });
      expect(body.error.message).toContain(message);
    }
    expect((await harness.get('/screener?chain=bsc')).status).toBe(404);
    expect((await harness.get('/screener', { key: null })).status).toBe(401);
    expect((await harness.get('/search', { key: null })).status).toBe(401);
    expect((await harness.get('/screener', { method: 'POST' })).status).toBe(405);
  });
});
