import { connect } from 'node:net';
import type { KeyScope } from '#libs/protocol/accounts/account-record.js';
import type { CostClass } from '#libs/protocol/accounts/prices.js';
import { hashKey } from '#libs/serve/accounts/key-text.js';
import { AccountWorld } from '#libs/serve/accounts/test/account-world.js';
import { Answer } from './answer.js';
import { jsonObjectBody } from './json-body.js';
import { createListener, type Listener } from './listener.js';
import { passOf } from './pass.js';
import { badRequest, HttpProblem } from './problem.js';
import type { HttpRoute } from './routes.js';

const problem = (status: number, code: string) => {
  throw new HttpProblem(status, code, 'no');
};

/** Two listeners of one process, as the listeners of the api and of the router are. */
describe('keys, rate and credits at the doors', () => {
  const clock = { ms: Date.UTC(2026, 10, 24) };
  let world: AccountWorld;
  let listeners: Listener[];

  const routes = (): HttpRoute[] => [
    { method: 'GET', path: '/open', open: true, handle: () => Answer.json({}) },
    {
      method: 'GET',
      path: '/one',
      open: false,
      handle: (request) => Answer.json(passOf(request.raw)!.caller.account.id),
    },
    { method: 'GET', path: '/five', open: false, cost: 'build', handle: () => Answer.json({}) },
    { method: 'GET', path: '/stream', open: false, cost: 'stream', handle: () => Answer.json({}) },
    { method: 'GET', path: '/launch', open: false, scope: 'launch', handle: () => Answer.json({}) },
    {
      ...{ method: 'GET', path: '/batch', open: false },
      handle: async (request) => {
        const { calls, fails, lists } = request.query as Record<string, string>;
        const classes = Array.from({ length: Number(calls) }, (_, n) => (n < Number(lists ?? 0) ? 'list' : 'read'));
        await passOf(request.raw)!.takeCalls(classes as CostClass[]);
        if (fails === '1') throw badRequest('no');
        return Answer.json({});
      },
    },
    {
      method: 'POST',
      path: '/body',
      open: false,
      handle: (request) => Answer.json(Object.keys(jsonObjectBody(request))),
    },
    ...[400, 404, 409, 422, 500, 503].map((status): HttpRoute => {
      return { method: 'GET', path: `/fails/${status}`, open: false, handle: () => problem(status, `code_${status}`) };
    }),
    { method: 'GET', path: '/no-route', open: false, handle: () => problem(404, 'no_route') },
    { method: 'GET', path: '/bug', open: false, handle: () => Promise.reject(new Error('a bug')) },
  ];

  const start = async (plan: { rate: number; credits: number | null }) => {
    world = new AccountWorld(clock, plan, undefined, 'spec', 2);
    const open = (scope: KeyScope) =>
      createListener({
        ...{ routes: routes(), accounts: world.admission, scope, host: '127.0.0.1', port: 0 },
        errorBody: ({ code, message }) => ({ error: { code, message } }),
        logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      });
    listeners = [await open('data'), await open('router')];
  };
  afterEach(() => Promise.all(listeners.map((listener) => listener.close())));

  const get = async (path: string, init: RequestInit & { door?: number } = {}) => {
    const { door = 0, headers = { 'x-api-key': world.key }, ...rest } = init;
    const response = await fetch(listeners[door]!.url + path, { headers, ...rest });
    const text = await response.text();
    const told = (name: string) => response.headers.get(name);
    return { status: response.status, body: text === '' ? null : JSON.parse(text), told };
  };
  const code = async (path: string, init?: RequestInit & { door?: number }) => {
    const { status, body } = await get(path, init);
    return [status, body?.error?.code ?? null];
  };

  it('one rate and one balance count for every door; the answers say what is left', async () => {
    await start({ rate: 2, credits: 100 });
    const first = await get('/one');
    expect(first.body).toBe('a');
    const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'x-credits-remaining', 'retry-after'];
    const told = ({ told: tell }: typeof first) => names.map(tell);
    expect(told(first)).toEqual(['2', '3', '1', '99', null]);
    for (const name of names) expect(first.told('access-control-expose-headers')).toContain(name);
    expect(told(await get('/five', { door: 1 }))).toEqual(['2', '2', '1', '94', null]);
    expect(told(await get('/one', { method: 'HEAD' }))).toEqual(['2', '1', '2', '93', null]);
    expect(told(await get('/one'))).toEqual(['2', '0', '2', '92', null]);
    for (const door of [0, 1, 0, 1]) {
      const refused = await get('/one', { door });
      expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
      expect(refused.body.error.message).toContain('2 requests a second');
      expect(told(refused)).toEqual(['2', '0', '2', '92', '1']);
    }
    clock.ms += 500;
    expect(await code('/one', { door: 1 })).toEqual([200, null]);
    expect(await code('/one')).toEqual([429, 'rate_limited']);
  });

  it('only what was answered is paid: 2xx, no_route, 409 and 422', async () => {
    await start({ rate: 0, credits: 50 });
    const left = async (path: string, init?: RequestInit) =>
      Number((await get(path, init)).told('x-credits-remaining'));
    const paid: [string, number][] = [];
    let before = 50;
    const etag = (await get('/one')).told('etag')!;
    before = 49;
    const unchanged = { headers: { 'x-api-key': world.key, 'if-none-match': etag } };
    for (const path of ['400', '404', '409', '422', '500', '503']
      .map((status) => `/fails/${status}`)
      .concat('/no-route', '/bug', '/five')) {
      const now = await left(path);
      paid.push([path, before - now]);
      before = now;
    }
    expect(Object.fromEntries(paid)).toEqual({
      ...{ '/fails/400': 0, '/fails/404': 0, '/fails/409': 1, '/fails/422': 1, '/fails/500': 0, '/fails/503': 0 },
      ...{ '/no-route': 1, '/bug': 0, '/five': 5 },
    });
    expect(await left('/one', unchanged)).toBe(before);
    expect(world.admission.totals('a').included).toBe(50 - before);
    const rows = world.admission.usage('a', '2026-01-01');
    expect(rows.find(({ route }) => route === '/five')).toMatchObject({ requests: 1, credits: 5 });
    expect(rows.find(({ route }) => route === '/bug')).toMatchObject({ requests: 1, credits: 0 });
  });

  it('without credits an account is answered 401 until some are added', async () => {
    await start({ rate: 0, credits: 6 });
    expect(await code('/one')).toEqual([200, null]);
    expect(await code('/five')).toEqual([200, null]);
    const refused = await get('/one', { door: 1 });
    expect([refused.status, refused.body.error.code, refused.told('x-credits-remaining')]).toEqual([
      401,
      'unauthorized',
      '0',
    ]);
    expect(refused.body.error.message).toContain('no credits');
    world.grant('g', 1);
    expect(await code('/five')).toEqual([401, 'unauthorized']);
    expect(await code('/one')).toEqual([200, null]);
  });

  it('are asked in order: path, key, rate, credits, then the request itself', async () => {
    await start({ rate: 1, credits: 1 });
    const none = { headers: {} };
    expect(await code('/nothing', none)).toEqual([404, 'not_found']);
    expect(await code('/one', { ...none, method: 'DELETE' })).toEqual([405, null]);
    expect(await code('/one', { ...none, method: 'OPTIONS' })).toEqual([204, null]);
    expect(await code('/open', none)).toEqual([200, null]);
    expect(await code('/one', none)).toEqual([401, 'unauthorized']);
    expect(await code('/one', { headers: { 'x-api-key': 'tp_other' } })).toEqual([401, 'unauthorized']);
    // All of that was free.
    const large = { method: 'POST', body: 'x'.repeat(300 * 1024) };
    expect(await code('/body', { ...large, headers: {} })).toEqual([401, 'unauthorized']);
    expect(await code('/body', large)).toEqual([413, 'too_large']);
    expect(await code('/one')).toEqual([200, null]);
    // The rate is gone and the credits are: the rate is said first.
    expect(await code('/body', large)).toEqual([429, 'rate_limited']);
    clock.ms += 2_000;
    expect(await code('/body', large)).toEqual([401, 'unauthorized']);
    expect(await code('/nothing')).toEqual([404, 'not_found']);
    expect(await code('/open')).toEqual([200, null]);
  });

  it('a key is for what its scopes say, and from where its origins say', async () => {
    await start({ rate: 0, credits: null });
    const put = (key: string, scopes: readonly KeyScope[], origins: readonly string[]) =>
      world.directory.put({
        ...{ kind: 'key', hash: hashKey(key), account: 'a', name: '', scopes, origins },
        ...{ createdAt: 0, expiresAt: null, revokedAt: null },
      });
    put('tp_data', ['data'], []);
    put('tp_launch', ['launch', 'router'], []);
    put('tp_page', ['data', 'router'], ['https://app.example']);
    const by = (key: string, more = {}) => ({ headers: { 'x-api-key': key, ...more } });
    expect(await code('/one', by('tp_data'))).toEqual([200, null]);
    const wrong = await get('/one', { ...by('tp_data'), door: 1 });
    expect([wrong.status, wrong.body.error.message]).toEqual([
      401,
      'this API key is not for the router: use one that is',
    ]);
    expect(await code('/launch', { ...by('tp_launch'), door: 1 })).toEqual([200, null]);
    expect(await code('/launch', by('tp_data'))).toEqual([401, 'unauthorized']);
    expect(await code('/one', by('tp_launch'))).toEqual([401, 'unauthorized']);
    expect(await code('/one', by('tp_page'))).toEqual([401, 'unauthorized']);
    const pages = [
      ['https://app.example', 200],
      ['https://app.example.evil', 401],
      ['http://app.example', 401],
      ['null', 401],
    ] as const;
    for (const [origin, status] of pages) expect((await code('/one', by('tp_page', { origin })))[0]).toBe(status);
    // An account without a limit says so.
    const free = await get('/one');
    expect([free.told('x-credits-remaining'), free.told('ratelimit-limit')]).toEqual(['unlimited', null]);
  });

  it('a batch costs what its calls do, in rate and credits, and is given back whole', async () => {
    await start({ rate: 4, credits: 20 });
    const calls = (n: number, fails = 0) => get(`/batch?calls=${n}&fails=${fails}`);
    const left = async (n: number, fails?: number) => {
      const { status, told } = await calls(n, fails);
      return [status, told('ratelimit-remaining'), told('x-credits-remaining')];
    };
    expect(await left(5)).toEqual([200, '3', '15']);
    expect(await left(3, 1)).toEqual([400, '0', '15']);
    clock.ms += 2_000;
    const large = await calls(9);
    expect([large.status, large.body.error.code]).toEqual([429, 'rate_limited']);
    expect(large.body.error.message).toContain('more calls than the 8');
    // A refused batch counts nothing, its first call included.
    expect([large.told('ratelimit-remaining'), large.told('x-credits-remaining')]).toEqual(['8', '15']);
    expect(await left(2)).toEqual([200, '6', '13']);
    for (let again = 0; again < 5; again++) expect(await left(7)).toEqual([429, '6', '13']);
    expect(await left(6)).toEqual([200, '0', '7']);
    clock.ms += 2_000;
    const poor = await calls(8);
    expect([poor.status, poor.body.error.code, poor.told('ratelimit-remaining')]).toEqual([401, 'unauthorized', '8']);
    expect(poor.told('x-credits-remaining')).toBe('7');
    expect(world.admission.totals('a')).toEqual({ included: 13, extra: 0 });
    const counted = world.admission.usage('a', '2026-11-24').map(({ requests, refused }) => [requests, refused]);
    expect(counted).toEqual([[5 + 3 + 2 + 6, 9 + 5 * 7 + 8]]);
  });

  it('a call costs what its class does, alone and in a batch, and no less than the request was let in for', async () => {
    await start({ rate: 4, credits: 20 });
    const left = async (calls: number, lists: number, fails = 0) => {
      const { status, told } = await get(`/batch?calls=${calls}&lists=${lists}&fails=${fails}`);
      return [status, told('ratelimit-remaining'), told('x-credits-remaining')];
    };
    expect(await left(1, 1)).toEqual([200, '7', '18']);
    expect(await left(3, 2)).toEqual([200, '4', '13']);
    // An answer that is not paid gives all of it back.
    expect(await left(1, 1, 1)).toEqual([400, '3', '13']);
    expect(await left(3, 3, 1)).toEqual([400, '0', '13']);
    clock.ms += 2_000;
    expect(await left(7, 5)).toEqual([200, '1', '1']);
    clock.ms += 2_000;
    // One credit is left: enough for a read and not for a list, which then counts nothing, in the rate neither.
    expect(await left(1, 1)).toEqual([401, '8', '1']);
    expect(await left(1, 0)).toEqual([200, '7', '0']);
    expect(world.admission.totals('a')).toEqual({ included: 20, extra: 0 });
    const counted = world.admission.usage('a', '2026-11-24').map(({ requests, refused }) => [requests, refused]);
    expect(counted).toEqual([[1 + 3 + 1 + 3 + 7 + 1, 1]]);
  });

  it('malformed, oversized, repeated and conflicting keys get the answers of the contract', async () => {
    await start({ rate: 0, credits: null });
    const { port } = new URL(listeners[0]!.url);
    const raw = (path: string, ...headers: string[]) =>
      new Promise<number>((done, fail) => {
        const socket = connect(Number(port), '127.0.0.1');
        let got = '';
        socket.on('data', (bytes) => {
          got += bytes.toString('latin1');
        });
        socket.on('error', fail);
        socket.on('close', () => done(Number(got.split(' ')[1])));
        const lines = [`GET ${path} HTTP/1.1`, 'host: x', 'connection: close', ...headers];
        socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
      });
    const { key } = world;
    const answers: [number, string, ...string[]][] = [
      // The first source that is there decides, even if it is wrong.
      [401, `/one?apiKey=${key}`, 'x-api-key: wrong', `authorization: Bearer ${key}`],
      [401, `/one?apiKey=${key}`, 'authorization: Bearer wrong'],
      [401, `/one?apiKey=wrong&api_key=${key}`],
      [200, `/one?apiKey=wrong&api_key=wrong`, `x-api-key: ${key}`],
      [200, `/one?apiKey=${key}`, 'x-api-key:'],
      [200, `/one?apiKey=${key}`, 'authorization: Basic abc'],
      [200, '/one?apiKey=wrong', 'x-api-key:   ', `authorization: bearer ${key}`],
      // Of repeated ones the first.
      [200, '/one', `x-api-key: ${key}`, 'x-api-key: wrong'],
      [401, '/one', 'x-api-key: wrong', `x-api-key: ${key}`],
      [200, `/one?apiKey=${key}&apiKey=wrong`],
      [401, `/one?apiKey=wrong&apiKey=${key}`],
      [401, '/one?apiKey[]=a&apiKey[x]=b'],
      // Whatever bytes.
      [401, '/one', `x-api-key: ${key}\u00e9`],
      [401, '/one?apiKey=%00%ff%'],
      [401, `/one?apiKey=${key}%00`],
      [401, `/one`, `x-api-key: ${key.toUpperCase()}`],
      [401, '/one', `x-api-key: ${'k'.repeat(4_000)}`],
      [431, '/one', `x-api-key: ${'k'.repeat(40_000)}`],
      [414, `/one?apiKey=${'k'.repeat(20_000)}`],
    ];
    for (const [status, path, ...headers] of answers) {
      expect([path.slice(0, 60), headers.map((each) => each.slice(0, 60)), await raw(path, ...headers)]).toEqual([
        ...[path.slice(0, 60), headers.map((each) => each.slice(0, 60)), status],
      ]);
    }
  });

  it('one more live connection of a key than it may have is refused, and costs nothing', async () => {
    await start({ rate: 5, credits: 20 });
    world.admission.openStream(world.caller, 'stream', () => undefined);
    world.admission.openStream(world.caller, 'stream', () => undefined);
    const full = await get('/stream', { door: 1 });
    expect([full.status, full.body.error.code, full.told('retry-after')]).toEqual([503, 'server_busy', '30']);
    expect(await code('/one')).toEqual([200, null]);
    expect(world.admission.totals('a').included).toBe(1);
  });

  it('until the keys are read an unknown one is asked to come again', async () => {
    await start({ rate: 0, credits: null });
    world.admission.ready = false;
    expect(await code('/one', { headers: { 'x-api-key': 'tp_other' } })).toEqual([503, 'upstream_unavailable']);
    expect(await code('/one')).toEqual([200, null]);
  });

  it('an answer that is under way costs nothing twice when its client goes', async () => {
    await start({ rate: 0, credits: 9 });
    let answer: () => void = () => undefined;
    const waiting = new Promise<void>((done) => {
      answer = done;
    });
    let began: () => void = () => undefined;
    const asked = new Promise<void>((done) => {
      began = done;
    });
    const slow: HttpRoute = {
      ...{ method: 'GET', path: '/slow', open: false },
      handle: () => {
        began();
        return waiting.then(() => badRequest('no')).then(() => Answer.json({}));
      },
    };
    const listener = await createListener({
      ...{ routes: [slow], accounts: world.admission, host: '127.0.0.1', port: 0, errorBody: () => ({}) },
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    listeners.push(listener);
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    socket.write(`GET /slow HTTP/1.1\r\nhost: x\r\nx-api-key: ${world.key}\r\n\r\n`);
    await asked;
    const admitted = world.ask(0);
    expect(admitted.quota.credits).toBe(8);
    socket.destroy();
    answer();
    await waiting;
    await new Promise((done) => setImmediate(done));
    expect(world.admission.totals('a')).toEqual({ included: 1, extra: 0 });
  });
});
