import { seeds, servedMarket } from '#libs/devkit/testing/market/market-harness.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { ApiHarness } from './api-harness.js';

/** Nothing a client sends gives a 500, and a chain that cannot be served says so and comes back. */
describe('fuzz and failures of the api', () => {
  const [seed] = seeds(1) as [number];
  const market = servedMarket(seed, { groups: 60 });
  const { token } = new NaiveMarket(market.chain, market.facts, 59).tokens()[0]!;
  let harness: ApiHarness;
  beforeEach(async () => {
    harness = await ApiHarness.start(market);
  });
  afterEach(() => harness.close());

  it('answers 503 with Retry-After before there are tables, after the other checks, and recovers', async () => {
    const path = `/tokens/eth/0x${token}`;
    for (const route of ['', '/trades', '/candles']) {
      const reply = await harness.get(path + route);
      expect({ status: reply.status, code: reply.body.error.code }).toEqual({
        status: 503,
        code: 'upstream_unavailable',
      });
      expect(reply.headers.get('retry-after')).toBe('2');
      expect((await harness.get(`${path}${route}?asOfBlock=x`)).status).toBe(400);
      expect((await harness.get(path + route, { key: null })).status).toBe(401);
    }
    const waiting = await harness.get('/ready', { key: null });
    expect(waiting.status).toBe(503);
    expect(waiting.body).toMatchObject({ ready: false, warnings: [] });
    expect(waiting.body.reasons.join()).toContain('eth');
    expect((await harness.get('/health', { key: null })).status).toBe(200);
    const chains = await harness.get('/chains');
    expect(chains.body.data[1]).toMatchObject({ chain: 'eth', head: null });
    expect(chains.body.meta).toEqual({ chains: {} });

    await harness.advance(59, 40);
    expect((await harness.get(path)).status).toBe(200);
    expect((await harness.get('/ready', { key: null })).body.ready).toBe(true);
    expect(harness.problems).toEqual([]);
  });

  it(`gives no 500, whatever is asked (seed ${seed})`, async () => {
    await harness.advance(59, 40);
    const random = new SeededRandom(seed);
    const words = [
      ...['', '0', '-1', '1', '1e9', '9007199254740993', '99999999999999999999', 'NaN', 'null', 'true', '[]', '{}'],
      ...[
        '%00',
        '%0a',
        '%27%20OR%201=1--',
        '%22',
        '%5c',
        '..',
        '%2e%2e%2f',
        'é',
        '%F0%9F%98%80',
        '%zz',
        '%',
        '+',
        '&',
        '==',
      ],
      ...[
        '__proto__',
        'constructor',
        'toString',
        '0x',
        `0x${token}`,
        '0xZZ',
        '1M',
        '1m',
        '1s',
        'native',
        'eth',
        'ETH',
        '101',
        'buy',
        '1e-30',
        `eth:0x${token}`,
        'primary',
        'volume',
        '24h',
        ',',
        ':',
        '1e300',
      ],
      ...['8640000000000000', '1700000000000', 'a'.repeat(5000), '{view_seq:Int64}', '%24%7Bx%7D', '1000', '200'],
    ];
    const names = [
      ...['from', 'to', 'limit', 'cursor', 'pool', 'wallet', 'asOfBlock', 'interval', 'currency', 'fill', 'continuous'],
      ...[
        'side',
        'minUsd',
        'explain',
        'ids',
        'tokens',
        'q',
        'window',
        'sort',
        'order',
        'minAge',
        'apiKey',
        'x',
        'wallets',
        '__proto__',
        'from[]',
        'limit[0]',
      ],
    ];
    const { next } = (await harness.get(`/tokens/eth/0x${token}/trades?limit=1`)).body ?? {};
    if (next) words.push(next);
    const routes = [
      '/trades',
      '/candles',
      '',
      '/holders',
      '/holdings',
      '/trades/x',
      '/pool',
      '/list',
      '/positions',
      '/traders',
      '/pnl',
    ];
    const lists = ['/tokens', '/prices', '/trending', '/screener', '/search', '/wallets/top'];
    const counts = new Map<number, number>();
    for (let i = 0; i < scaled(3_000); i++) {
      const chain = random.chance(0.8) ? 'eth' : random.pick(words);
      const address = random.chance(0.8) ? `0x${token}` : random.pick(words);
      const query = Array.from({ length: random.int(0, 5) }, () => `${random.pick(names)}=${random.pick(words)}`).join(
        '&',
      );
      const route = random.pick(routes);
      const ofWallet = ['/holdings', '/pnl'].includes(route) || (route === '/trades' && random.chance(0.3));
      const of = ofWallet ? 'wallets' : route === '/pool' ? 'pools' : 'tokens';
      const subject =
        route === '/list' ? random.pick(lists) : `/${of}/${chain}/${address}${route === '/pool' ? '' : route}`;
      const path = `${random.chance(0.2) ? '/v1' : ''}${subject}?${query}`;
      const reply = await harness.get(path, {
        method: random.chance(0.95) ? 'GET' : random.pick(['HEAD', 'POST', 'DELETE']),
      });
      counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1);
      expect({ path, ok: [200, 400, 401, 404, 405].includes(reply.status) }).toEqual({ path, ok: true });
    }
    expect(harness.problems).toEqual([]);
    for (const status of [200, 400, 404]) expect(counts.get(status)).toBeGreaterThan(0);
  });
});
