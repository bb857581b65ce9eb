import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import { until } from '#libs/devkit/testing/until.js';
import { RpcError, redact } from '../../rpc/rpc-error.js';
import { RpcPool, type RpcPoolOptions } from './rpc-pool.js';

interface Asked {
  id: number;
  method: string;
  params: unknown[];
}

type Reply = (asked: Asked[], response: ServerResponse, request: IncomingMessage) => void;

const servers: Server[] = [];
const pools: RpcPool[] = [];

async function node(reply: Reply): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const parsed = JSON.parse(body);
      reply(Array.isArray(parsed) ? parsed : [parsed], response, request);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3/0123456789abcdef`;
}

function pool(urls: string[], options: Partial<RpcPoolOptions> = {}): RpcPool {
  const made = new RpcPool({ urls, chainId: 1, timeoutMs: 60_000, coolDownMs: 5, maxCoolDownMs: 40, ...options });
  pools.push(made);
  return made;
}

const results = (asked: Asked[], of: (call: Asked) => unknown): unknown => {
  const answers = asked.map((call) => ({ jsonrpc: '2.0', id: call.id, result: of(call) }));
  return answers.length === 1 ? answers[0] : answers;
};

const honest: Reply = (asked, response) =>
  response.end(JSON.stringify(results(asked, ({ method, params }) => (method === 'eth_chainId' ? '0x1' : params[0]))));

afterEach(async () => {
  await Promise.all(pools.splice(0).map((made) => made.close()));
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

describe('RPC pool', () => {
  it('does not keep a node cooled down when the clock steps back', async () => {
    let asked = 0;
    const url = await node((calls, response, request) => {
      if (asked++ === 1) response.writeHead(500).end();
      else honest(calls, response, request);
    });
    const made = pool([url], { coolDownMs: 5, maxCoolDownMs: 5 });
    const before = Date.now();
    const clock = jest.spyOn(Date, 'now');
    try {
      const echo = (): Promise<number> => made.use((endpoint) => endpoint.call<number>('echo', [7]));
      const failing = made.use(async (endpoint) => {
        try {
          return await endpoint.call<number>('echo', [1]);
        } finally {
          // Once the node is cooled down.
          setImmediate(() => clock.mockImplementation(() => before - 3_600_000));
        }
      });
      expect(await failing).toBe(1);
      expect(await echo()).toBe(7);
      expect(asked).toBe(4);
    } finally {
      clock.mockRestore();
    }
  }, 20_000);

  it('matches batch answers by id, in whatever order they come', async () => {
    const url = await node((asked, response) => {
      const answers = results(asked, ({ method, params }) => (method === 'eth_chainId' ? '0x1' : params[0]));
      response.end(JSON.stringify(Array.isArray(answers) ? answers.reverse() : answers));
    });
    const calls = Array.from({ length: 30 }, (_, n) => ({ method: 'echo', params: [n] }));
    const answers = await pool([url]).use((endpoint) => endpoint.all<number>(calls));
    expect(answers).toEqual(calls.map((call) => call.params[0]));
  });

  it('keeps the errors of single calls apart', async () => {
    const url = await node((asked, response) => {
      const answers = asked.map(({ id, method, params }) =>
        params[0] === 1
          ? { id, error: { code: 3, message: 'execution reverted' } }
          : { id, result: method === 'eth_chainId' ? '0x1' : params[0] },
      );
      response.end(JSON.stringify(answers.length === 1 ? answers[0] : answers));
    });
    const answers = await pool([url]).use((endpoint) =>
      endpoint.batch([0, 1, 2].map((n) => ({ method: 'echo', params: [n] }))),
    );
    expect(answers.map((answer) => answer.error?.kind ?? answer.result)).toEqual([0, 'reverted', 2]);
  });

  it('splits a batch that the node finds too long', async () => {
    const lengths: number[] = [];
    const url = await node((asked, response, request) => {
      lengths.push(asked.length);
      if (asked.length <= 7) return honest(asked, response, request);
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch size too large' } }),
      );
    });
    const calls = Array.from({ length: 50 }, (_, n) => ({ method: 'echo', params: [n] }));
    const rpc = pool([url]);
    expect(await rpc.use((endpoint) => endpoint.all(calls))).toEqual(calls.map((call) => call.params[0]));
    const refused = lengths.filter((length) => length > 7).length;
    await rpc.use((endpoint) => endpoint.all(calls));
    expect(lengths.filter((length) => length > 7)).toHaveLength(refused); // learned
  });

  it('waits as long as it is told to, and gives up to the next node when it goes on', async () => {
    let limited = 0;
    const url = await node((asked, response, request) => {
      if (asked[0]!.method === 'eth_chainId') return honest(asked, response, request);
      if (limited++ > 0) return honest(asked, response, request);
      response.writeHead(429, { 'retry-after': '30' }).end('slow down');
    });
    const waits: [ms: number, end: () => void][] = [];
    const realTimeout = setTimeout;
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(((end: () => void, ms = 0) => {
      if (ms < 20_000 || ms > 30_001) return realTimeout(end, ms);
      waits.push([ms, end]);
      return 0;
    }) as typeof setTimeout);
    const late = pool([url]).use((endpoint) => endpoint.call('echo', ['late']));
    const steady = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now');
    try {
      await until('the wait', () => waits.length === 1);
      expect(limited).toBe(1);
      clock.mockImplementation(() => steady() + 30_000);
      waits[0]![1]();
      expect(await late).toBe('late');
      expect(limited).toBe(2);
    } finally {
      clock.mockRestore();
      timers.mockRestore();
    }

    const never = await node((asked, response, request) =>
      asked[0]!.method === 'eth_chainId'
        ? honest(asked, response, request)
        : response.end(
            JSON.stringify({
              id: asked[0]!.id,
              error: { code: -32005, message: 'rate limited', data: { backoff_seconds: 0.001 } },
            }),
          ),
    );
    const good = await node(honest);
    const rpc = pool([never, good], { rateLimitRetries: 2 });
    expect(await rpc.use((endpoint) => endpoint.call('echo', ['other']))).toBe('other');
    expect(rpc.endpoints[0]!.coolReason).toContain('rate');
  });

  it('leaves a node alone as long as it asks for, whatever else fails meanwhile', async () => {
    let asked = 0;
    const limited = await node((calls, response, request) => {
      if (calls[0]!.method === 'eth_chainId') return honest(calls, response, request);
      asked++;
      response.writeHead(429, { 'retry-after': '40' }).end();
    });
    const made = pool([limited, await node(honest)], { rateLimitRetries: 0 });
    const before = performance.now();
    for (let n = 0; n < 3; n++) expect(await made.use((endpoint) => endpoint.call('echo', [n]))).toBe(n);
    expect(asked).toBe(1);
    const [first] = made.endpoints;
    const { coolUntil } = first!;
    expect(coolUntil - before).toBeGreaterThan(39_999);
    made.blame(first!, first!.error('rate-limited', 'of a question that was on its way'));
    expect(first!.coolUntil).toBe(coolUntil);
    first!.wake();
    expect(made.preferred()).toBe(first);
  });

  it('goes to the next node for every kind of failure and returns to the first', async () => {
    const silence: Reply = () => undefined;
    const failures: Reply[] = [
      (_, response) => response.socket!.destroy(),
      (_, response) => response.writeHead(500).end('<html>'),
      (_, response) => response.end('{"jsonrpc":"2.0","id":1,"res'),
      (_, response) => response.end('[]'),
      (asked, response) => response.end(JSON.stringify({ id: asked[0]!.id + 1000, result: 1 })),
      (asked, response) => response.end(JSON.stringify({ id: asked[0]!.id })),
      (asked, response) =>
        response.end(
          JSON.stringify([
            { id: asked[0]!.id, result: 1 },
            { id: asked[0]!.id, result: 2 },
          ]),
        ),
      (_, response) => response.end('null'),
      silence,
    ];
    for (const failure of failures) {
      let failing = true;
      let asked = 0;
      const bad = await node((calls, response, request) => {
        asked++;
        if (failing) failure(calls, response, request);
        else honest(calls, response, request);
      });
      const good = await node(honest);
      // Short where nothing is answered; every other failure is seen by itself.
      const rpc = pool([bad, good], { timeoutMs: failure === silence ? 2_000 : 60_000 });
      expect(await rpc.use((endpoint) => endpoint.call('echo', [7]))).toBe(7);
      expect(asked).toBeGreaterThan(0);
      failing = false;
      const used = () =>
        rpc.use(async (endpoint) => {
          await endpoint.call('echo', [1]);
          return endpoint.index;
        });
      await until('the first node', async () => (await used()) === 0);
    }
  });

  it('throws a question that nobody can answer at once', async () => {
    let asked = 0;
    const url = await node((calls, response, request) => {
      if (calls[0]!.method === 'eth_chainId') return honest(calls, response, request);
      asked++;
      response.end(
        JSON.stringify({
          id: calls[0]!.id,
          error: { code: -32005, message: 'query returned more than 10000 results' },
        }),
      );
    });
    await expect(pool([url, url]).use((endpoint) => endpoint.call('eth_getLogs', []))).rejects.toMatchObject({
      kind: 'too-large',
    });
    expect(asked).toBe(1);
  });

  it('stops waiting when its signal aborts', async () => {
    const url = await node((_, response) => response.socket!.destroy());
    const abort = new AbortController();
    const waiting = pool([url]).use((endpoint) => endpoint.call('echo', []), abort.signal);
    setTimeout(() => abort.abort(), 30);
    await expect(waiting).rejects.toThrow();
  });

  it('bounds an answer, also a compressed one', async () => {
    const url = await node((asked, response, request) => {
      if (asked[0]!.method === 'eth_chainId') return honest(asked, response, request);
      const body = JSON.stringify({ id: asked[0]!.id, result: 'x'.repeat(100_000) });
      if (asked[0]!.method === 'zip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
      else response.end(body);
    });
    const rpc = pool([url], { maxResponseBytes: 10_000 });
    await expect(rpc.use((endpoint) => endpoint.call('plain', []))).rejects.toMatchObject({ kind: 'too-large' });
    const wide = pool([url]);
    expect(await wide.use((endpoint) => endpoint.call<string>('zip', []))).toHaveLength(100_000);
  });

  it('never shows a URL or its key', async () => {
    const url = await node((asked, response, request) => {
      if (asked[0]!.method === 'eth_chainId') return honest(asked, response, request);
      const message = `no such project 0123456789abcdef at http://example.org/secret?key=1 ${url}`;
      response.end(JSON.stringify({ id: asked[0]!.id, error: { code: 3, message: `reverted: ${message}` } }));
    });
    const error: RpcError = await pool([url])
      .use((endpoint) => endpoint.call('echo', []))
      .then(
        () => Promise.reject(new Error('no error')),
        (failure) => failure,
      );
    expect(error).toBeInstanceOf(RpcError);
    expect(error.message).toContain('rpc endpoint 1');
    expect(error.message).not.toMatch(/0123456789abcdef|127\.0\.0\.1|example\.org|secret|http/);
    expect(
      redact('wss://user:passw0rd@a.example.com/x bad passw0rd', 'wss://user:passw0rd@a.example.com/x'),
    ).not.toContain('passw0rd');
  });
});
