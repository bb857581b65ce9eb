import { request as httpRequest } from 'node:http';
import { parse } from 'yaml';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { TIDEPOOL_SWAP } from '#libs/chain/chains/solana/tidepool-programs.js';
import { schemaProblems } from '#libs/devkit/testing/schema-check.js';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { setPaused } from '#programs/client.js';
import { BundleRelay } from '../src/relay/bundle-relay.js';
import { SolanaUtilities } from '../src/utilities/solana-utilities.js';
import { createRelay, createUtilities } from './create-hosts.js';
import { SolanaWallet } from './solana-wallet.js';
import { COIN, hex, type SolanaWorld } from './solana-world.js';

/**
 * Every operation of the documents of the three hosts: the router's, the utilities' and the relay's. Requests are made from what
 * each document says and from what breaks it, while everything works, while the deployment is paused and without a node. Whatever is
 * sent, the answer is one that the document has: its status, a code of that status, a body of its schema, and never a 500.
 */
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const LARGEST = 262_144;
const UUID = /^[0-9a-f-]{36}$/;
const hosts = ['router', 'utilities', 'relay'] as const;
type HostName = (typeof hosts)[number];

interface Operation {
  readonly host: HostName;
  readonly path: string;
  readonly method: string;
  /** Of query and path. */
  readonly parameters: readonly { name: string; in: string }[];
  readonly takesBody: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: a parsed document
  readonly responses: any;
}

