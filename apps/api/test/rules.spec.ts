import { request as rawRequest } from 'node:http';
import { connect } from 'node:net';
import { chainSlugs } from '#libs/chain/chains/registry.js';
import { randomMarket } from '#libs/devkit/testing/market/market-harness.js';
import { foldedIntervals } from '#libs/pipeline/fold/candles.js';
import { candleIntervals } from '#libs/serve/contract/rest/queries.js';
import { ApiHarness, type Reply } from './api-harness.js';

/** What holds on every route, whatever the market: keys, methods, unknown paths, parameters, headers. */
describe('rules of the market-data listener', () => {
  let harness: ApiHarness;
  let token: string;
  const market = randomMarket(20262, { groups: 60 });
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(50, 40);
    const trade = market.facts.flatMap((group) => (group.kind === 'block' ? group.trades : [])).at(-1)!;
    token = `0x${trade.base}`;
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const keyed = () => [
    '/chains',
    '/screener',
    '/search?q=a',
    '/trending',
    `/tokens?ids=eth:${token}`,
    `/prices?tokens=eth:${token}`,
    `/tokens/eth/${token}`,
    `/tokens/eth/${token}/trades`,
    `/tokens/eth/${token}/candles`,
  ];
  const open = ['/health', '/ready', '/openapi.yaml', '/asyncapi.yaml', '/llms.txt'];
  const error = (reply: Reply) => ({ status: reply.status, code: reply.body?.error?.code });
  const isError = (reply: Reply, status: number, code: string) => {
    expect(error(reply)).toEqual({ status, code });
    expect(Object.keys(reply.body)).toEqual(['error']);
    expect(Object.keys(reply.body.error)).toEqual(['code', 'message']);
  };

  it('knows exactly the intervals that the fold makes', () => {
    expect([...candleIntervals]).toEqual(foldedIntervals);
  });

  it('answers every route the same with and without /v1', async () => {
    for (const path of [...keyed(), ...open]) {
      const [plain, prefixed] = [await harness.get(path), await harness.get(`/v1${path}`)];
      expect({ path, status: plain.status }).toEqual({ path, status: 200 });
      expect(prefixed.text).toBe(plain.text);
    }
  });

  it('asks for a key on every route but the open ones', async () => {
    for (const path of keyed()) {
      for (const prefix of ['', '/v1']) {
        isError(await harness.get(prefix + path, { key: null }), 401, 'unauthorized');
        isError(await harness.get(prefix + path, { key: 'wrong' }), 401, 'unauthorized');
      }
    }
    for (const path of open) {
      expect((await harness.get(path, { key: null })).status).toBe(200);
      expect((await harness.get(path, { key: 'wrong' })).status).toBe(200);
    }
    expect((await harness.get('/chains', { key: null })).body.error.message).toContain('x-api-key');
  });

  it('takes the key from the first source present, and that one decides', async () => {
    const { key } = harness;
    const bearer = { authorization: `Bearer ${key}` };
    const cases: [string, Record<string, string>, number][] = [
      ['', { 'x-api-key': key }, 200],
      ['', bearer, 200],
      [`?apiKey=${key}`, {}, 200],
      [`?api_key=${key}`, {}, 200],
      [`?apiKey=${key}`, { 'x-api-key': 'wrong' }, 401],
      ['', { 'x-api-key': 'wrong', ...bearer }, 401],
      ['?apiKey=wrong', bearer, 200],
      [`?apiKey=${key}`, { authorization: 'Bearer wrong' }, 401],
      [`?apiKey=${key}`, { 'x-api-key': '' }, 200],
      [`?apiKey=${key}`, { authorization: 'Basic abc' }, 200],
      [`?apiKey=wrong&apiKey=${key}`, {}, 401],
      [`?apiKey=${key}&apiKey=wrong`, {}, 200],
      [`?api_key=wrong&apiKey=${key}`, {}, 200],
      [`?apiKey=&api_key=${key}`, {}, 200],
    ];
    for (const [query, headers, status] of cases) {
      const reply = await harness.get(`/chains${query}`, { key: null, headers });
      expect({ query, headers, status: reply.status }).toEqual({ query, headers, status });
    }
  });

  it('answers unknown paths with 404, before it asks for a key', async () => {
    const paths = [
      '/v1',
      '/tokens/eth',
      `/tokens/eth/${token}/holdings`,
      `/wallets/eth/${token}`,
      '/v2/chains',
      '/chains/',
      '/Chains',
    ];
    for (const path of [...paths, '/evm/quote', '/tokens/eth/a/trades/b', '/..%2f..%2fetc/passwd', '/__proto__']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        isError(await harness.get(path, { key: null, method }), 404, 'not_found');
      }
    }
  });

  it('answers a wrong method with 405, Allow and an empty body, before it asks for a key', async () => {
    for (const path of [...keyed(), ...open]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const body = method === 'POST' ? 'x'.repeat(300_000) : undefined;
        const reply = await harness.get(path, { key: null, method, body });
        expect({ path, status: reply.status, text: reply.text }).toEqual({ path, status: 405, text: '' });
        expect(reply.headers.get('allow')).toBe('GET');
        expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      }
    }
  });

  it('answers HEAD as GET', async () => {
    for (const path of [...keyed(), ...open]) {
      const [get, head] = [await harness.get(path), await harness.get(path, { method: 'HEAD' })];
      expect({ path, status: head.status, text: head.text }).toEqual({ path, status: 200, text: '' });
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    }
    expect((await harness.get('/chains', { method: 'HEAD', key: null })).status).toBe(401);
    expect((await harness.get('/nothing', { method: 'HEAD' })).status).toBe(404);
  });

  it('lets every origin in and answers preflights without a key', async () => {
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    const reply = await harness.get('/chains', { key: null, method: 'OPTIONS', headers: preflight });
    expect({ status: reply.status, text: reply.text }).toEqual({ status: 204, text: '' });
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-allow-methods')).toContain('GET');
    expect(reply.headers.get('access-control-allow-headers')).toContain('x-api-key');
    for (const path of ['/chains', '/nothing', '/health']) {
      const answer = await harness.get(path, { key: null });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      const exposed = answer.headers.get('access-control-expose-headers')!;
      for (const name of ['retry-after', 'x-request-id', 'ratelimit-limit', 'x-credits-remaining']) {
        expect(exposed).toContain(name);
      }
    }
  });

  it('names each request, and takes over a plain name that the client gave', async () => {
    const [one, two] = [await harness.get('/health'), await harness.get('/nothing')];
    expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'));
    const named = await harness.get('/health', { headers: { 'x-request-id': 'trace-1:a.b' } });
    expect(named.headers.get('x-request-id')).toBe('trace-1:a.b');
    const odd = await harness.get('/health', { headers: { 'x-request-id': 'a b"<c>' } });
    expect(odd.headers.get('x-request-id')).not.toContain('<');
  });

  it('compresses what is worth it and answers 304 to who has it', async () => {
    const path = `/tokens/eth/${token}/trades?limit=200`;
    const plain = await harness.get(path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    for (const encoding of ['br', 'gzip']) {
      const packed = await harness.get(path, { headers: { 'accept-encoding': encoding } });
      expect(packed.headers.get('content-encoding')).toBe(encoding);
      expect(packed.headers.get('vary')).toContain('accept-encoding');
      expect(packed.text).toBe(plain.text);
    }
    const etag = plain.headers.get('etag')!;
    const again = await harness.get(path, { headers: { 'if-none-match': `"x", ${etag}` } });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
    expect((await harness.get(path, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
    expect((await harness.get('/health')).headers.get('content-encoding')).toBeNull();
  });

  it('takes a chain by slug, alias or id in any case', async () => {
    const slug = await harness.get(`/tokens/eth/${token}`);
    for (const name of ['ETH', 'ethereum', 'Ethereum', '1']) {
      expect((await harness.get(`/tokens/${name}/${token}`)).text).toBe(slug.text);
    }
    expect((await harness.get(`/tokens/eth/${token.toUpperCase().replace('0X', '0x')}`)).text).toBe(slug.text);
  });

  it('names the valid slugs for an unknown chain, and says what it serves for a known one', async () => {
    for (const name of ['foo', '2', 'eth%20', '__proto__', '%00', 'x'.repeat(300), '%F0%9F%90%B3']) {
      const reply = await harness.get(`/tokens/${name}/${token}`);
      isError(reply, 400, 'bad_request');
      expect(reply.body.error.message).toContain(chainSlugs.join(', '));
      expect(reply.body.error.message).toContain('chain');
    }
    const known = await harness.get(`/tokens/bsc/${token}`);
    isError(known, 404, 'not_found');
    expect(known.body.error.message).toContain('serves eth');
  });

  it('names the field and the rule of every wrong parameter', async () => {
    const trades = `/tokens/eth/${token}/trades`;
    const candles = `/tokens/eth/${token}/candles`;
    const cases: [string, string][] = [
      ['/tokens/eth/0x12', 'address must be'],
      [`/tokens/eth/${token}00`, 'address must be'],
      ['/tokens/eth/So11111111111111111111111111111111111111112/trades', 'address must be'],
      [`/tokens/eth/${'a'.repeat(2000)}/candles`, 'address must be'],
      [`${trades}?limit=0`, 'limit must be a whole number from 1 to 200'],
      [`${trades}?limit=201`, 'limit must be'],
      [`${trades}?limit=ten`, 'limit must be'],
      [`${trades}?limit=`, 'limit must be'],
      [`${trades}?limit=1e1`, 'limit must be'],
      [`${trades}?from=-1`, 'from must be'],
      [`${trades}?from=yesterday`, 'from must be'],
      [`${trades}?to=1.5`, 'to must be'],
      [`${trades}?from=1700000000005&to=1700000000005`, 'from must be before to'],
      [`${trades}?from=1700000000006&to=1700000000005`, 'from must be before to'],
      [`${candles}?from=1700000000006&to=1700000000005`, 'from must be before to'],
      [`${trades}?from=1700000000`, 'milliseconds'],
      [`${trades}?to=99999999999`, 'milliseconds'],
      [`${candles}?from=1700000000&to=1700003600`, 'milliseconds'],
      ['/screener?asOfBlock=5', 'asOfBlock is not taken by this route'],
      ['/search?q=a&asOfBlock=5', 'asOfBlock is not taken by this route'],
      ['/chains?asOfBlock=', 'asOfBlock is not taken by this route'],
      ['/status?asOfBlock=latest', 'asOfBlock is not taken by this route'],
      [`/stream/trades?chain=eth&token=${token}&asOfBlock=5`, 'asOfBlock is not taken by this route'],
      [`${trades}?pool=abc`, 'pool must be an address'],
      [
        `${trades}?pool=0x${'a'.repeat(63)}`,
        'pool must be an address of eth: 0x and 40 hex digits, or 64 for a pool id',
      ],
      [`${trades}?wallet=0x`, 'wallet must be an address'],
      [`${trades}?side=both`, 'side must be one of buy, sell'],
      [`${trades}?minUsd=-1`, 'minUsd must be a number from 0'],
      [`${trades}?minUsd=much`, 'minUsd must be a number from 0'],
      [`${trades}?cursor=abc`, 'cursor'],
      [`${trades}?cursor=`, 'cursor'],
      [`${trades}?cursor=${'A'.repeat(3000)}`, 'cursor must have at most'],
      [`${trades}?asOfBlock=latest`, 'asOfBlock must be'],
      [`${trades}?asOfBlock=999999999`, 'asOfBlock must be an indexed block'],
      [`${trades}?asOfBlock=0`, 'asOfBlock must be an indexed block'],
      [`${candles}?interval=7m`, 'interval must be one of 1s, 5s, 15s, 30s, 1m, 3m'],
      [`${candles}?interval=1H`, 'interval must be one of'],
      [`${candles}?limit=1001`, 'limit must be a whole number from 1 to 1000'],
      [`${candles}?currency=eur`, 'currency must be one of usd, native'],
      [`${candles}?fill=maybe`, 'fill must be true or false'],
      [`${candles}?continuous=2`, 'continuous must be true or false'],
      [`/tokens/eth/${token}?asOfBlock=-5`, 'asOfBlock must be'],
    ];
    for (const [path, message] of cases) {
      const reply = await harness.get(path);
      expect({ path, ...error(reply) }).toEqual({ path, status: 400, code: 'bad_request' });
      expect(reply.body.error.message).toContain(message);
    }
    // The first of a repeated parameter counts; unknown ones are ignored; the key comes before the parameters.
    expect((await harness.get(`${trades}?limit=1&limit=x&foo=bar`)).body.data).toHaveLength(1);
    isError(await harness.get(`${trades}?limit=x`, { key: null }), 401, 'unauthorized');
  });

  it('takes `native` and the all-e address for the coin on every route, and 0X for 0x', async () => {
    const coin = `0x${market.chain.wrappedNative.token}`;
    for (const route of ['', '/trades?limit=3', '/candles?limit=3']) {
      const plain = await harness.get(`/tokens/eth/${coin}${route}`);
      expect(plain.status).toBe(200);
      const names = ['native', 'NATIVE', `0x${'e'.repeat(40)}`, `0X${'E'.repeat(40)}`, coin.replace('0x', '0X')];
      for (const name of names) {
        const { status, body } = await harness.get(`/tokens/eth/${name}${route}`);
        expect({ name, status, data: body.data }).toEqual({ name, status: 200, data: plain.body.data });
      }
    }
    const found = await harness.get(`/search?chain=eth&q=0x${'e'.repeat(40)}`);
    expect(found.body.data.map((row: { address: string }) => row.address)).toEqual([coin]);
  });

  it('answers 404 for a token that no source knows, on every route', async () => {
    const unknown = `0x${'ab'.repeat(20)}`;
    for (const route of ['', '/trades', '/candles']) {
      const reply = await harness.get(`/tokens/eth/${unknown}${route}`);
      isError(reply, 404, 'not_found');
      expect(reply.body.error.message).toContain(unknown);
    }
  });

  it('survives what no client library would send', async () => {
    const status = (path: string, method = 'GET') =>
      new Promise<number>((resolve, reject) => {
        const sent = rawRequest(
          harness.api.url,
          { path, method, headers: { 'x-api-key': harness.key } },
          (response) => {
            response.resume();
            response.on('end', () => resolve(response.statusCode!));
          },
        );
        sent.on('error', reject);
        sent.end();
      });
    expect(await status('/tokens/%zz/0x')).toBe(400);
    expect(await status('//')).toBe(404);
    expect(await status('/tokens//x')).toBeGreaterThanOrEqual(400);
    expect(await status(`/chains?${'a=1&'.repeat(3000)}`)).toBe(200);
    expect(await status('/chains?%zz=%zz&apiKey[]=x&__proto__=1')).toBe(200);
    expect(await status('/chains', 'PROPFIND')).toBe(405);
    const { port } = new URL(harness.api.url);
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('NOT HTTP AT ALL\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    expect(reply).toContain('400 Bad Request');
    expect(JSON.parse(reply.slice(reply.indexOf('{')))).toMatchObject({ error: { code: 'bad_request' } });
  });
});
