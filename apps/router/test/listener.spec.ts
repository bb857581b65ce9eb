import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { Worker } from 'node:worker_threads';
import { RouterHarness, WALLET } from './router-harness.js';

/** What every route of the router does before its own rules: paths, methods, keys, sizes, and the order of the checks. */
describe('router listener', () => {
  let harness: RouterHarness;
  beforeAll(async () => {
    harness = await RouterHarness.start({ keys: true });
  });
  afterAll(() => harness.close());

  const OPEN = ['/health', '/ready', '/openapi.yaml', '/evm/health', '/evm/ready'];
  const ALLOW: Record<string, string> = {
    ...Object.fromEntries(OPEN.map((path) => [path, 'GET'])),
    '/evm/quote': 'GET, POST',
    '/evm/swap': 'POST',
    '/evm/swap-instructions': 'POST',
    '/evm/venues': 'GET',
    '/evm/chains': 'GET',
    '/quote': 'GET, POST',
    '/swap': 'POST',
    '/swap-instructions': 'POST',
    '/transaction': 'POST',
    '/transactions': 'POST',
    '/venues': 'GET',
    '/program-id-to-label': 'GET',
    '/receipts': 'GET',
  };

  it.each(['/health', '/evm/health'])('%s is open', async (path) => {
    const answer = await harness.get(path, { key: null });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ status: 'ok', version: '1.2.3' });
  });

  it.each([
    '/',
    '/evm',
    '/evm/',
    '/evm/x',
    '/evm/build',
    '/evm/deployments',
    '/evm/health/live',
    '/evm/health/ready',
    '/evm/quote/x',
    '/EVM/quote',
    '/v1/evm/quote',
    '/swap/x',
  ])('%s is an unknown path, without a key too', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
      const answer = await harness.get(path, { method, key: null });
      expect(answer.status).toBe(404);
      expect(Object.keys(answer.body)).toEqual(['error', 'reason']);
      expect(answer.body.error).toBe('not_found');
    }
  });

  it.each(Object.entries(ALLOW))('%s answers other methods with 405, Allow and no body', async (path, allow) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      if (allow.split(', ').includes(method)) continue;
      const answer = await harness.get(`${path}?x=1`, { method, key: null });
      expect({ status: answer.status, allow: answer.headers.get('allow'), text: answer.text }).toEqual({
        status: 405,
        allow,
        text: '',
      });
    }
  });

  it.each(Object.entries(ALLOW))('%s answers a preflight', async (path, allow) => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const answer = await harness.get(path, { method: 'OPTIONS', key: null, headers });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    expect(answer.headers.get('access-control-allow-headers')).toContain('x-api-key');
    expect(answer.headers.get('access-control-allow-headers')).toContain('content-type');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('answers HEAD as GET', async () => {
    const query = new URLSearchParams(harness.usual());
    for (const path of [...OPEN, '/evm/venues', '/evm/chains', `/evm/quote?${query}`, '/evm/quote?chain=x']) {
      const [get, head] = [await harness.get(path), await harness.get(path, { method: 'HEAD' })].map((answer) => ({
        status: answer.status,
        type: answer.headers.get('content-type'),
      }));
      expect(head).toEqual(get);
    }
  });

  it('asks for a key where data is answered', async () => {
    for (const key of [null, 'tp_wrong']) {
      for (const path of ['/evm/venues', '/evm/chains', '/evm/quote']) {
        const answer = await harness.get(path, { key });
        expect(answer.status).toBe(401);
        expect(answer.body).toEqual({ error: { code: 'unauthorized', message: expect.stringContaining('x-api-key') } });
      }
      for (const path of ['/evm/quote', '/evm/swap', '/evm/swap-instructions']) {
        const answer = await harness.post(path, '{', { key });
        expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthorized']);
      }
    }
    for (const path of OPEN) expect((await fetch(harness.router.url + path)).status).toBe(200);
    expect(
      (await harness.get('/evm/venues', { key: null, headers: { authorization: `Bearer ${harness.key}` } })).status,
    ).toBe(200);
    expect((await harness.get(`/evm/venues?apiKey=${harness.key}`, { key: null })).status).toBe(200);
  });

  it('checks in order: key, size, parameters, readiness', async () => {
    const large = JSON.stringify({ pad: 'x'.repeat(262_200) });
    const unready = { ...harness.usual(), chain: 'chaind' };
    harness.chain('chaind').present = false;
    const post = async (body: unknown, key: string | null) => {
      const answer = await harness.post('/evm/quote', body, { key });
      return answer.body.error.code ?? answer.body.error;
    };
    expect(await post(large, null)).toBe('unauthorized');
    expect(await post(large, harness.key)).toBe('too_large');
    expect(await post({ ...unready, amount: 'x' }, harness.key)).toBe('bad_request');
    expect(await post({ ...unready, excludeDexes: 'uniswap' }, harness.key)).toBe('not_ready');
    harness.chain('chaind').present = true;
    expect(await post({ ...unready, excludeDexes: 'uniswap' }, harness.key)).toBe('no_route');
  });

  describe('bodies', () => {
    const padded = (bytes: number): string => {
      const usual = harness.usual();
      const bare = JSON.stringify({ ...usual, pad: '' }).length;
      return JSON.stringify({ ...usual, pad: 'x'.repeat(bytes - bare) });
    };

    it('takes 262,144 bytes and not one more', async () => {
      expect(padded(262_144)).toHaveLength(262_144);
      expect((await harness.post('/evm/quote', padded(262_144))).status).toBe(200);
      for (const path of ['/evm/quote', '/evm/swap', '/evm/swap-instructions']) {
        const refused = await harness.post(path, padded(262_145));
        expect([refused.status, refused.body.error]).toEqual([413, 'too_large']);
        expect(Object.keys(refused.body)).toEqual(['error', 'reason']);
      }
    });

    it('counts the same without a content length', async () => {
      expect((await chunked(harness, padded(262_144))).status).toBe(200);
      const refused = await chunked(harness, padded(262_145));
      expect(refused.status).toBe(413);
      expect(JSON.parse(refused.text).error).toBe('too_large');
    });

    it('is told even when the client sends a lot more than it may', async () => {
      const refused = await harness.post('/evm/quote', 'x'.repeat(4_000_000));
      expect([refused.status, refused.body.error]).toEqual([413, 'too_large']);
    });

    it.each([
      undefined,
      'text/plain',
      'application/json',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'nonsense',
      ';;;',
    ])('are read as JSON whatever their type (%s)', async (type) => {
      const body = new TextEncoder().encode(JSON.stringify(harness.usual()));
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const answer = await harness.get('/evm/quote', { method: 'POST', body, headers });
      expect(answer.status).toBe(200);
    });

    it.each(['', '{', 'null', '[]', '"x"', '1', '{"chain":}', '\uFEFF', '{} {}', '[{}]', '{"a":1e}'])(
      '%j is refused',
      async (body) => {
        for (const path of ['/evm/quote', '/evm/swap']) {
          const answer = await harness.post(path, body);
          expect([answer.status, answer.body.error]).toEqual([400, 'bad_request']);
          expect(answer.body.reason).toContain('the body');
        }
      },
    );

    it('that are no UTF-8 are refused', async () => {
      const body = Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
      const answer = await harness.get('/evm/quote', { method: 'POST', body });
      expect([answer.status, answer.body.reason]).toEqual([400, 'the body must be a JSON object in UTF-8']);
    });
  });

  it('reads no broken path as an error of its own', async () => {
    const answer = await harness.get('/evm/%zz', { key: null });
    expect([answer.status, answer.body.error]).toEqual([400, 'bad_request']);
  });

  it('lets more connections wait than a burst has, while it is busy', async () => {
    const { hostname, port } = new URL(harness.router.url);
    const state = new Int32Array(new SharedArrayBuffer(8));
    // The system's own bound of one listener.
    const wanted = Math.min(1_500, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')));
    const worker = new Worker(CONNECT, { eval: true, workerData: { hostname, port: Number(port), wanted, state } });
    // Nothing is accepted meanwhile: this thread is kept busy until all have come through or no more do.
    while (Atomics.load(state, 1) === 0) Atomics.wait(state, 1, 0);
    const connected = Atomics.load(state, 0);
    await worker.terminate();
    expect(connected).toBe(wanted);
    expect((await harness.get('/health')).status).toBe(200);
  });

  it('is no WebSocket anywhere', async () => {
    for (const path of ['/', '/ws', '/evm/quote', '/evm/stream']) {
      const status = await new Promise((resolve, reject) => {
        const request = httpRequest(harness.router.url + path, {
          headers: {
            connection: 'Upgrade',
            upgrade: 'websocket',
            'sec-websocket-version': '13',
            'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          },
        });
        request.on('upgrade', (_response, socket) => {
          socket.destroy();
          resolve(101);
        });
        request.on('response', (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        request.on('error', reject);
        request.end();
      });
      expect([400, 401, 404]).toContain(status);
    }
  });

  it('answers with the id of the request and never a stack', async () => {
    harness.chain('eth').build = () => Promise.reject(new Error(`secret https://node.example/${'k'.repeat(20)}`));
    const quote = (await harness.quote()).body;
    const headers = { 'x-request-id': 'mine-1' };
    const answer = await harness.post('/evm/swap', { quoteResponse: quote, userPublicKey: WALLET }, { headers });
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ error: 'internal', reason: expect.stringContaining('mine-1') });
    expect(answer.headers.get('x-request-id')).toBe('mine-1');
    expect(answer.text).not.toContain('node.example');
    expect(harness.problems).toHaveLength(1);
  });
});

function chunked(harness: RouterHarness, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': harness.key!, 'transfer-encoding': 'chunked' };
    const request = httpRequest(`${harness.router.url}/evm/quote`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    });
    request.on('error', reject);
    for (let at = 0; at < body.length; at += 50_000) request.write(body.slice(at, at + 50_000));
    request.end();
  });
}

/** Opens connections, counts those that are established, and is done when all are or when none came for half a minute. */
const CONNECT = `
  const { connect } = require('node:net');
  const { workerData: { hostname, port, wanted, state } } = require('node:worker_threads');
  const done = () => { Atomics.store(state, 1, 1); Atomics.notify(state, 1); };
  let quiet = setTimeout(done, 30_000);
  for (let n = 0; n < wanted; n++) {
    connect(port, hostname, () => {
      quiet.refresh();
      if (Atomics.add(state, 0, 1) + 1 === wanted) done();
    }).on('error', () => undefined);
  }
`;
