import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { hostileUrls } from '#libs/devkit/testing/hostile-urls.js';
import { type FetchParts, type FetchRules, guardedFetch } from './guarded-fetch.js';
import { type Gateways, readSource } from './media-source.js';
import { OutboundRefusal, type RefusalReason } from './outbound-refusal.js';
import { isPublicAddress } from './public-address.js';
import { publicUrl } from './public-url.js';

const rules: FetchRules = {
  schemes: ['https', 'http'],
  types: ['image/png', 'application/json'],
  maxBytes: 10_000,
  timeoutMs: 5_000,
};

async function refusal(work: () => unknown): Promise<RefusalReason | 'let through' | string> {
  try {
    await work();
    return 'let through';
  } catch (error) {
    return error instanceof OutboundRefusal ? error.reason : String(error);
  }
}

/** A connection to any of these would be an attack that worked: no request of this spec leaves the machine. */
const noDns: FetchParts = {
  resolve: async (host) => {
    throw new Error(`${host} was looked up`);
  },
};

describe('URLs of strangers', () => {
  it('refuses every hostile one before anything is looked up or opened', async () => {
    let refused = 0;
    for (const [reason, urls] of hostileUrls) {
      for (const url of urls) {
        expect({ url, reason: await refusal(() => guardedFetch(url, rules, noDns)) }).toEqual({ url, reason });
        refused++;
      }
    }
    expect(refused).toBeGreaterThanOrEqual(90);
  });

  it('lets public ones through, and of others the exact origins that are trusted', () => {
    for (const url of [
      'https://example.com/a?b=c#d',
      'http://8.8.8.8/',
      'https://[2606:4700::1111]/',
      'https://例え.jp/',
    ]) {
      expect(() => publicUrl(url, rules)).not.toThrow();
    }
    const trusting = { ...rules, trustedOrigins: new Set(['http://127.0.0.1:8899']) };
    expect(publicUrl('http://127.0.0.1:8899/x', trusting).href).toBe('http://127.0.0.1:8899/x');
    for (const url of [
      'http://127.0.0.1:8898/',
      'https://127.0.0.1:8899/',
      'http://127.0.0.1/',
      'http://localhost:8899/',
    ]) {
      expect(() => publicUrl(url, trusting)).toThrow(OutboundRefusal);
    }
    expect(publicUrl('https://example.com:8443/', { ...rules, ports: [8443] }).port).toBe('8443');
    expect(() => publicUrl('http://example.com/', { ...rules, schemes: ['https'] })).toThrow(OutboundRefusal);
  });

  it('knows public addresses at the edges of every range', () => {
    const [open, closed] = [
      [
        '1.1.1.1',
        '9.255.255.255',
        '11.0.0.0',
        '100.63.255.255',
        '100.128.0.0',
        '126.255.255.255',
        '172.15.0.1',
        '172.32.0.0',
      ],
      [
        '10.255.255.255',
        '127.0.0.0',
        '169.254.0.0',
        '172.31.0.0',
        '192.168.255.255',
        '223.255.255.255.1',
        'x',
        '',
        '::',
      ],
    ];
    for (const address of [...open!, '223.255.255.255', '2a00::1', '2600::', '2001:4860:4860::8888']) {
      expect({ address, is: isPublicAddress(address) }).toEqual({ address, is: true });
    }
    for (const address of [...closed!, '2001:10::1', '4000::1', 'fe80::1%lo', '2a00::1%eth0']) {
      expect({ address, is: isPublicAddress(address) }).toEqual({ address, is: false });
    }
  });
});

describe('names that lead somewhere else', () => {
  const resolving = (addresses: string[]): FetchParts => ({
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  });

  it('refuses a name with any address that is not public', async () => {
    const inner = [
      ['127.0.0.1'],
      ['::1'],
      ['10.1.2.3'],
      ['169.254.169.254'],
      ['::ffff:127.0.0.1'],
      ['8.8.8.8', '127.0.0.1'],
      ['2606:4700::1111', 'fd00::1'],
      ['not an address'],
      ['0.0.0.0'],
    ];
    for (const addresses of inner) {
      const reason = await refusal(() => guardedFetch('https://name.example.com/', rules, resolving(addresses)));
      expect({ addresses, reason }).toEqual({ addresses, reason: 'address' });
    }
    expect(await refusal(() => guardedFetch('https://name.example.com/', rules, resolving([])))).toBe('network');
    expect(await refusal(() => guardedFetch('https://name.example.com/', rules, noDns))).toBe('network');
    const never: FetchParts = { resolve: () => new Promise(() => undefined) };
    expect(await refusal(() => guardedFetch('https://name.example.com/', { ...rules, timeoutMs: 30 }, never))).toBe(
      'time',
    );
  });

  it('connects to what was checked, whatever the name leads to a moment later', async () => {
    const good = await serving((_request, response) => png(response));
    const inner = await serving((_request, response) => png(response), '127.0.0.1', port(good));
    let looks = 0;
    const changing: FetchParts = {
      isPublic: (address) => address === '127.0.0.2',
      resolve: async () => [{ address: looks++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }],
    };
    const url = `http://name.example.com:${port(good)}/`;
    const open = { ...rules, ports: [port(good)] };
    expect((await guardedFetch(url, open, changing)).body.toString()).toBe('picture');
    expect([looks, good.hits, inner.hits]).toEqual([1, 1, 0]);
    // The next request looks again, and is refused.
    expect(await refusal(() => guardedFetch(url, open, changing))).toBe('address');
    expect([looks, inner.hits]).toEqual([2, 0]);
  });
});

