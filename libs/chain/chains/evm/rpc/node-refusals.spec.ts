import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '#libs/devkit/testing/until.js';
import { commonLacks } from '../../rpc/node-lacks.js';
import { NodeMemory } from '../../rpc/node-memory.js';
import { RpcPool, type RpcPoolOptions } from './rpc-pool.js';

interface Asked {
  id: number;
  method: string;
  params: unknown[];
}

/** What a node does with a request; true when it answered. */
type Refusal = (asked: Asked[], isList: boolean, response: ServerResponse) => boolean;

const servers: Server[] = [];
const pools: RpcPool[] = [];
const lengths: number[][] = [];

/** A node that echoes the first parameter of each call that it does not refuse. */
async function node(refuses: Refusal = () => false): Promise<string> {
  const own: number[] = [];
  lengths.push(own);
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const parsed = JSON.parse(Buffer.concat(parts).toString()) as Asked | Asked[];
      const asked = Array.isArray(parsed) ? parsed : [parsed];
      own.push(asked.length);
      if (refuses(asked, Array.isArray(parsed), response)) return;
      const answers = asked.map(({ id, method, params }) => ({
        id,
        result: method === 'eth_chainId' || method === 'eth_blockNumber' ? '0x1' : params[0],
      }));
      response.end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/key-0123456789`;
}

function pool(urls: string[], options: Partial<RpcPoolOptions> = {}): RpcPool {
  const made = new RpcPool({ urls, chainId: 1, timeoutMs: 2_000, coolDownMs: 5, maxCoolDownMs: 40, ...options });
  pools.push(made);
  return made;
}

const missing = (rpc: RpcPool) => commonLacks(rpc.endpoints.map((endpoint) => rpc.lacksOf(endpoint)));

const send = (response: ServerResponse, status: number, body: unknown): true => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return true;
};

beforeEach(() => lengths.splice(0));

afterEach(async () => {
  await Promise.all(pools.splice(0).map((made) => made.close()));
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

describe('a node that takes no long lists', () => {
  const error = (code: number, message: string) => ({ code, message });
  const refusals: [string, number, (length: number, isList: boolean) => boolean, (asked: Asked[]) => unknown][] = [
    [
      'a list of errors',
      500,
      (n) => n > 3,
      (asked) =>
        asked.map(({ id }) => ({ id, error: error(31, 'Batch of more than 3 requests are not allowed on free tier') })),
    ],
    ['a bare object', 500, (n) => n > 3, () => error(31, 'Batch of more than 3 requests are not allowed on free tier')],
    [
      'one error without id',
      200,
      (n) => n > 10,
      () => ({ jsonrpc: '2.0', id: null, error: error(-32014, 'too many RPC calls in batch request') }),
    ],
    ['a status of rates', 429, (n) => n > 5, () => ({ error: error(-32005, 'batch limit exceeded') })],
    [
      'no list at all',
      403,
      (_, isList) => isList,
      () => ({ error: error(-32403, 'Batch requests are only available for paid plans') }),
    ],
    ['no list at all, as a text', 400, (_, isList) => isList, () => 'JSON arrays are not accepted here'],
    ['words that say nothing', 400, (n) => n > 4, () => ({ error: error(-32600, 'Invalid request') })],
    ['words of another language', 200, (n) => n > 4, () => ({ id: null, error: error(-32000, 'Слишком много') })],
    ['an empty answer', 200, (n) => n > 4, () => []],
    ['a page', 502, (n) => n > 4, () => '<html><body>Bad gateway</body></html>'],
    [
      'calls that are counted in a second',
      429,
      (n) => n > 6,
      () => ({ error: error(-32007, '6/second request limit reached') }),
    ],
  ];

  it.each(refusals)(
    'is asked in shorter ones: %s',
    async (_, status, refuses, body) => {
      const url = await node(
        (asked, isList, response) => refuses(asked.length, isList) && send(response, status, body(asked)),
      );
      const calls = Array.from({ length: 60 }, (_each, n) => ({ method: 'echo', params: [n] }));
      const rpc = pool([url]);
      const ask = (): Promise<number[]> => rpc.use((endpoint) => endpoint.all<number>(calls));
      expect(await ask()).toEqual(calls.map(({ params }) => params[0]));
      const first = lengths[0]!.length;
      expect(await ask()).toEqual(calls.map(({ params }) => params[0]));
      // The size is known by then: hardly anything is refused.
      expect(lengths[0]!.length - first).toBeLessThanOrEqual(first);
    },
    60_000,
  );

  it('is not taken for one where it is in trouble itself', async () => {
    let trouble = true;
    const url = await node((asked, _, response) => {
      if (!trouble || asked[0]!.method === 'eth_chainId') return false;
      trouble = lengths[0]!.length < 5;
      return send(response, 500, { error: error(-32603, 'internal error') });
    });
    const calls = Array.from({ length: 60 }, (_each, n) => ({ method: 'echo', params: [n] }));
    await pool([url]).use((endpoint) => endpoint.all<number>(calls));
    expect(Math.max(...lengths[0]!)).toBe(60);
    expect(lengths[0]!.at(-1)).toBe(60);
  }, 60_000);

  it('takes a list of large calls in parts', async () => {
    const url = await node((asked, _, response) => {
      if (JSON.stringify(asked).length <= 400_000) return false;
      return send(response, 400, { error: error(-32600, 'Invalid request') });
    });
    const calls = Array.from({ length: 70 }, (_each, n) => ({ method: 'echo', params: [n, 'f'.repeat(44_000)] }));
    const rpc = pool([url]);
    expect(await rpc.use((endpoint) => endpoint.all<number>(calls))).toEqual(calls.map(({ params }) => params[0]));
    const small = Array.from({ length: 100 }, (_each, n) => ({ method: 'echo', params: [n] }));
    await rpc.use((endpoint) => endpoint.all<number>(small));
    expect(lengths[0]!.at(-1)).toBe(100);
  }, 60_000);

  it('remembers the size for the next start, without its address', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-nodes-'));
    try {
      const url = await node(
        (asked, _, response) => asked.length > 3 && send(response, 500, { error: error(31, 'batch too long') }),
      );
      const calls = Array.from({ length: 30 }, (_each, n) => ({ method: 'echo', params: [n] }));
      const path = join(dir, 'nodes.json');
      const rpc = pool([url], { memory: new NodeMemory(path) });
      await rpc.use((endpoint) => endpoint.all<number>(calls));
      await rpc.close();
      const before = lengths[0]!.length;
      const next = pool([url], { memory: new NodeMemory(path) });
      await next.use((endpoint) => endpoint.all<number>(calls));
      expect(Math.max(...lengths[0]!.slice(before))).toBeLessThanOrEqual(3);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});

describe('answers whose only fault is their form', () => {
  it.each([
    ['ids as text', (asked: Asked[]) => asked.map(({ id, params }) => ({ id: String(id), result: params[0] }))],
    ['an answer twice', (asked: Asked[]) => [...asked, asked[0]!].map(({ id, params }) => ({ id, result: params[0] }))],
    ['another order', (asked: Asked[]) => [...asked].reverse().map(({ id, params }) => ({ id, result: params[0] }))],
  ])('are taken: %s', async (_, answers) => {
    const url = await node((asked, isList, response) => isList && send(response, 200, answers(asked)));
    const calls = Array.from({ length: 5 }, (_each, n) => ({ method: 'echo', params: [n] }));
    expect(await pool([url]).use((endpoint) => endpoint.all<number>(calls))).toEqual([0, 1, 2, 3, 4]);
    expect(lengths[0]).toEqual([1, 5]);
  });
});

describe('a node that lacks something', () => {
  const lacking =
    (method: string, message: string, code = -32601): Refusal =>
    ([asked], _, response) =>
      asked!.method === method && send(response, 200, { id: asked!.id, error: { code, message } });

  it.each([
    ['a method', 'the method logs does not exist/is not available', -32601],
    ['its past', 'pruned history unavailable', 4444],
    ['what its plan leaves out', 'this method is not available on your plan', -32000],
  ])('lacks %s: the next one is asked, and remembered for that', async (_, message, code) => {
    const urls = [await node(lacking('logs', message, code)), await node()];
    const rpc = pool(urls);
    const ask = (method: string): Promise<number> =>
      rpc.use((endpoint) => endpoint.call<number>(method, [7]), undefined, { what: method, height: 10 });
    for (let n = 0; n < 3; n++) expect(await ask('logs')).toBe(7);
    for (let n = 0; n < 3; n++) expect(await ask('blocks')).toBe(7);
    // The first: the chain id, one refusal, and the other questions.
    expect(lengths.map(({ length }) => length)).toEqual([5, 4]);
    expect(rpc.lacksOf(rpc.endpoints[0]!)).toMatchObject([{ what: 'logs' }]);
    expect(missing(rpc)).toEqual([]);
  });

  it.each([
    [
      'words that say nothing',
      (id: number) => ({ id, error: { code: -32000, message: 'turned off by the operator' } }),
    ],
    ['no JSON-RPC', () => ({ ok: false })],
  ])('refuses one kind of question with %s, and answers others: it lacks that one', async (_, answer) => {
    const refuses: Refusal = ([asked], __, response) =>
      asked!.method === 'logs' && send(response, 200, answer(asked!.id));
    const rpc = pool([await node(refuses)], { unclearRefusals: 3 });
    const ask = (method: string): Promise<number> =>
      rpc.use((endpoint) => endpoint.call<number>(method, [7]), undefined, { what: method });
    await expect(ask('logs')).rejects.toMatchObject({ kind: 'method-missing' });
    expect(await ask('blocks')).toBe(7);
    expect(missing(rpc)).toMatchObject([{ what: 'logs', below: null }]);
  });

  it('has not come to a block: another one is asked first for that and later ones, and this one again once it has it', async () => {
    let head = 10;
    const behind: Refusal = ([asked], _, response) => {
      if ((asked!.params[0] as number) <= head || typeof asked!.params[0] !== 'number') return false;
      return send(response, 200, { id: asked!.id, error: { code: -32000, message: 'block is beyond current head' } });
    };
    const rpc = pool([await node(behind), await node()]);
    const ask = (height: number): Promise<number> =>
      rpc.use((endpoint) => endpoint.call<number>('logs', [height]), undefined, { what: 'logs', height });
    for (const height of [20, 21, 22, 5]) expect(await ask(height)).toBe(height);
    // The chain id, one refusal and the old block; the chain id and three new ones.
    expect(lengths.map(({ length }) => length)).toEqual([3, 4]);
    head = 30;
    await until('the first node again', async () => {
      const before = lengths[0]!.length;
      await ask(23);
      return lengths[0]!.length > before;
    });
    expect(rpc.lacksOf(rpc.endpoints[0]!)).toEqual([]);
  });

  it('is not thought to lack what it refuses while it answers nothing at all', async () => {
    let refusals = 0;
    const url = await node(([asked], _, response) => {
      if (asked!.method === 'eth_chainId' || refusals++ >= 10) return false;
      return send(response, 500, { id: asked!.id, error: { code: -32000, message: 'out of order' } });
    });
    const rpc = pool([url], { unclearRefusals: 3 });
    const task = (endpoint: RpcPool['endpoints'][number]) => endpoint.call<number>('logs', [7]);
    expect(await rpc.use(task, undefined, { what: 'logs' })).toBe(7);
    expect(refusals).toBeGreaterThan(10);
    expect(missing(rpc)).toEqual([]);
  });

  it('is asked for newer blocks than those that it dropped', async () => {
    const urls = [
      await node(
        ([asked], _, response) =>
          (asked!.params[0] as number) < 100 &&
          send(response, 200, { id: asked!.id, error: { code: 4444, message: 'pruned' } }),
      ),
      await node(),
    ];
    const rpc = pool(urls);
    for (const height of [50, 20, 200, 60, 300]) {
      await rpc.use((endpoint) => endpoint.call('logs', [height]), undefined, { what: 'logs', height });
    }
    expect(lengths.map(({ length }) => length)).toEqual([1 + 2 + 2, 1 + 3]);
  });

  it('is an error where every node lacks it, and named', async () => {
    const urls = await Promise.all([1, 2].map(() => node(lacking('logs', 'method logs not found'))));
    const rpc = pool(urls);
    await expect(rpc.use((endpoint) => endpoint.call('logs', []), undefined, { what: 'logs' })).rejects.toMatchObject({
      kind: 'method-missing',
    });
    expect(missing(rpc)).toMatchObject([{ what: 'logs', below: null }]);
  });

  it('waits for a node that has not come to a block', async () => {
    let head = 0;
    const url = await node(([asked], _, response) => {
      if (asked!.method === 'eth_chainId' || head++ >= 2) return false;
      return send(response, 200, {
        id: asked!.id,
        error: { code: -32602, message: 'block range extends beyond current head block' },
      });
    });
    expect(await pool([url]).use((endpoint) => endpoint.call<number>('logs', [7]))).toBe(7);
  });
});

describe('ranges of logs', () => {
  const width = ({ params }: Asked): number => {
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    return Number(toBlock) - Number(fromBlock) + 1;
  };
  const wider =
    (most: number, answer: (asked: Asked, response: ServerResponse) => boolean): Refusal =>
    ([asked], _, response) => {
      if (asked!.method !== 'eth_getLogs') return false;
      if (width(asked!) > most) return answer(asked!, response);
      return send(response, 200, { id: asked!.id, result: [] });
    };

  it.each<[string, (asked: Asked, response: ServerResponse) => boolean]>([
    ['silence', () => true],
    [
      'a page of a gateway',
      (_, response) => {
        response.writeHead(504).end('<html></html>');
        return true;
      },
    ],
    [
      'a deadline',
      ({ id }, response) => send(response, 200, { id, error: { code: -32000, message: 'context deadline exceeded' } }),
    ],
    [
      'a cut connection',
      (_, response) => {
        response.destroy();
        return true;
      },
    ],
    ['a rate', ({ id }, response) => send(response, 200, { id, error: { code: -32005, message: 'limit exceeded' } })],
    [
      'other words',
      ({ id }, response) => send(response, 200, { id, error: { code: -32000, message: '查询范围过大' } }),
    ],
  ])(
    'get shorter after %s, and the size is remembered',
    async (_, answer) => {
      const rpc = pool([await node(wider(8, answer))], { timeoutMs: 200, rateLimitRetries: 1 });
      const ask = (): Promise<unknown> => rpc.use((endpoint) => endpoint.logsOf(0, 63, {}));
      await ask();
      const first = lengths[0]!.length;
      await ask();
      expect(lengths[0]!.length - first).toBeLessThanOrEqual(16);
    },
    60_000,
  );
});
