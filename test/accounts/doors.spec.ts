import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WebSocket from 'ws';
import { parse } from 'yaml';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { SeededRandom, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { buildPrograms, endPrograms, PROJECT, Program } from '../multi-process/program.js';
import { type TimedAnswer, worstExcess } from '../multi-process/rate-windows.js';
import { type Carried, type Door, type DoorAnswer, doors, knock } from './doors.js';

const LIMIT_MS = 400_000;
const RATE = 5;
const WRONG = 'tp_wrong-wrong-wrong-wrong-wrong-0';

/** One instance with every listener; no chain of it can be reached, which no key depends on. */
describe('accounts at every door of an instance (long)', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-doors-'));
  const dir = join(root, 'data');
  const cwd = join(root, 'empty');
  const seed = testSeed();
  const random = new SeededRandom(seed);
  let urls: Record<string, string> = {};
  let key = '';

  const start = (env: Record<string, string>): Program => {
    const ports = ['API', 'WS', 'RPC', 'SOL', 'RELAY', 'BASE', 'ADMIN'].map((port) => [`TIDEPOOL_${port}_PORT`, '0']);
    const nodes = { TIDEPOOL_CHAINS: 'eth,sol', TIDEPOOL_RPC_ETH: NOWHERE, TIDEPOOL_RPC_SOL: NOWHERE };
    const main = join(PROJECT, 'dist/apps/all-in-one/src/main.js');
    return new Program({ args: [main], cwd, env: { ...Object.fromEntries(ports), ...nodes, ...env } });
  };
  const urlsOf = async (program: Program) => (await program.logged('listening')) as unknown as Record<string, string>;
  const tidepool = (...args: string[]): Promise<string> => tidepoolOf(dir, ...args);
  const tidepoolOf = async (data: string, ...args: string[]): Promise<string> => {
    const env = { TIDEPOOL_DATA_DIR: data };
    const command = new Program({ args: [join(PROJECT, 'scripts/tidepool.mjs'), ...args], cwd, env });
    const code = await command.ended();
    if (code !== 0) throw new Error(`tidepool ${args.join(' ')} ends with ${code}: ${command.words}`);
    return command.stdout.trim();
  };
  const account = async (id: string, plan: string): Promise<string> => {
    await tidepool('accounts', 'create', id, '--plan', plan);
    return tidepool('keys', 'create', id);
  };
  const codeOf = ({ text }: DoorAnswer): unknown => (text.startsWith('{') ? JSON.parse(text).error?.code : undefined);

  beforeAll(async () => {
    buildPrograms();
    mkdirSync(cwd);
    urls = await urlsOf(start({ TIDEPOOL_DATA_DIR: dir }));
    await tidepool('plans', 'set', 'Free', '--rate', '0');
    await tidepool('plans', 'set', 'Slow', '--rate', String(RATE));
    key = await account('free', 'Free');
  }, LIMIT_MS);

  afterAll(async () => {
    await endPrograms();
    removeFolderSync(root);
  }, LIMIT_MS);

  it('asks for a key on every operation of every document but the open ones', async () => {
    const counts = { keyed: 0, open: 0 };
    for (const { host, method, path, open } of operations()) {
      const body = method === 'post' ? '{}' : undefined;
      for (const given of [{}, { headers: ['x-api-key', WRONG] }]) {
        const answer = await knock(urls, { name: path, host, path, body }, given);
        const said = `${host} ${method} ${path}: ${answer.status} ${answer.text}`;
        if (open) expect(said).not.toMatch(/: (401|429) /);
        else {
          expect([said, codeOf(answer)]).toEqual([expect.stringContaining(': 401 '), 'unauthorized']);
          expect(JSON.parse(answer.text)).toMatchObject(ENVELOPES[host]!(path));
          expect(answer.text).toContain('x-api-key');
          expect(answer.text).not.toContain(WRONG);
        }
      }
      counts[open ? 'open' : 'keyed']++;
    }
    expect(counts.keyed).toBeGreaterThan(50);
    expect(counts.open).toBeGreaterThan(15);
  });

  it('leaves the page, /health of every listener and preflights open, and asks nothing for 404 and 405', async () => {
    const open = async (host: Door['host'], path: string) => (await knock(urls, { name: path, host, path }, {})).status;
    expect(await open('api', '/')).toBe(200);
    for (const host of ['api', 'ws', 'rpc', 'base', 'sol', 'relay'] as const) {
      expect([host, await open(host, '/health')]).toEqual([host, 200]);
      expect([host, await open(host, '/no/such/path')]).toEqual([host, 404]);
    }
    expect((await fetch(`${urls.admin}/health`)).status).toBe(200);
    for (const { host, path, name } of doors) {
      const url = urls[host]!.replace(/^ws/, 'http') + path;
      const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
      const asked = 'content-type, last-event-id, solana-client, x-api-key, x-of-a-client';
      const answer = await fetch(url, {
        method: 'OPTIONS',
        headers: { ...preflight, 'access-control-request-headers': asked },
      });
      expect([name, answer.status]).toEqual([name, 204]);
      const allowed = answer.headers.get('access-control-allow-headers')!.split(', ');
      expect([name, allowed]).toEqual([name, expect.arrayContaining(asked.split(', '))]);
      const other = await fetch(url, { method: 'DELETE' });
      expect([name, other.status, await other.text()]).toEqual([name, 405, '']);
      expect(other.headers.get('allow')).toMatch(/GET|POST/);
    }
  });

  it('malformed, oversized, repeated and conflicting keys get the same answer at every door', async () => {
    let compared = 0;
    for (const door of doors) {
      for (const [expected, given] of carriers(key, door.host === 'rpc')) {
        const answer = await knock(urls, door, given);
        const said = { door: door.name, given: JSON.stringify(given).slice(0, 120), answer: verdict(answer) };
        expect({ ...said, status: answer.status }).toEqual({ ...said, answer: expected, status: expect.any(Number) });
        if (expected === 401) expect([door.name, codeOf(answer)]).toEqual([door.name, 'unauthorized']);
        if (door.upgrade && expected === 'in') expect(answer.status).toBe(101);
        for (const secret of [key, key.toUpperCase(), WRONG, 'k'.repeat(100)])
          expect(answer.text).not.toContain(secret);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(doors.length * 25);
  });

  it(`has one rate for all doors, in every window (seed ${seed})`, async () => {
    const slow = await account('slow', 'Slow');
    const answers: TimedAnswer[] = [];
    const seen = new Map(doors.map(({ name }) => [name, new Set<boolean>()]));
    const all = () => [...seen.values()].every(({ size }) => size === 2);
    // The batch first: once the account is asked for more than its rate there is never room for three at once.
    const batch = doors.find(({ requests }) => requests !== undefined)!;
    const knockOnce = async (): Promise<boolean> => {
      const door = answers.length === 0 ? batch : random.pick(doors);
      const before = Date.now();
      const answer = await knock(urls, door, { headers: ['authorization', `Bearer ${slow}`] });
      const admitted = answer.status !== 429;
      expect(answer.status).not.toBe(401);
      if (!admitted) {
        expect([door.name, codeOf(answer), answer.headers['retry-after']]).toEqual([door.name, 'rate_limited', '1']);
        expect(answer.headers['ratelimit-limit']).toBe(String(RATE));
      }
      seen.get(door.name)!.add(admitted);
      answers.push({ before, after: Date.now(), admitted, requests: door.requests });
      return all();
    };
    const lacking = () => [...seen].flatMap(([name, { size }]) => (size < 2 ? [name] : []));
    await until('both answers at every door', knockOnce, { everyMs: 0, howFar: lacking });
    expect(lacking()).toEqual([]);
    expect(worstExcess(answers, RATE)).toBeLessThanOrEqual(0);
    // What was let in, at whichever listener, is what its account is shown. The calls of a
    // batch that is refused at once are not known.
    const sum = (admitted: boolean, weight = true) =>
      answers.reduce((all, each) => all + (each.admitted === admitted ? (weight ? (each.requests ?? 1) : 1) : 0), 0);
    let counted = { requests: 0, refused: 0 };
    await until('the usage', async () => {
      const { rows } = JSON.parse(await tidepool('accounts', 'usage', 'slow', '--json')) as { rows: UsageRow[] };
      const of = (name: keyof UsageRow) => rows.reduce((all, row) => all + row[name], 0);
      counted = { requests: of('requests'), refused: of('refused') };
      return counted.requests >= sum(true) && counted.refused >= sum(false, false);
    });
    expect(counted.requests).toBe(sum(true));
    expect(counted.refused).toBeLessThanOrEqual(sum(false));
  });

  it('takes at every door what its document says, at the prices of the configuration', async () => {
    const prices = { status: 2, read: 3, list: 5, quote: 7, build: 11 };
    const data = join(root, 'priced');
    const set = Object.entries(prices).map(([cost, credits]) => `${cost}=${credits}`);
    const priced = await urlsOf(start({ TIDEPOOL_DATA_DIR: data, TIDEPOOL_CREDIT_PRICES: set.join(',') }));
    await tidepoolOf(data, 'plans', 'set', 'Metered', '--rate', '0', '--credits', '100000');
    await tidepoolOf(data, 'accounts', 'create', 'metered', '--plan', 'Metered');
    const metered = await tidepoolOf(data, 'keys', 'create', 'metered');
    let left = 100_000;
    const paid = new Set<number>();
    for (const door of doors) {
      if (door.upgrade || door.stream) continue;
      const { paths } = parse(await (await fetch(`${priced[door.host]}/openapi.yaml`)).text()) as ServedDocument;
      const said = creditsOf(paths, door);
      const answer = await knock(priced, door, { headers: ['x-api-key', metered] });
      const pays = [200, 409, 422].includes(answer.status) || codeOf(answer) === 'no_route';
      const credits = said * (door.requests ?? 1);
      if (pays) left -= credits;
      expect([door.name, answer.headers['x-credits-remaining']]).toEqual([door.name, String(left)]);
      if (pays) paid.add(credits);
    }
    expect([...paid]).toEqual(expect.arrayContaining([prices.status, prices.read, 3 * prices.read]));
  });

  it('takes as many live connections as are configured, of a key and in all, and as many requests of the demo key', async () => {
    const data = join(root, 'narrow');
    const narrow = await urlsOf(
      start({
        ...{ TIDEPOOL_DATA_DIR: data, TIDEPOOL_DEMO_RATE: '7' },
        ...{ TIDEPOOL_LIVE_CONNECTIONS: '3', TIDEPOOL_LIVE_CONNECTIONS_PER_KEY: '2' },
      }),
    );
    const demo = readFileSync(join(data, 'demo-key'), 'utf8').trim();
    const { headers } = await knock(narrow, doors[0]!, { headers: ['x-api-key', demo] });
    expect(headers['ratelimit-limit']).toBe('7');
    await tidepoolOf(data, 'plans', 'set', 'Free', '--rate', '0');
    const keys: string[] = [];
    for (const id of ['one', 'two']) {
      await tidepoolOf(data, 'accounts', 'create', id, '--plan', 'Free');
      keys.push(await tidepoolOf(data, 'keys', 'create', id));
    }
    const [one, two] = keys as [string, string];
    const open: WebSocket[] = [];
    /** The status of the answer; what was let in stays. */
    const opened = async (door: string, given: string): Promise<number> => {
      const socket = new WebSocket(door.replace(/^http/, 'ws'), { headers: { 'x-api-key': given } });
      const status = await new Promise<number>((done, fail) => {
        socket.once('upgrade', ({ statusCode }) => done(statusCode!));
        socket.once('unexpected-response', (_, { statusCode }) => done(statusCode!));
        socket.once('error', fail);
      });
      if (status === 101) open.push(socket);
      else socket.terminate();
      return status;
    };
    const [own, ofApi] = [`${narrow.ws}/`, `${narrow.api}/ws`];
    // Of a key at both listeners together.
    expect([await opened(own, one), await opened(ofApi, one), await opened(own, one)]).toEqual([101, 101, 503]);
    // In all, at one listener.
    expect([await opened(own, two), await opened(own, demo), await opened(own, demo)]).toEqual([101, 101, 503]);
    open[0]!.terminate();
    await until('a place of the key and of the listener', async () => (await opened(own, one)) === 101);
    for (const socket of open) socket.terminate();
  });

  it('an instance without accounts answers all of it to anybody, on loopback, without a rate', async () => {
    const own = await urlsOf(start({ TIDEPOOL_DATA_DIR: join(root, 'own'), TIDEPOOL_ACCOUNTS: 'off' }));
    for (const url of Object.values(own).filter((value) => /^(http|ws):/.test(value))) {
      expect(new URL(url).hostname).toBe('127.0.0.1');
    }
    for (const door of doors) {
      for (const given of [{}, { headers: ['x-api-key', WRONG] }, { query: `apiKey=${WRONG}` }]) {
        const { status, headers } = await knock(own, door, given);
        expect([door.name, status === 401 || status === 429]).toEqual([door.name, false]);
        expect(headers['ratelimit-limit']).toBeUndefined();
      }
    }
    const statuses = await Promise.all(
      Array.from({ length: 500 }, () => fetch(`${own.base}/evm/venues`).then(({ status }) => status)),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

interface ServedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { 'x-credits'?: { request: number } } | undefined>>>>;
}

/** What a document says of an entry point. */
function creditsOf(paths: ServedDocument['paths'], { host, path, body, name }: Door): number {
  const asked = path
    .split('?')[0]!
    .replace(/^\/v1(?=\/)/, '')
    .split('/');
  const found = Object.keys(paths).filter((known) => {
    const parts = known.split('/');
    return parts.length === asked.length && parts.every((part, n) => part === asked[n] || part.startsWith('{'));
  });
  // Of a fixed path and one with a parameter the fixed one.
  found.sort((a, b) => a.split('{').length - b.split('{').length);
  const credits = paths[found[0] ?? '']?.[body === undefined ? 'get' : 'post']?.['x-credits']?.request;
  if (credits === undefined) throw new Error(`no document of ${host} says what ${name} costs`);
  return credits;
}

/** A port without a listener. */
const NOWHERE = 'http://127.0.0.1:1';

interface UsageRow {
  readonly requests: number;
  readonly refused: number;
}

/** What a key error looks like at each listener. */
const ENVELOPES: Readonly<Record<string, (path: string) => object>> = {
  api: () => ({ error: { code: 'unauthorized', message: expect.any(String) } }),
  rpc: () => ({ error: { code: 'unauthorized', message: expect.any(String) } }),
  base: (path) => (/launch/.test(path) ? { ok: false, data: null, nextCursor: null } : {}),
  sol: () => ({ success: false }),
  relay: () => ({ success: false }),
};

const HOSTS: Readonly<Record<string, Door['host']>> = {
  ...{
    'api.yaml': 'api',
    'gateway.yaml': 'rpc',
    'router.yaml': 'base',
    'utilities.yaml': 'sol',
    'relay.yaml': 'relay',
  },
};

/** What the documents say there is, with something for each part of a path. */
function operations() {
  type Operations = Record<string, { security?: object[] } | undefined>;
  const folder = join(PROJECT, 'docs/openapi');
  // The admin API has a key of its own.
  const files = readdirSync(folder).filter((file) => file !== 'accounts.yaml');
  return files.flatMap((file) => {
    const { paths } = parse(readFileSync(join(folder, file), 'utf8')) as { paths: Record<string, Operations> };
    return Object.entries(paths).flatMap(([path, methods]) =>
      ['get', 'post']
        .filter((method) => methods[method] !== undefined)
        .map((method) => ({
          ...{ host: HOSTS[file]!, method, open: methods[method]!.security?.length === 0 },
          path: path.replaceAll('{chain}', 'eth').replaceAll(/\{\w+\}/g, 'x'),
        })),
    );
  });
}

type Verdict = 'in' | 401 | 414 | 431;

function verdict({ status }: DoorAnswer): Verdict | number {
  return status === 401 || status === 414 || status === 429 || status === 431 ? status : 'in';
}

/** Where a key can be, and what it is answered. */
function carriers(key: string, gateway: boolean): [Verdict, Carried][] {
  const header = (...values: string[]): Carried => ({ headers: values.flatMap((value) => ['x-api-key', value]) });
  const bearer = (value: string, query = ''): Carried => ({ headers: ['authorization', value], query });
  const query = (text: string): Carried => ({ query: text });
  const ofGateway: Verdict = gateway ? 'in' : 401;
  return [
    ['in', header(key)],
    ['in', { headers: ['X-API-KEY', `  ${key} `] }],
    ['in', bearer(`Bearer ${key}`)],
    ['in', bearer(`bearer   ${key}`)],
    ['in', query(`apiKey=${key}`)],
    ['in', query(`api_key=${key}`)],
    // None, or none that counts.
    [401, {}],
    [401, header('')],
    [401, bearer(key)],
    [401, bearer(`Basic ${key}`)],
    [401, query('apiKey=')],
    [401, query(`APIKEY=${key}`)],
    // The names that the gateway knows besides.
    [ofGateway, query(`apikey=${key}`)],
    [ofGateway, query(`api-key=${key}`)],
    ...(gateway
      ? ([
          [401, { headers: ['x-api-key', WRONG], query: `api-key=${key}` }],
          [401, { headers: ['authorization', `Bearer ${WRONG}`], query: `apikey=${key}` }],
          ['in', { headers: ['x-api-key', key], query: `api-key=${WRONG}` }],
          ['in', { headers: ['authorization', 'Basic x'], query: `api-key=${key}` }],
        ] as [Verdict, Carried][])
      : []),
    // Where they conflict the first source that has one decides, even if it is wrong.
    [401, { headers: ['x-api-key', WRONG, 'authorization', `Bearer ${key}`], query: `apiKey=${key}` }],
    ['in', { headers: ['authorization', `Bearer ${WRONG}`, 'x-api-key', key], query: `apiKey=${WRONG}` }],
    [401, bearer(`Bearer ${WRONG}`, `apiKey=${key}`)],
    ['in', bearer(`Bearer ${key}`, `apiKey=${WRONG}`)],
    [401, query(`api_key=${key}&apiKey=${WRONG}`)],
    ['in', query(`api_key=${WRONG}&apiKey=${key}`)],
    ['in', { headers: ['x-api-key', ' ', 'authorization', 'Basic x'], query: `apiKey=&api_key=${key}` }],
    // Of repeated ones the first.
    ['in', header(key, WRONG)],
    [401, header(WRONG, key)],
    ['in', query(`apiKey=${key}&apiKey=${WRONG}`)],
    [401, query(`apiKey=${WRONG}&apiKey=${key}`)],
    [401, query(`apiKey[]=${key}`)],
    // Malformed and oversized.
    [401, header(`${key}\u00e9`)],
    [401, header(key.toUpperCase())],
    [401, header(`${key},${key}`)],
    [401, header(key.slice(0, -1))],
    [401, query('apiKey=%00%ff%')],
    [401, query(`apiKey=${key}%00`)],
    [401, header('k'.repeat(4_000))],
    [431, header('k'.repeat(20_000))],
    [414, query(`apiKey=${'k'.repeat(20_000)}`)],
  ];
}