describe('servers that misbehave', () => {
  const answers: Record<string, [RefusalReason, RequestListener]> = {
    'redirect to loopback': ['port', (_q, r) => redirect(r, `http://127.0.0.1:${secret}/`)],
    'redirect to loopback by its plain port': ['address', (_q, r) => redirect(r, 'http://127.0.0.1/')],
    'redirect to a cloud': ['address', (_q, r) => redirect(r, 'http://169.254.169.254/latest/')],
    'redirect by a number': ['address', (_q, r) => redirect(r, 'http://2130706433/', 308)],
    'redirect to a file': ['scheme', (_q, r) => redirect(r, 'file:///etc/passwd', 301)],
    'redirect to a name inside': ['host', (_q, r) => redirect(r, 'http://localhost/', 307)],
    'redirect with a user': ['credentials', (_q, r) => redirect(r, 'http://a@example.com/', 303)],
    'redirect without a scheme': ['address', (_q, r) => redirect(r, '//127.0.0.1/')],
    'redirect to nowhere': ['redirects', (_q, r) => redirect(r, 'http://[')],
    'redirect without a place': ['redirects', (_q, r) => r.writeHead(302).end()],
    'redirect in a circle': ['redirects', (_q, r) => redirect(r, '/again')],
    'chain of redirects': ['address', (q, r) => redirect(r, q.url!.length < 3 ? `${q.url}x` : 'http://10.0.0.1/')],
    'no such file': ['status', (_q, r) => r.writeHead(404, { 'content-type': 'image/png' }).end('x')],
    'a part of it': ['status', (_q, r) => r.writeHead(206, { 'content-type': 'image/png' }).end('x')],
    'not changed': ['status', (_q, r) => r.writeHead(304).end()],
    failure: ['status', (_q, r) => r.writeHead(500).end('x')],
    'web page': ['type', (_q, r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    SVG: ['type', (_q, r) => r.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>')],
    'no type': ['type', (_q, r) => r.writeHead(200).end('x')],
    'type in a parameter': ['type', (_q, r) => r.writeHead(200, { 'content-type': 'text/html; image/png' }).end('x')],
    'compressed bomb': [
      'type',
      (_q, r) =>
        r.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1e6))),
    ],
    'large by its own word': [
      'size',
      (_q, r) => r.writeHead(200, { 'content-type': 'image/png', 'content-length': '99999999999' }).write('x'),
    ],
    'large without a word': [
      'size',
      (_q, r) => r.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(10_001)),
    ],
    'without an end': [
      'size',
      (_q, r) => {
        r.writeHead(200, { 'content-type': 'image/png' });
        const more = (): void => {
          if (r.destroyed) return;
          r.write(Buffer.alloc(2_000));
          setImmediate(more);
        };
        more();
      },
    ],
    'shorter than its word': [
      'network',
      (q, r) => {
        r.writeHead(200, { 'content-type': 'image/png', 'content-length': '500' });
        r.write('x', () => q.socket.destroy());
      },
    ],
    'headers without end': ['network', (_q, r) => r.writeHead(200, { 'x-large': 'x'.repeat(40_000) }).end()],
    'broken protocol': ['network', (q) => q.socket.end('nonsense\r\n\r\n')],
    'hung up': ['network', (q) => q.socket.destroy()],
    'another protocol': [
      'status',
      (q) => q.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
  };
  let secret: number;

  it('refuses every one of them', async () => {
    const inside = await serving((_request, response) => png(response));
    secret = port(inside);
    for (const [name, [reason, answer]] of Object.entries(answers)) {
      const server = await serving(answer);
      const trusting = { ...rules, trustedOrigins: new Set([server.url]) };
      expect({ name, reason: await refusal(() => guardedFetch(`${server.url}/`, trusting)) }).toEqual({ name, reason });
      expect({ name, asked: server.hits > 0 }).toEqual({ name, asked: true });
    }
    expect(inside.hits).toBe(0);
    expect(Object.keys(answers).length).toBeGreaterThanOrEqual(29);
  });

  it('gives up on those that are slow: before the answer, and inside of it', async () => {
    const silent = await serving(() => undefined);
    const dripping = await serving((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).write('x');
    });
    for (const server of [silent, dripping]) {
      const hurried = { ...rules, timeoutMs: 60, trustedOrigins: new Set([server.url]) };
      expect(await refusal(() => guardedFetch(`${server.url}/`, hurried))).toBe('time');
      expect(server.hits).toBe(1);
    }
  });

  it('reads a good file, also after redirects, and sends nothing of its own', async () => {
    const seen: object[] = [];
    const server = await serving((request, response) => {
      seen.push({ method: request.method, cookie: request.headers.cookie, auth: request.headers.authorization });
      if (request.url === '/2') png(response);
      else redirect(response, request.url === '/' ? '/1' : '2');
    });
    const trusting = { ...rules, trustedOrigins: new Set([server.url]) };
    expect(await guardedFetch(`${server.url}/#part`, trusting)).toEqual({
      ...{ url: `${server.url}/2`, type: 'image/png', body: Buffer.from('picture') },
    });
    expect(seen).toEqual(Array(3).fill({ method: 'GET', cookie: undefined, auth: undefined }));
  });
});

