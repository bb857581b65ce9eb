import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servedChains } from '#libs/chain/catalogue/catalogue.js';
import { chainSlugs } from '#libs/chain/chains/registry.js';
import { hostileUrls } from '#libs/devkit/testing/hostile-urls.js';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { launchpadNames } from '#libs/serve/contract/rest/market-queries.js';
import { MOST_CREATES } from '../../src/launch/launch-problem.js';
import { LaunchWorld, refused } from './launch-world.js';

/** What the launch routes take and refuse; no chain is needed for it. */
const WALLET = `0x${'a1'.repeat(20)}`;
const SOL_WALLET = '7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT';
let world: LaunchWorld;
/** A server that is no node. */
let noNode: string;
const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/away') request.socket.destroy();
  else if (request.url === '/other') answer(response, { jsonrpc: '2.0', id: 1, result: '0x2105' });
  else if (request.url === '/secret') response.end('the word is swordfish');
  else answer(response, { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'swordfish' } });
});
const answer = (response: { end: (text: string) => void }, body: object) => response.end(JSON.stringify(body));

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  noNode = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world = await LaunchWorld.start({ localNodes: new Map([['eth', noNode]]), limits: { take: () => 0 } });
});
afterAll(async () => {
  await world.close();
  await new Promise((done) => server.close(done));
});

const usual = (more: object = {}) => ({
  ...{ platform: 'tidepool', creator: WALLET, name: 'Spring Tide', symbol: 'TIDE', image: world.sampleImage },
  rpcUrl: 'https://rpc.example.com/',
  ...more,
});

describe('lists', () => {
  it('have every chain with its launchpads, all of one vocabulary', async () => {
    const { status, body } = await world.get('/launch');
    expect([status, body.ok, body.error, body.nextCursor]).toEqual([200, true, null, null]);
    expect((await world.get('/v1/launch')).body).toEqual(body);
    const rows: { slug: string; platforms: string[]; unwired: string[] }[] = body.data.chains;
    expect(rows.map(({ slug }) => slug)).toEqual(servedChains().map(({ slug }) => slug));
    const catalogued = new Map(servedChains().map(({ slug, launchpads }) => [slug, launchpads]));
    for (const { slug, platforms, unwired } of rows) {
      if (catalogued.get(slug)!.includes('tidepool')) expect(platforms).toContain('tidepool');
      expect([...platforms, ...unwired].sort()).toEqual([...catalogued.get(slug)!].sort());
    }
    const names = new Set(rows.flatMap(({ platforms, unwired }) => [...platforms, ...unwired]));
    expect([...names].sort()).toEqual([...launchpadNames].sort());
    expect(rows.find(({ slug }) => slug === 'sol')).toMatchObject({
      aliases: ['solana'],
      networkId: 101,
      family: 'solana',
    });
  });

  it('answer one chain by each of its names', async () => {
    const { chains } = (await world.get('/launch')).body.data;
    let named = 0;
    for (const row of chains) {
      for (const name of [row.slug, row.slug.toUpperCase(), String(row.networkId), ...row.aliases]) {
        for (const path of [`/launch/${name}`, `/v1/launch/${name}`]) {
          expect((await world.get(path)).body).toEqual({ ok: true, data: row, error: null, nextCursor: null });
          named++;
        }
      }
    }
    expect(named).toBeGreaterThan(30);
    for (const method of ['GET', 'POST']) {
      const unknown = new RegExp(`unknown chain "foo".*${chainSlugs.join(', ')}`);
      const { status, body } = await world.get('/launch/foo', { method, ...(method === 'POST' && { body: '{}' }) });
      expect([status, body]).toEqual([400, refused('bad_request', unknown)]);
    }
    expect((await world.get('/launch/sol/more')).body).toEqual(refused('not_found'));
    const other = await world.get('/launch', { method: 'DELETE' });
    expect([other.status, other.body, other.headers.get('allow')]).toEqual([405, '', 'GET']);
  });

  it('create nothing on a launchpad without a builder', async () => {
    const { chains } = (await world.get('/launch')).body.data;
    let tried = 0;
    for (const { slug, unwired } of chains) {
      for (const platform of unwired) {
        for (const body of [{ platform }, usual({ platform })]) {
          const reply = await world.post(`/launch/${slug}`, body);
          // Its contract is why: what creates on it is signed by Four.meme's own server.
          const why =
            /^four-meme has no builder, because its contract takes only creates that its own server signed: creates on bsc work on tidepool$/;
          expect([platform, reply.status, reply.body]).toEqual(['four-meme', 501, refused('not_wired', why)]);
          tried++;
        }
      }
    }
    expect(tried).toBeGreaterThan(1);
  });
});

