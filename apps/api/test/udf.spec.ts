import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import { ApiHarness } from './api-harness.js';

/** Fewer than there are resolutions: a token with a single trade has a bar of each. */
const ENOUGH = 15;

/** The token with the most trades that count. */
function busiest(naive: NaiveMarket): string {
  const counted = (id: string) =>
    naive.trades(id).filter((trade) => trade.base === id && trade.uncounted === null).length;
  return naive.tokens().sort((a, b) => counted(b.token) - counted(a.token))[0]!.token;
}

/** The requests that TradingView's charting library makes of a UDF feed, compared with the candles of the same tokens. */
describe.each(seeds(10))('TradingView UDF (seed %i)', (seed) => {
  const market = marketWith(seed, { groups: 60 }, (known) => {
    const closes = known.candles(busiest(known), '1m').filter(({ close }) => close !== null);
    return closes.length > 0 && known.tokens().some(({ symbol }) => symbol);
  });
  const last = market.facts.length - 1;
  const random = new SeededRandom(seed);
  let harness: ApiHarness;
  let naive: NaiveMarket;
  let token: string;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(last, Math.floor(last * 0.6));
    naive = new NaiveMarket(market.chain, market.facts, last);
    token = busiest(naive);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const INTERVALS: Record<string, string> = {
    ...{
      '1S': '1s',
      '5S': '5s',
      '15S': '15s',
      '30S': '30s',
      '1': '1m',
      '3': '3m',
      '5': '5m',
      '15': '15m',
      '30': '30m',
    },
    ...{
      '60': '1h',
      '120': '2h',
      '240': '4h',
      '360': '6h',
      '720': '12h',
      '1D': '1d',
      '3D': '3d',
      '1W': '1w',
      '1M': '1M',
    },
  };
  const bars = (candles: CandleBody[], volume: 'volumeUsd' | 'volumeNative') => {
    const rows = candles.filter(({ close }) => close !== null);
    return {
      ...{ s: 'ok', t: rows.map(({ time }) => time / 1000) },
      ...{ o: rows.map(({ open }) => open), h: rows.map(({ high }) => high) },
      ...{ l: rows.map(({ low }) => low), c: rows.map(({ close }) => close), v: rows.map((row) => row[volume]) },
    };
  };

  it('says what it has, and what time it is', async () => {
    const config = await harness.documented('/udf/config', 'UdfConfigAnswer');
    expect(config.supported_resolutions.sort()).toEqual(Object.keys(INTERVALS).sort());
    expect(config.exchanges.map(({ value }: { value: string }) => value)).toEqual(['', 'eth']);
    expect(config).toMatchObject({ supports_search: true, supports_group_request: false, supports_time: true });
    const time = await harness.get('/udf/time');
    expect(time.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(time.text).toMatch(/^\d{10}$/);
    for (const path of ['config', 'time', `symbols?symbol=eth:0x${token}`, 'search?query=a', 'history']) {
      expect((await harness.get(`/udf/${path}`, { key: null })).status).toBe(401);
    }
    expect((await harness.get('/v1/udf/config')).text).toBe((await harness.get('/udf/config')).text);
  });

  it('describes symbols', async () => {
    for (const { token: id, symbol, name } of naive.tokens()) {
      const body = await harness.documented(`/udf/symbols?symbol=ethereum:0x${id}`, 'UdfSymbol');
      const coin = id === market.chain.wrappedNative.token;
      expect(body).toMatchObject({
        ...{ ticker: `eth:0x${id}`, name: coin ? 'ETH' : (symbol ?? `0x${id}`), description: name ?? `eth:0x${id}` },
        ...{ type: 'crypto', session: '24x7', timezone: 'Etc/UTC', exchange: 'eth', minmov: 1, currency_code: 'USD' },
      });
      expect(Math.log10(body.pricescale) % 1).toBe(0);
    }
    const native = (await harness.get(`/udf/symbols?symbol=eth:0x${token}/native`)).body;
    expect(native).toMatchObject({ ticker: `eth:0x${token}/native`, currency_code: 'ETH' });
  });

  it('finds what the search finds', async () => {
    const { symbol } = naive.tokens().find((known) => known.symbol)!;
    const text = encodeURIComponent(symbol!);
    const rows = (await harness.get(`/search?q=${text}&limit=30`)).body.data as { address: string }[];
    const found = (await harness.get(`/udf/search?query=${text}&type=&exchange=&limit=30`)).body as {
      ticker: string;
    }[];
    expect(found.map(({ ticker }) => ticker)).toEqual(rows.map(({ address }) => `eth:${address}`));
    expect(found.length).toBeGreaterThan(0);
    const deepest = (await harness.get('/udf/search?query=&type=crypto&exchange=eth&limit=2')).body;
    const screened = (await harness.get('/screener?sort=liquidity&limit=2')).body.data as { address: string }[];
    expect(deepest.map(({ ticker }: { ticker: string }) => ticker)).toEqual(
      screened.map(({ address }) => `eth:${address}`),
    );
    expect((await harness.get('/udf/search?query=a&type=stock')).body).toEqual([]);
  });

  it('answers the bars of every resolution, by count and by time, in USD and in the coin', async () => {
    let compared = 0;
    // Some of them, and as many more as it takes to have compared a few bars.
    const asked = Object.entries(INTERVALS).filter(([resolution]) => /^(1|1M)$/.test(resolution) || random.chance(0.4));
    const others = Object.entries(INTERVALS).filter(([resolution]) => !asked.some(([known]) => known === resolution));
    for (const [n, [resolution, interval]] of [...asked, ...others].entries()) {
      if (n >= asked.length && compared > ENOUGH) break;
      for (const currency of random.chance(0.3) ? ['usd', 'native'] : ['usd']) {
        const symbol = `eth:0x${token}${currency === 'native' ? '/native' : ''}`;
        const volume = currency === 'usd' ? 'volumeUsd' : 'volumeNative';
        const candles = async (query: string): Promise<CandleBody[]> =>
          (
            await harness.get(
              `/tokens/eth/0x${token}/candles?continuous=true&interval=${interval}&currency=${currency}&${query}`,
            )
          ).body.data;
        const path = `/udf/history?symbol=${symbol}&resolution=${resolution}`;
        const far = 99_999_999_999;
        const counted = await harness.documented(`${path}&from=1&to=${far}&countback=7`, 'UdfHistoryAnswer');
        const wanted = bars(await candles('limit=7'), volume);
        expect(counted).toEqual(wanted.t.length > 0 ? wanted : { ...wanted, s: 'no_data' });
        compared += counted.t.length;
        const all = await candles('limit=40');
        if (all.length === 0) continue;
        const [first, middle] = [all[0]!.time, all[all.length >> 1]!.time];
        const ranged = await harness.documented(
          `${path}&from=${first / 1000}&to=${Math.max(middle, first + 1000) / 1000}`,
          'UdfHistoryAnswer',
        );
        const expected = bars(await candles(`limit=1000&from=${first}&to=${Math.max(middle, first + 1000)}`), volume);
        if (expected.t.length > 0) expect(ranged).toEqual(expected);
        else expect(ranged.s).toBe('no_data');
      }
    }
    expect(compared).toBeGreaterThan(ENOUGH);
  });

  it('takes letters in either case but for months, which a small one would make minutes', async () => {
    const history = (resolution: string) =>
      harness.get(`/udf/history?symbol=eth:0x${token}&resolution=${resolution}&countback=1`);
    const same = [
      ['1D', 'D', 'd', '1d'],
      ['3D', '3d'],
      ['1W', 'W', 'w', '1w'],
      ['1S', 'S', 's', '1s'],
      ['1M', 'M'],
    ];
    for (const [named, ...others] of same) {
      const { body } = await history(named!);
      for (const other of others) expect([other, (await history(other)).body]).toEqual([other, body]);
    }
    for (const resolution of ['m', '1m', '3m', '5m', '15m', '60m', '12m']) {
      const { status, body } = await history(resolution);
      expect([resolution, status]).toEqual([resolution, 400]);
      expect(body.errmsg).toContain(`resolution ${resolution} may be minutes or months`);
    }
    for (const resolution of [
      '1h',
      '1H',
      '1min',
      '1mo',
      '1MO',
      '3M',
      '12M',
      '90',
      '1440',
      '7D',
      '01',
      '-1',
      '1.5',
      '+1',
    ]) {
      const { status, body } = await history(encodeURIComponent(resolution));
      expect([resolution, status]).toEqual([resolution, 400]);
      expect(body.errmsg).toContain('resolution must be one of 1S');
    }
    const candles = (interval: string) => harness.get(`/tokens/eth/0x${token}/candles?interval=${interval}&limit=1`);
    for (const interval of ['1M', '1m']) expect((await candles(interval)).status).toBe(200);
    for (const interval of ['1D', '1H', '5M', '1S', 'm', 'M', '60']) {
      const { status, body } = await candles(interval);
      expect([interval, status, body.error.message]).toEqual([
        interval,
        400,
        expect.stringContaining('interval must be'),
      ]);
    }
  });

  it('searches from any time to any time', async () => {
    const history = (query: string) =>
      harness.documented(`/udf/history?symbol=eth:0x${token}&${query}`, 'UdfHistoryAnswer');
    // One below 1970, the year 1, the least and the most that 64 bits hold, the year 9999, and ends of numbers of clients.
    const early = ['-1', '-900000000', '-62135596800', '-9007199254740991', '-9223372036854775808'];
    const late = ['99999999999', '253402300799', '9007199254740991', '8640000000000', '9223372036854775807'];
    for (const resolution of ['1', '1D', '1W', '1M']) {
      const newest = await history(`resolution=${resolution}&countback=5`);
      const all = await history(`resolution=${resolution}&from=0`);
      expect(newest.t.length).toBeGreaterThan(0);
      for (const from of early) {
        expect(await history(`resolution=${resolution}&from=${from}`)).toEqual(all);
        expect(await history(`resolution=${resolution}&from=${from}&countback=5`)).toEqual(newest);
      }
      for (const to of late) {
        expect(await history(`resolution=${resolution}&from=0&to=${to}`)).toEqual(all);
        expect(await history(`resolution=${resolution}&from=${early[2]}&to=${to}&countback=5`)).toEqual(newest);
      }
      const none = { s: 'no_data', t: [], o: [], h: [], l: [], c: [], v: [] };
      for (const to of early) {
        expect(await history(`resolution=${resolution}&to=${to}&countback=5`)).toEqual(none);
      }
      for (const [from, to] of [
        ['-62135596800', '-900000000'],
        ['-5', '0'],
        ['-9223372036854775808', '-1'],
      ]) {
        expect(await history(`resolution=${resolution}&from=${from}&to=${to}`)).toEqual(none);
      }
      const last = all.t.at(-1);
      for (const from of late) {
        expect(await history(`resolution=${resolution}&from=${from}`)).toEqual({ ...none, nextTime: last });
        expect(await history(`resolution=${resolution}&from=${from}&countback=5`)).toEqual(newest);
      }
    }
  });

  it('says where older bars are when a time has none', async () => {
    const path = `/udf/history?symbol=eth:0x${token}&resolution=1`;
    const { t } = (await harness.get(`${path}&countback=1`)).body;
    const after = t[0] + 60;
    expect((await harness.get(`${path}&from=${after}&to=${after + 3600}`)).body).toEqual({
      ...{ s: 'no_data', t: [], o: [], h: [], l: [], c: [], v: [], nextTime: t[0] },
    });
    const before = (await harness.get(`${path}&from=1000&to=2000`)).body;
    expect(before).toEqual({ s: 'no_data', t: [], o: [], h: [], l: [], c: [], v: [] });
  });

  it('refuses in the words of the protocol', async () => {
    const history = `/udf/history?symbol=eth:0x${token}&resolution=60`;
    const cases: [string, number, string][] = [
      ['/udf/history', 400, 'symbol is required'],
      [`/udf/history?symbol=eth:0x${token}&from=1`, 400, 'resolution is required'],
      [`/udf/history?symbol=eth:0x${token}&resolution=7&from=1`, 400, 'resolution must be one of 1S'],
      [history, 400, 'from is required'],
      [`${history}&from=1767225600000`, 400, 'from must be a Unix time in seconds'],
      [`${history}&from=1&to=1767225600000`, 400, 'to must be a Unix time in seconds'],
      [`${history}&countback=5&to=1767225600000`, 400, 'to must be a Unix time in seconds'],
      [`${history}&from=x`, 400, 'from must be'],
      [`${history}&from=1.5`, 400, 'from must be'],
      [`${history}&from=NaN`, 400, 'from must be'],
      [`${history}&from=5&to=5`, 400, 'from must be before to'],
      [`${history}&from=-5&to=-6`, 400, 'from must be before to'],
      [`${history}&countback=0`, 400, 'countback must be'],
      [`/udf/history?symbol=doge:0x${token}&resolution=60&from=1`, 404, 'unknown_symbol'],
      [`/udf/history?symbol=0x${token}&resolution=60&from=1`, 404, 'unknown_symbol'],
      [`/udf/history?symbol=eth:0x${'ab'.repeat(20)}&resolution=60&from=1`, 404, 'unknown_symbol'],
      ['/udf/symbols', 400, 'symbol is required'],
      ['/udf/symbols?symbol=WETH', 404, 'unknown_symbol'],
      [`/udf/symbols?symbol=eth:0x${'ab'.repeat(20)}`, 404, 'unknown_symbol'],
      ['/udf/symbols?symbol=bsc:native', 404, 'unknown_symbol'],
      ['/udf/search?query=a&limit=0', 400, 'limit must be'],
      ['/udf/search?query=a&exchange=doge', 400, 'unknown chain'],
    ];
    for (const [path, status, message] of cases) {
      const reply = await harness.get(path);
      expect({ path, status: reply.status, keys: Object.keys(reply.body) }).toEqual({
        ...{ path, status, keys: ['s', 'errmsg'] },
      });
      expect(reply.body.s).toBe('error');
      expect(reply.body.errmsg).toContain(message);
    }
  });
});