describe('sources of metadata', () => {
  const gateways: Gateways = { ipfs: 'https://ipfs.example.com/', arweave: 'https://arweave.example.com' };
  const asked: string[] = [];
  const parts: FetchParts = {
    resolve: async (host) => {
      asked.push(host);
      return [];
    },
  };
  const read = (source: string) => readSource(source, rules, gateways, parts);
  const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG';

  it('asks the gateways for what has no host', async () => {
    const cases: [string, string][] = [
      [`ipfs://${cid}`, 'ipfs.example.com'],
      [`IPFS://ipfs/${cid}/a b/1.png`, 'ipfs.example.com'],
      [`ar://${'a'.repeat(43)}/x`, 'arweave.example.com'],
      ['https://example.com/1.json', 'example.com'],
    ];
    for (const [source, host] of cases) {
      expect(await refusal(() => read(source))).toBe('network');
      expect(asked.pop()).toBe(host);
    }
  });

  it('refuses what names no file there', async () => {
    const cases: [string, RefusalReason][] = [
      [`ipfs://${cid}/../../admin`, 'url'],
      [`ipfs://${cid}/%2e%2e/admin`, 'url'],
      [`ipfs://${cid}@127.0.0.1/`, 'url'],
      ['ipfs://127.0.0.1/', 'url'],
      [`ipfs://${cid}?x=y`, 'url'],
      ['ar://127.0.0.1/', 'url'],
      [`ar://${'a'.repeat(43)}/..`, 'url'],
      ['http://example.com/1.json', 'scheme'],
      ['file:///etc/passwd', 'scheme'],
      ['data:text/html,<script>', 'type'],
      ['data:image/svg+xml,<svg/>', 'type'],
      ['data:image/png', 'url'],
      ['data:image/png;base64,!!!', 'url'],
      ['data:application/json,%E0%A4%A', 'url'],
      [`data:image/png;base64,${'A'.repeat(40_000)}`, 'size'],
      [`data:image/png,${'a'.repeat(10_001)}`, 'size'],
    ];
    for (const [source, reason] of cases) {
      expect({ source, reason: await refusal(() => read(source)) }).toEqual({ source, reason });
    }
    expect(asked).toEqual([]);
    expect((await read('data:application/json;charset=utf-8,%7B%22a%22%3A1%7D')).body.toString()).toBe('{"a":1}');
    expect((await read('data:image/png;base64,cGljdHVyZQ==')).body.toString()).toBe('picture');
  });
});

interface Serving {
  server: Server;
  url: string;
  hits: number;
}

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});

async function serving(answer: RequestListener, host = '127.0.0.2', at = 0): Promise<Serving> {
  const made: Serving = { server: createServer(), url: '', hits: 0 };
  made.server.on('request', (request, response) => {
    made.hits++;
    answer(request, response);
  });
  await new Promise<void>((done) => made.server.listen(at, host, done));
  open.push(made.server);
  made.url = `http://${host}:${port(made)}`;
  return made;
}

const port = ({ server }: Serving): number => (server.address() as AddressInfo).port;

type Response = Parameters<RequestListener>[1];

const png = (response: Response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('picture');

const redirect = (response: Response, location: string, status = 302) =>
  void response.writeHead(status, { location }).end();
