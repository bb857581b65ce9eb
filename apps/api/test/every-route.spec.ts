import { parse } from 'yaml';
import { chainManifests, chainSlugs } from '#libs/chain/chains/registry.js';
import { venueLabel } from '#libs/chain/market-ports/chain-spec.js';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { schemaProblems } from '#libs/devkit/testing/schema-check.js';
import { ApiHarness, type Reply } from './api-harness.js';

// biome-ignore lint/suspicious/noExplicitAny: a parsed document and bodies that are walked
type Any = any;

/** Answers of their own form: texts, frames, pictures, and the TradingView protocol, whose times are seconds. */
const NO_JSON = /^\/(openapi|asyncapi|llms|stream|ws|media)|\/image$/;
const OTHER_FORM = /^\/udf\//;
const NEEDS_ACCOUNT = ['/account/usage'];
/** What changes, gains and owners do is no share of anything; the document says so of each. */
const NO_SHARE = /(change|profit|roi|return|pnl)\w*Percent$/i;

/**
 * Every route of the document, on a chain of each family: what the contract says of all of them. A new route is in it as soon as it
 * is declared; its subjects are taken from what was traded.
 */
const worlds = seeds(4).flatMap((seed) => (['evm', 'solana'] as const).map((family) => [family, seed] as const));
describe.each(worlds)('every route, on a chain of %s (seed %i)', (family, seed) => {
  const market = marketWith(seed, { family, groups: 100, retractions: 0.05 }, (naive, { chain }) => {
    const trades = naive.blocks.flatMap((block) => block.trades);
    return trades.some(({ base, volumeUsd }) => base !== chain.wrappedNative.token && volumeUsd !== null);
  });
  const { ids, slug } = market.chain;
  const manifest = chainManifests.all.find((known) => known.slug === slug)!;
  const last = market.facts.length - 1;
  let harness: ApiHarness;
  let document: Any;
  let subject: { token: string; wallet: string; pool: string };
  /** By path of the document. */
  const answers = new Map<string, Reply>();
  const requests = new Map<string, string>();

  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(last, Math.floor(last * 0.7));
    document = parse((await harness.get('/openapi.yaml')).text);
    const { body } = await harness.get(`/screener?chain=${slug}&sort=volume&limit=50`);
    const coin = ids.formatAddress(market.chain.wrappedNative.token);
    const { address: token } = body.data.find(({ address }: { address: string }) => address !== coin);
    const [trade] = (await harness.get(`/tokens/${slug}/${token}/trades?limit=1`)).body.data;
    subject = { token, wallet: trade.wallet, pool: trade.pool };
    for (const path of Object.keys(document.paths)) {
      if (path.startsWith('/v1/') || NO_JSON.test(path) || OTHER_FORM.test(path)) continue;
      requests.set(path, requestOf(path));
      answers.set(path, await harness.get(requests.get(path)!));
    }
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  /** A request that the route answers, of the chain under a given name. */
  function requestOf(path: string, chain: string = slug): string {
    const { token, wallet, pool } = subject;
    const address = path.startsWith('/wallets/') ? wallet : path.startsWith('/pools/') ? pool : token;
    const filled = path
      .replace('{chain}', chain)
      .replace('{address}', address)
      .replace('{board}', 'new')
      .replace('{name}', 'x');
    const queries: Record<string, string> = {
      '/tokens': `ids=${chain}:${token}`,
      '/prices': `tokens=${chain}:${token}`,
      '/search': `chain=${chain}&q=${token}`,
      '/wallets/top': `chain=${chain}`,
      '/tokens/{chain}/{address}/positions': `wallets=${wallet}`,
    };
    const names = parametersOf(path).map(({ name }) => name);
    const query = queries[path] ?? (names.includes('chain') && !path.includes('{chain}') ? `chain=${chain}` : '');
    return query === '' ? filled : `${filled}?${query}`;
  }

  const operationOf = (path: string): Any => document.paths[path].get;
  const parametersOf = (path: string): { name: string; in: string; required?: boolean }[] =>
    operationOf(path).parameters ?? [];
  const isKeyed = (path: string): boolean => '401' in operationOf(path).responses;
  const data = (): [string, Reply][] => [...answers].filter(([path]) => isKeyed(path) && !NEEDS_ACCOUNT.includes(path));

  /** Every member of a body with its name and where it is. */
  function* members(value: Any, at = '$', name = ''): Generator<{ at: string; name: string; value: Any }> {
    yield { at, name, value };
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) yield* members(inner, `${at}.${key}`, key);
  }
  const every = () => data().flatMap(([path, { body }]) => [...members(body)].map((member) => ({ path, ...member })));

  it('answers what the document says, under /v1 as well', async () => {
    for (const [path, reply] of answers) {
      const request = requests.get(path)!;
      expect({ request, status: reply.status, error: reply.body?.error }).toEqual({ request, status: 200 });
      const { schema } = operationOf(path).responses['200'].content['application/json'];
      expect({ request, problems: schemaProblems(document, schema, reply.body) }).toEqual({ request, problems: [] });
      const prefixed = await harness.get(`/v1${request}`);
      expect({ request, status: prefixed.status }).toEqual({ request, status: 200 });
      const moves = ['/status', '/ready', ...NEEDS_ACCOUNT].includes(path);
      if (!moves) expect({ path, same: prefixed.text === reply.text }).toEqual({ path, same: true });
    }
    expect(data().length).toBeGreaterThanOrEqual(17);
  });

  it('has one envelope: data, and next where a list goes on', () => {
    for (const [path, { body }] of data()) {
      const pages = parametersOf(path).some(({ name }) => name === 'cursor');
      const has = { data: 'data' in body, next: 'next' in body };
      expect({ path, ...has }).toEqual({ path, data: true, next: pages });
      if (!pages) continue;
      expect({ path, isList: Array.isArray(body.data) }).toEqual({ path, isList: true });
      expect({ path, next: body.next === null || typeof body.next === 'string' }).toEqual({ path, next: true });
    }
    const old = every().filter(({ name }) => ['ok', 'nextCursor', 'success', 'result'].includes(name));
    expect(old).toEqual([]);
  });

  it('writes shares from 0 to 100, times in Unix ms, and pictures as https or null', () => {
    let [shares, times, pictures] = [0, 0, 0];
    for (const { path, at, name, value } of every()) {
      if (name.endsWith('Percent') && !NO_SHARE.test(name)) {
        shares++;
        const fits = value === null || (typeof value === 'number' && value >= 0 && value <= 100);
        expect({ path, at, value, fits }).toEqual({ path, at, value, fits: true });
      }
      if (name === 'time' || /[a-z]At$/.test(name)) {
        times++;
        const fits = value === null || (Number.isInteger(value) && value > 1e12 && value < Date.now() + 86_400_000);
        expect({ path, at, value, fits }).toEqual({ path, at, value, fits: true });
      }
      if (/^(image|icon|logo|banner|picture)/i.test(name)) {
        pictures++;
        const fits = value === null || (typeof value === 'string' && value.startsWith('https://'));
        expect({ path, at, value, fits }).toEqual({ path, at, value, fits: true });
      }
    }
    expect([shares > 0, times > 0, pictures > 0]).toEqual([true, true, true]);
  });

  it('has one name for each venue, and plain symbols of the coin', () => {
    const dexes = every().filter(({ name }) => name === 'dex');
    const known = new Set(dexes.map(({ value }) => value));
    const trades = market.facts.flatMap((group) => (group.kind === 'block' ? group.trades : []));
    const expected = new Set(trades.map(({ venue }) => venueLabel(market.chain, venue)));
    expect([...known].filter((dex) => !expected.has(dex))).toEqual([]);
    const symbols = every().filter(({ name }) => name === 'quoteSymbol');
    expect(symbols.filter(({ value }) => ['WETH', 'WBNB', 'WSOL'].includes(value))).toEqual([]);
    expect([dexes.length > 0, symbols.length > 0]).toEqual([true, true]);
  });

  it('says the same of a token on every route at one block', () => {
    const own = answers.get('/tokens/{chain}/{address}')!.body;
    const shared = ['symbol', 'name', 'decimals', 'priceUsd', 'marketCapUsd', 'fdvUsd', 'liquidityUsd', 'holders'];
    let [rows, compared] = [0, 0];
    for (const { path, at, value } of every()) {
      if (value?.address !== subject.token || !('priceUsd' in value)) continue;
      rows++;
      for (const name of [...shared, 'launchpad', 'createdAt', 'creator', 'image']) {
        if (!(name in value) || !(name in own.data)) continue;
        compared++;
        expect({ path, at, name, value: value[name] }).toEqual({ path, at, name, value: own.data[name] });
      }
    }
    expect(rows).toBeGreaterThanOrEqual(4);
    expect(compared).toBeGreaterThanOrEqual(20);
  });

  it('takes the chain by every name that it has, on every route', async () => {
    const names = [slug.toUpperCase(), ...manifest.aliases, manifest.networkId ?? manifest.chainId];
    for (const [path, { text }] of data()) {
      const takesChain = path.includes('{chain}') || requestOf(path, 'x') !== requestOf(path, 'y');
      if (!takesChain) continue;
      for (const name of names) {
        const reply = await harness.get(requestOf(path, String(name)));
        expect({ path, name, status: reply.status }).toEqual({ path, name, status: 200 });
        expect({ path, name, same: reply.text === text }).toEqual({ path, name, same: true });
      }
      const unknown = await harness.get(requestOf(path, 'doge'));
      isError(path, unknown, 400, 'bad_request');
      expect(unknown.body.error.message).toContain(chainSlugs.join(', '));
    }
  });

  it('refuses in one form: no key, a wrong method, a token or board that is none', async () => {
    for (const [path] of data()) {
      const request = requests.get(path)!;
      isError(path, await harness.get(request, { key: null }), 401, 'unauthorized');
      const post = await harness.get(request, { method: 'POST', body: '{}' });
      expect({ path, status: post.status, allow: post.headers.get('allow') }).toEqual({
        ...{ path, status: 405, allow: 'GET' },
      });
      for (const { name, in: where } of parametersOf(path)) {
        if (name === 'limit') isError(path, await harness.get(withQuery(request, 'limit=0')), 400, 'bad_request');
        if (name === 'cursor') isError(path, await harness.get(withQuery(request, 'cursor=x')), 400, 'bad_request');
        if (name !== 'address' || where !== 'path') continue;
        const malformed = request.replace(addressIn(path), '0xzz');
        isError(path, await harness.get(malformed), 400, 'bad_request');
        if (path.startsWith('/wallets/')) continue;
        const stranger = family === 'evm' ? `0x${'ab'.repeat(20)}` : ids.formatAddress('ab'.repeat(32));
        isError(path, await harness.get(request.replace(addressIn(path), stranger)), 404, 'not_found');
      }
    }
    isError('board', await harness.get('/launchpad/foo'), 404, 'not_found');
    isError('route', await harness.get('/foo'), 404, 'not_found');
  });

  const addressIn = (path: string): string => (path.startsWith('/pools/') ? subject.pool : addressOf(path));
  const addressOf = (path: string): string => (path.startsWith('/wallets/') ? subject.wallet : subject.token);
  const withQuery = (request: string, query: string): string =>
    `${request}${request.includes('?') ? '&' : '?'}${query}`;

  function isError(path: string, { status, body }: Reply, wanted: number, code: string): void {
    const keys = Object.keys(body?.error ?? {}).sort();
    expect({ path, status, code: body?.error?.code, keys, outer: Object.keys(body ?? {}) }).toEqual({
      ...{ path, status: wanted, code, keys: ['code', 'message'], outer: ['error'] },
    });
  }
});