describe('a create', () => {
  const broken: readonly [string, object, RegExp][] = [
    ['eth', { platform: undefined }, /^platform is required/],
    ['eth', { platform: 'pumpfun' }, /^platform must be one of tidepool on eth; pumpfun is not on this chain$/],
    ['eth', { platform: 'nothing' }, /^platform must be one of tidepool on eth$/],
    ['eth', { platform: 7 }, /^platform must be/],
    ['eth', { creator: undefined }, /^creator is required/],
    ['eth', { creator: SOL_WALLET }, /^creator must be an address of eth/],
    ['eth', { creator: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d35A' }, /^creator has letters of both cases/],
    ['eth', { creator: `0x${'0'.repeat(40)}` }, /^creator must be the address of an account/],
    ['eth', { creator: `0x${'e'.repeat(40)}` }, /^creator must be the address of an account/],
    ['sol', { creator: WALLET }, /^creator must be an address of sol/],
    ['sol', { creator: 'TidepooLLaunchpad11111111111111111111111111' }, /^creator must be|no key belongs/],
    ['sol', { creator: SOL_WALLET, mint: SOL_WALLET }, /^mint must be another address/],
    ['sol', { creator: SOL_WALLET, mint: 'x' }, /^mint must be an address/],
    ['eth', { mint: WALLET }, /^mint is for Solana/],
    ['eth', { name: undefined }, /^name is required/],
    ['eth', { name: '  ' }, /^name must have 1 to 32 bytes/],
    ['eth', { name: 'é'.repeat(17) }, /^name must have 1 to 32 bytes/],
    ['eth', { name: 'a\u202eb' }, /^name must have no control characters/],
    ['eth', { name: 'a\u0000b' }, /^name must have no control characters/],
    ['eth', { name: '\ud800' }, /^name must have no control characters/],
    ['eth', { symbol: 'A B' }, /^symbol must have no spaces/],
    ['eth', { symbol: 'ABCDEFGHIJK' }, /^symbol must have 1 to 10 bytes/],
    ['eth', { symbol: 5 }, /^symbol must have/],
    ['eth', { description: 'x'.repeat(1_001) }, /^description must be text of at most 1000/],
    ['eth', { description: {} }, /^description must be text/],
    ['eth', { image: undefined }, /^image is required/],
    ['eth', { image: 5 }, /^image must be a public/],
    ['eth', { rpcUrl: undefined }, /^rpcUrl is required/],
    ['eth', { rpcUrl: [] }, /^rpcUrl must be a public/],
    ['eth', { website: 'javascript:alert(1)' }, /^website must be an https address/],
    ['eth', { website: 'https://a:b@example.com/' }, /^website must be an https address/],
    ['eth', { twitter: `https://example.com/${'x'.repeat(200)}` }, /^twitter must be an https address/],
    ['eth', { telegram: 'https://t.me/a b' }, /^telegram must be an https address/],
    ['eth', { initialBuy: '1.5' }, /^initialBuy must be a whole number/],
    ['eth', { initialBuy: -1 }, /^initialBuy must be a whole number/],
    ['eth', { initialBuy: String(2n ** 256n) }, /^initialBuy must be a whole number/],
    [
      'sol',
      { creator: SOL_WALLET, initialBuy: String(2n ** 64n) },
      /^initialBuy must be a whole number.*18446744073709551615/,
    ],
    [
      'base',
      { platform: 'clanker', initialBuy: '2400000000000000000001' },
      /^initialBuy must be.*at most 24\d{20} on clanker$/,
    ],
    ['base', { platform: 'four-meme' }, /^platform must be one of tidepool, clanker, zora on base; four-meme is not/],
    ['eth', { slippageBps: 10_001 }, /^slippageBps must be/],
    ['eth', { slippageBps: 'x' }, /^slippageBps must be/],
  ];

  it.each(broken)('on %s with %j is told the rule', async (chain, change, message) => {
    for (const path of [`/launch/${chain}`, `/v1/launch/${chain}`]) {
      const { status, body } = await world.post(path, usual(change));
      expect([status, body]).toEqual([400, refused('bad_request', message)]);
    }
  });

  it('opens no address of a private network, whichever way it is written', async () => {
    let tried = 0;
    for (const [, urls] of hostileUrls) {
      for (const url of urls) {
        for (const field of ['rpcUrl', 'image']) {
          // A nearly empty text is a missing field.
          const { status, body } = await world.post('/launch/eth', usual({ [field]: url }));
          expect([url, status, body]).toEqual([url, 400, refused('bad_request', new RegExp(`^${field}[: ]`))]);
          tried++;
        }
      }
    }
    expect(tried).toBeGreaterThanOrEqual(180);
    // The node of another local chain is as private as any.
    const { status, body } = await world.post('/launch/base', usual({ rpcUrl: noNode }));
    expect([status, body]).toEqual([400, refused('bad_request', /^rpcUrl: port/)]);
  });

  it('passes nothing on of what a server says that is no node of the chain', async () => {
    const said: string[] = [];
    for (const [path, message] of [
      ['/away', /^rpcUrl: the node did not answer$/],
      ['/other', /^rpcUrl: the node does not serve chain id 1$/],
      ['/secret', /^rpcUrl: the node does not answer as a node/],
      ['/', /^rpcUrl: /],
    ] as const) {
      const { status, body } = await world.post('/launch/eth', usual({ rpcUrl: noNode + path }));
      expect([path, status, body]).toEqual([path, 400, refused('bad_request', message)]);
      said.push(JSON.stringify(body));
    }
    expect(said.join()).not.toContain('swordfish');
    expect(world.problems).toEqual([]);
  });

  it('may be any bytes', async () => {
    for (const body of ['', '{', '[]', 'null', '"x"', '{"platform":{"a":[]}}', '\u0000', `${'['.repeat(100)}`]) {
      const { status, body: said } = await world.get('/launch/eth', { method: 'POST', body });
      expect([body, status, said]).toEqual([body, 400, refused('bad_request')]);
    }
    const large = await world.get('/launch/eth', { method: 'POST', body: 'x'.repeat(262_145) });
    expect([large.status, large.body]).toEqual([413, refused('too_large')]);
    expect(world.problems).toEqual([]);
  });
});

describe('the limit of creates', () => {
  it('is 10 a minute, of those whose fields are right', async () => {
    const limited = await LaunchWorld.start({ localNodes: new Map([['eth', noNode]]) });
    try {
      const create = (more: object = {}) =>
        limited.post('/launch/eth', { ...usual({ rpcUrl: `${noNode}/other`, image: limited.sampleImage }), ...more });
      for (let n = 0; n < 3 * MOST_CREATES; n++) expect((await create({ symbol: '' })).status).toBe(400);
      for (let n = 0; n < MOST_CREATES; n++) expect((await create()).body).toEqual(refused('bad_request', /^rpcUrl/));
      const late = await create();
      expect([late.status, late.body]).toEqual([429, refused('rate_limited', /10 tokens a minute: try again in 60 s/)]);
      expect(late.headers.get('retry-after')).toBe('60');
      // A refusal does not count, and what is wrong is said as before.
      expect((await create({ symbol: '' })).status).toBe(400);
      limited.clock.ms += 60_000;
      expect((await create()).status).toBe(400);
    } finally {
      await limited.close();
    }
  });

  it('is of the account where there are accounts, and its refusals have the envelope', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidepool-launch-'));
    const accounts = await accountsWithoutLimits(folder);
    const keyed = await LaunchWorld.start({ localNodes: new Map([['eth', noNode]]) }, { accounts });
    try {
      const bare = await keyed.get('/launch');
      expect([bare.status, bare.body]).toEqual([401, refused('unauthorized')]);
      const headers = { 'x-api-key': accounts.demo.key };
      expect((await keyed.get('/launch', { headers })).status).toBe(200);
      const body = JSON.stringify(usual({ rpcUrl: `${noNode}/other`, image: keyed.sampleImage }));
      const create = () => keyed.get('/launch/eth', { method: 'POST', headers, body });
      for (let n = 0; n < MOST_CREATES; n++) expect((await create()).status).toBe(400);
      const late = await create();
      expect([late.status, late.body]).toEqual([429, refused('rate_limited')]);
      const { status } = await keyed.get('/launch/files/sample.png');
      expect(status).toBe(200);
    } finally {
      await keyed.close();
      await removeFolder(folder);
    }
  });
});