describe('every door of the router app', () => {
  let world: SolanaWorld;
  let wallet: SolanaWallet;
  let quote: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: parsed documents
  const documents = {} as Record<HostName, any>;
  const urls = {} as Record<HostName, string>;
  const operations: Operation[] = [];
  const closers: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    wallet = await SolanaWallet.start();
    world = wallet.world;
    const parts = { accounts: null, logger: silent, version: '1.2.3' };
    const relay = new BundleRelay('sol', 10_000, silent, new NodePools());
    const { rpcUrl } = world.market.chain;
    relay.open({ upstream: rpcUrl, rpcUrls: [rpcUrl], sponsor: null });
    const utilities = new SolanaUtilities(world.chain, { tipAccount: async () => COIN }, null, silent, new NodePools());
    utilities.open([rpcUrl]);
    const relayHost = await createRelay(relay, parts);
    const utilitiesHost = await createUtilities(utilities, parts);
    closers.push(
      () => relayHost.close(),
      () => relay.close(),
      () => utilitiesHost.close(),
      () => utilities.close(),
    );
    urls.router = world.router.url;
    urls.relay = relayHost.url;
    urls.utilities = utilitiesHost.url;
    for (const host of hosts) {
      const document = parse(await (await fetch(`${urls[host]}/openapi.yaml`)).text());
      documents[host] = document;
      for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, never>>)) {
        // Launches have an envelope and a suite of their own.
        if (/^(\/v1)?\/launch/.test(path)) continue;
        for (const [method, { parameters = [], requestBody, responses }] of Object.entries(methods)) {
          operations.push({ host, path, method, parameters, takesBody: requestBody !== undefined, responses });
        }
      }
    }
    quote = await wallet.quoted({ inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000' });
  });
  afterAll(async () => {
    for (const close of closers) await close();
    await world.close();
  });

  /** A request that each operation takes. */
  function goodFor({ path }: Operation): Record<string, unknown> {
    const usual = { inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000' };
    const userPublicKey = wallet.address;
    const instruction = { programId: TIDEPOOL_SWAP, accounts: [], data: 'AQ==' };
    const transaction = { payer: wallet.address, instructions: [instruction], transactionConfig: {} };
    const bodies: Record<string, Record<string, unknown>> = {
      '/quote': { ...usual, slippageBps: '50', maxHops: '3' },
      '/swap': { quoteResponse: quote, userPublicKey },
      '/swap-instructions': { quoteResponse: quote, userPublicKey },
      '/transaction': transaction,
      '/transactions': { transactions: [transaction] },
      '/evm/quote': { ...usual, chain: 'eth' },
      '/evm/swap': { quoteResponse: quote, userPublicKey },
      '/evm/swap-instructions': { ...usual, chain: 'base', userPublicKey },
      '/api/sol/quote/{mint}': { mint: world.mint('USDC') },
      '/api/sol/consolidate': { wallets: [wallet.address], receiver: COIN, percentage: 50 },
      '/bundle': { transactions: [Buffer.alloc(200, 1).toString('base64')], encoding: 'base64' },
    };
    return bodies[path] ?? {};
  }

  async function send(operation: Operation, given: Record<string, unknown>) {
    const { host, method, takesBody } = operation;
    let { path } = operation;
    const rest = { ...given };
    path = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const text = textOf(rest[name] ?? 'x');
      delete rest[name];
      return encodeURIComponent(text === '' ? 'x' : text);
    });
    const query = new URLSearchParams();
    if (!takesBody) for (const [name, value] of Object.entries(rest)) query.append(name, textOf(value));
    const init = { method: method.toUpperCase(), ...(takesBody ? { body: JSON.stringify(rest) } : {}) };
    const response = await fetch(`${urls[host]}${path}?${query}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  const seen = new Map<string, number>();

  function check(operation: Operation, answer: Awaited<ReturnType<typeof send>>, sent: object): void {
    const { host, path, method, responses } = operation;
    const { status, headers, text } = answer;
    const told = { ...sent, host, method, path, status, text: text.slice(0, 400) };
    expect({ ...told, known: status < 500 || status === 503 }).toEqual({ ...told, known: true });
    const response = responses[status];
    expect({ ...told, documented: response !== undefined }).toEqual({ ...told, documented: true });
    seen.set(`${host} ${status}`, (seen.get(`${host} ${status}`) ?? 0) + 1);
    if (!headers.get('content-type')?.startsWith('application/json')) return;
    const body = JSON.parse(text);
    const { schema } = response.content['application/json'];
    expect({ ...told, problems: schemaProblems(documents[host], schema, body) }).toEqual({ ...told, problems: [] });
    if (status === 503) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    if (status < 400 || path.endsWith('/ready')) return;
    const code = host === 'router' ? body.error : body.error.code;
    const codes = [...response.description.matchAll(/`([a-z_]+)`:/g)].map(([, name]) => name);
    expect({ ...told, codes: codes.includes(code) ? code : codes }).toEqual({ ...told, codes: code });
    if (host !== 'router') return;
    if (code === 'not_ready') expect([body.reasons.length > 0, 'reason' in body]).toEqual([true, false]);
    else expect([typeof body.reason, body.reason.length > 0, 'reasons' in body]).toEqual(['string', true, false]);
    if (path.startsWith('/evm')) expect(body).not.toHaveProperty('quoteId');
    else if (path === '/quote' && code === 'bad_request') expect(body).not.toHaveProperty('quoteId');
    else if (path === '/quote' && ['no_route', 'low_liquidity'].includes(code)) expect(body.quoteId).toMatch(UUID);
  }

  const seed = testSeed(1);
  async function tried(random: SeededRandom, rounds: number): Promise<void> {
    for (let n = 0; n < rounds; n++) {
      for (const operation of operations) {
        const given = structuredClone(goodFor(operation));
        for (const { name } of operation.parameters)
          if (random.chance(0.1)) given[name] = structuredClone(random.pick(HOSTILE));
        if (n > 0) for (let changes = random.int(0, 2); changes > 0; changes--) change(random, given);
        check(operation, await send(operation, given), { seed, n, given });
      }
    }
  }

  it('answers as its document says, whatever is sent', async () => {
    expect(operations.length).toBeGreaterThan(20);
    await tried(new SeededRandom(seed), scaled(200, 20));
    expect(world.problems).toEqual([]);
    for (const each of ['router 200', 'router 400', 'utilities 200', 'utilities 400', 'relay 400']) {
      expect([each, seen.get(each) ?? 0]).not.toEqual([each, 0]);
    }
  });

  it('takes a body of 262,144 bytes and not one more, with a length and in chunks', async () => {
    const takers = operations.filter(({ takesBody }) => takesBody);
    expect(takers.length).toBeGreaterThan(9);
    for (const operation of takers) {
      const good = JSON.stringify(goodFor(operation));
      const padded = (bytes: number): string => `${good.slice(0, -1)},"pad":"${'x'.repeat(bytes - good.length - 9)}"}`;
      for (const inChunks of [false, true]) {
        const [largest, larger] = [padded(LARGEST), padded(LARGEST + 1)];
        expect([largest.length, larger.length]).toEqual([LARGEST, LARGEST + 1]);
        const url = urls[operation.host] + operation.path;
        const taken = await posted(url, largest, inChunks);
        const refused = await posted(url, larger, inChunks);
        const where = `${operation.path}, in chunks: ${inChunks}`;
        expect([where, taken.status === 413, refused.status]).toEqual([where, false, 413]);
        const body = JSON.parse(refused.text);
        expect([where, operation.host === 'router' ? body.error : body.error.code]).toEqual([where, 'too_large']);
        check(operation, { ...refused, headers: new Headers({ 'content-type': 'application/json' }) }, { where });
      }
    }
  });

  it('says so on every build while the deployment is paused, and on no quote', async () => {
    const swap = hex(TIDEPOOL_SWAP);
    await world.administer(setPaused(swap, world.deployer.id, true));
    await until('the pause was seen', () => world.chain.services!.deployment.state()?.config.paused === true);
    for (const path of ['/swap', '/swap-instructions']) {
      const operation = operations.find((each) => each.path === path)!;
      const answer = await send(operation, goodFor(operation));
      expect([path, answer.status, JSON.parse(answer.text).error]).toEqual([path, 503, 'not_ready']);
    }
    const quoted = operations.find(({ path, method }) => path === '/quote' && method === 'get')!;
    expect((await send(quoted, goodFor(quoted))).status).toBe(200);
    await tried(new SeededRandom(seed + 1), scaled(40, 4));
    await world.administer(setPaused(swap, world.deployer.id, false));
    await until(
      'the end of the pause was seen',
      () => world.chain.services!.deployment.state()?.config.paused === false,
    );
  });

  it('answers 503 with a time to come back where no node answers', async () => {
    await world.market.chain.stop();
    for (const path of ['/swap', '/api/sol/consolidate']) {
      const operation = operations.find((each) => each.path === path)!;
      const answer = await send(operation, goodFor(operation));
      check(operation, answer, { path });
      expect([path, answer.status]).toEqual([path, 503]);
    }
    expect(world.problems).toEqual([]);
  }, 60_000);
});

const HOSTILE: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 2 ** 53, 1e21, '', 'x', '0', '-1', '1e3', '18446744073709551615', '18446744073709551616'],
  ...['9'.repeat(90), COIN, TIDEPOOL_SWAP, 'ExactIn', 'ExactOut', '%00', '../..', {}, [], [[]], [{}], { a: { b: 1 } }],
];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)));

/** Somewhere inside of a body another value, or none. */
function change(random: SeededRandom, body: object): void {
  const places: { holder: Record<string, unknown>; name: string }[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const holder = value as Record<string, unknown>;
    for (const name of Object.keys(holder)) {
      places.push({ holder, name });
      collect(holder[name]);
    }
  };
  collect(body);
  if (places.length === 0) return;
  const { holder, name } = random.pick(places);
  if (random.chance(0.2)) delete holder[name];
  else holder[name] = structuredClone(random.pick(HOSTILE));
}

function posted(url: string, body: string, inChunks: boolean): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = inChunks ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };
    const request = httpRequest(url, { method: 'POST', headers }, (response) => {
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
