import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import { temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { pngBomb } from '#libs/devkit/testing/png-bomb.js';
import { until } from '#libs/devkit/testing/until.js';
import { servedRecord } from '#libs/pipeline/epochs/served-epoch.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { PictureTable } from '#libs/pipeline/store/pictures/picture-table.js';
import { MOST_PICTURE_BYTES } from '#libs/platform/outbound/picture.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { decodeMetadata, metadataKey, type TokenMetadata } from '#libs/protocol/token-metadata.js';
import { blocksTopic, epochsTopic, tokenMetadataTopic } from '#libs/protocol/topics.js';
import { MOST_TRIES } from './metadata-queue.js';
import { MOST_DOCUMENT_BYTES, type ReadingDeps } from './metadata-reading.js';
import { MetadataStage } from './metadata-stage.js';
import { BlocksOf, type Said, tokenId } from './test/blocks.js';

const topic = blocksTopic('sol', 0);
const chain = new BlocksOf('sol');
const WEBSITE = 'https://example.com/';

const png = (type = 'image/png') =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: '#269' } })
    .toFormat(type.slice(6) as 'png')
    .toBuffer();
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script><image href="file:///etc/passwd"/></svg>';

/** Answers of a stranger's server, by path. */
type Answers = Record<string, (origin: string) => RequestListener>;

const sends =
  (type: string, body: string | Buffer, headers: object = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type, ...headers }).end(body);
const json = (value: unknown): RequestListener => sends('application/json', JSON.stringify(value));
const leads =
  (location: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(302, { location }).end();
/** A body that begins and never ends. */
const drips =
  (type: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type }).write('{');
const floods =
  (type: string): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type });
    const more = (): void => {
      if (response.destroyed) return;
      response.write(Buffer.alloc(1_000_000, 32));
      setImmediate(more);
    };
    more();
  };

describe('metadata of tokens, from the blocks to the topic and the table', () => {
  let dir: string;
  let log: EventLog;
  let writer: LogWriter;
  let store: Awaited<ReturnType<typeof temporaryStore>>;
  let pictures: PictureTable;
  let server: Server;
  let origin: string;
  let secret: Server;
  let stolen = 0;
  let asked: string[] = [];
  let answers: Answers = {};
  let appended = 0;
  let now = 1_800_000_000_000;

  const opened = async (listener: RequestListener): Promise<Server> => {
    const made = createServer(listener);
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
    return made;
  };
  const originOf = (of: Server): string => `http://127.0.0.1:${(of.address() as AddressInfo).port}`;

  beforeAll(async () => {
    store = await temporaryStore();
    server = await opened((request, response) => {
      asked.push(request.url!);
      const answer = answers[request.url!];
      if (answer === undefined) response.writeHead(404).end();
      else answer(origin)(request, response);
    });
    origin = originOf(server);
    secret = await opened((_request, response) => {
      stolen++;
      response.end('{"description":"a secret"}');
    });
  });

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tidepool-metadata-'));
    log = await openEmbeddedLog({ dir });
    await log.ensureTopics([topic, epochsTopic, tokenMetadataTopic]);
    writer = await log.openWriter('test');
    pictures = new PictureTable(store.store);
    [appended, asked, stolen] = [0, [], 0];
    await append([chain.epoch()]);
    await writer.append([servedRecord('sol', { epoch: 0, foldVersion: 1 })]);
  });

  afterEach(async () => {
    await writer.close();
    await log.close();
    rmSync(dir, { recursive: true, force: true });
  });

  afterAll(async () => {
    for (const one of [server, secret]) {
      one.closeAllConnections();
      await new Promise((resolve) => one.close(resolve));
    }
    await store.dispose();
  });

  const append = async (groups: readonly BlocksGroup[]): Promise<void> => {
    await writer.append(groups.map((group) => ({ topic, seq: group.seq, value: encodeBlocksGroup(group) })));
    appended += groups.length;
  };
  /** A block in which tokens are met for the first time. */
  const meet = (said: readonly Said[]) =>
    append([
      chain.block(
        appended,
        appended,
        said.map(({ token }) => token),
        said,
      ),
    ]);

  async function values(): Promise<Map<Hex, TokenMetadata>> {
    const found = new Map<Hex, TokenMetadata>();
    for (const [key, value] of await log.readCompacted(tokenMetadataTopic)) {
      const said = decodeMetadata(value);
      if (said !== null && key.startsWith('sol.')) found.set(key.slice(4), said);
    }
    return found;
  }

  /** Runs the stage until the state is reached. */
  async function run(
    what: string,
    holds: () => Promise<boolean>,
    timeoutMs = 20_000,
    reading?: ReadingDeps,
  ): Promise<void> {
    const stage = new MetadataStage({
      ...{ log, chain: chainSpec('sol')!, pictures, uris: async () => null, now: () => now, pollMs: 5 },
      reading: reading ?? {
        gateways: { ipfs: origin, arweave: `${origin}/arweave/` },
        ...{ timeoutMs, trustedOrigins: new Set([origin]) },
      },
    });
    const abort = new AbortController();
    let failure: unknown = null;
    const running = stage.run(abort.signal).catch((error: unknown) => {
      failure = error;
    });
    await until(what, async () => {
      if (failure !== null) throw failure;
      return holds();
    });
    abort.abort();
    await running;
    if (failure !== null) throw failure;
  }

  const settled = async (count: number): Promise<boolean> => {
    const all = [...(await values()).values()];
    return all.length === count && all.every(({ outcome }) => outcome !== 'waiting');
  };

  it('reads what is good: https, ipfs, arweave and data, files and pictures alone', async () => {
    const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG';
    const picture = await png();
    const file = (image: string) => json({ image, description: 'A pool', website: WEBSITE, twitter: '@pool' });
    answers = {
      '/1.json': (own) => file(`${own}/1.png`),
      '/1.png': () => sends('image/png', picture),
      '/away': () => leads('/1.json'),
      [`/ipfs/${cid}`]: () => file(`ipfs://${cid}/1.png`),
      [`/ipfs/${cid}/1.png`]: () => sends('application/octet-stream', picture),
      [`/arweave/${'a'.repeat(43)}`]: () => file(`data:image/png;base64,${picture.toString('base64')}`),
      '/plain': (own) =>
        sends(
          'text/plain; charset=utf-8',
          `\uFEFF{"image":"${own}/1.png","description":"A pool","website":"${WEBSITE}","twitter":"pool"}`,
        ),
    };
    const inline = {
      image: `${origin}/1.png`,
      description: 'A pool',
      external_url: 'https://example.com',
      x: 'https://x.com/pool',
    };
    const uris = [
      ...[`${origin}/1.json`, `${origin}/away`, `ipfs://${cid}`, `ar://${'a'.repeat(43)}`, `${origin}/plain`],
      `data:application/json,${encodeURIComponent(JSON.stringify(inline))}`,
      `${origin}/1.png`,
    ];
    await meet(uris.map((uri, n) => ({ token: tokenId(n), uri })));
    await meet([{ token: tokenId(50), uri: null }]);
    await run('all are read', () => settled(uris.length));
    const all = await values();
    const names = new Set([...all.values()].map(({ picture: name }) => name));
    expect([...names]).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.webp$/)]);
    uris.forEach((uri, n) => {
      const { outcome, reason, description, website, twitter, tries } = all.get(tokenId(n))!;
      const alone = uri.endsWith('.png');
      expect({ uri, outcome, reason, description, website, twitter, tries }).toEqual({
        ...{ uri, outcome: 'read', reason: null, tries: 1 },
        description: alone ? null : 'A pool',
        website: alone ? null : WEBSITE,
        twitter: alone ? null : 'https://x.com/pool',
      });
    });
    const content = await pictures.read([...names][0]!);
    expect(await sharp(content!).metadata()).toMatchObject({ format: 'webp', width: 300, height: 200 });
    // A further start fetches nothing.
    const before = asked.length;
    await meet([{ token: tokenId(60), uri: uris[5]! }]);
    await run('the new one is read', () => settled(uris.length + 1));
    expect(asked.slice(before)).toEqual(['/1.png']);
  });

  it('shows nothing of what is hostile, and keeps that it was', async () => {
    const small = await png();
    const image: Answers = {
      svg: () => sends('image/svg+xml', SVG),
      'svg called png': () => sends('image/png', SVG),
      'svg without a type': () => sends('application/octet-stream', SVG),
      page: () => sends('text/html', '<script>alert(1)</script>'),
      'page called png': () => sends('image/png', '<!doctype html><script>alert(1)</script>'),
      'wide bomb': () => sends('image/png', pngBomb(60_000, 60_000)),
      'bomb of zeros': () => sends('image/png', pngBomb(20_000, 20_000, deflateSync(Buffer.alloc(4_000_000)))),
      'compressed bomb': () => sends('image/png', gzipSync(Buffer.alloc(9_000_000)), { 'content-encoding': 'gzip' }),
      flood: () => floods('image/png'),
      'half a picture': () => sends('image/png', small.subarray(0, small.length >> 1)),
      'redirect inside': () => leads(`${originOf(secret)}/`),
      'redirect to a cloud': () => leads('http://169.254.169.254/latest/meta-data/'),
      'redirect to a file': () => leads('file:///etc/passwd'),
    };
    const document: Answers = {
      'huge file': () => sends('application/json', JSON.stringify({ description: 'x'.repeat(MOST_DOCUMENT_BYTES) })),
      'endless file': () => floods('application/json'),
      'no JSON': () => sends('application/json', '{'),
      'a list': () => json([{ description: 'x' }]),
      'a page': () => sends('text/html', '{"description":"x"}'),
      'deep file': () => sends('application/json', '['.repeat(100_000)),
      'away to the inside': () => leads(`${originOf(secret)}/x.json`),
    };
    const urls: [string, string][] = [
      ['the inside itself', `${originOf(secret)}/x.json`],
      ['plain http', 'http://example.com/x.json'],
      ['a script', 'javascript:alert(1)'],
      ['a page inside', 'data:text/html,<script>alert(1)</script>'],
      ['an SVG inside', `data:image/svg+xml,${encodeURIComponent(SVG)}`],
      ['a file', 'file:///etc/passwd'],
      ['nothing', 'x'],
      ['a climb', 'ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/../../secret'],
    ];
    answers = {};
    const cases: [string, string][] = [...urls];
    Object.entries(image).forEach(([name, answer], n) => {
      answers[`/image/${n}`] = answer;
      answers[`/document/${n}`] = (own) => json({ image: `${own}/image/${n}`, description: 'harmless' });
      cases.push([name, `${origin}/document/${n}`]);
    });
    Object.entries(document).forEach(([name, answer], n) => {
      answers[`/hostile/${n}`] = answer;
      cases.push([name, `${origin}/hostile/${n}`]);
    });
    await meet(cases.map(([, uri], n) => ({ token: tokenId(n), uri })));
    await run('all are looked at', () => settled(cases.length));
    const all = await values();
    cases.forEach(([name], n) => {
      const { outcome, picture, reason, description } = all.get(tokenId(n))!;
      expect({ name, outcome, picture, reason }).toEqual({
        name,
        outcome: 'refused',
        picture: null,
        reason: expect.any(String),
      });
      expect({ name, description }).toEqual({ name, description: name in image ? 'harmless' : null });
    });
    expect(stolen).toBe(0);
    expect(cases.length).toBeGreaterThanOrEqual(28);
    for (const name of await pictures.names())
      expect((await pictures.read(name))!.length).toBeLessThanOrEqual(MOST_PICTURE_BYTES);
    // Not asked for again, however late it is.
    const before = asked.length;
    now += 365 * 86_400_000;
    await meet([{ token: tokenId(60), uri: 'data:application/json,{}' }]);
    await run('the new one is read', () => settled(cases.length + 1));
    expect(asked.length).toBe(before);
  });

  it('tries again where nothing answers, later and later, and then no more', async () => {
    let good = false;
    answers = {
      '/slow.json': () =>
        good ? json({ description: 'late', image: `${origin}/gone.png` }) : drips('application/json'),
      '/cut.json': () => (request) => void request.socket.destroy(),
    };
    const [slow, cut] = [tokenId(1), tokenId(2)];
    await meet([
      { token: slow, uri: `${origin}/slow.json` },
      { token: cut, uri: `${origin}/cut.json` },
    ]);
    const after = (tries: number) => async () => {
      const all = await values();
      return [slow, cut].every((token) => all.get(token)?.tries === tries);
    };
    let last = 0;
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      await run(`try ${tries}`, after(tries), 500);
      const value = (await values()).get(cut)!;
      expect(value.outcome).toBe(tries === MOST_TRIES ? 'refused' : 'failed');
      expect(value.readAt).toBeGreaterThan(last);
      last = value.readAt;
      now += 30_000 * 4 ** tries;
      if (tries === 3) good = true;
    }
    // The file came, its picture did not: what it says is shown.
    expect((await values()).get(slow)).toMatchObject({ description: 'late', outcome: 'refused', picture: null });
    const before = asked.length;
    now += 365 * 86_400_000;
    await meet([{ token: tokenId(60), uri: 'data:application/json,{}' }]);
    await run('the new one is read', async () => (await values()).get(tokenId(60))?.outcome === 'read');
    expect(asked.length).toBe(before);
  });

  it('reads files of this instance on loopback, and nothing else there', async () => {
    const picture = await png();
    answers = {
      '/launch/files/1.json': (own) => json({ description: 'ours', image: `${own}/launch/files/1.png` }),
      '/launch/files/1.png': () => sends('image/png', picture),
      '/launch/files/2.json': (own) => json({ description: 'ours', image: `${own}/1.png` }),
      '/1.png': () => sends('image/png', picture),
      '/1.json': () => json({ description: 'not ours to show' }),
    };
    const paths = ['/launch/files/1.json', '/launch/files/2.json', '/1.json'];
    await meet(paths.map((path, n) => ({ token: tokenId(n), uri: origin + path })));
    const own = {
      gateways: { ipfs: 'https://ipfs.io', arweave: 'https://arweave.net' },
      ownFiles: () => `${origin}/launch/files/`,
    };
    await run('all are read', () => settled(paths.length), 20_000, own);
    const all = await values();
    const shown = paths.map((_, n) => all.get(tokenId(n))!);
    expect(shown.map(({ outcome }) => outcome)).toEqual(['read', 'refused', 'refused']);
    expect(shown.map(({ description }) => description)).toEqual(['ours', 'ours', null]);
    expect(shown.map(({ picture: name }) => name !== null)).toEqual([true, false, false]);
    expect(asked.sort()).toEqual(['/launch/files/1.json', '/launch/files/1.png', '/launch/files/2.json']);
  });

  it('follows a change of the URI once its block is sealed, and fetches a lost picture again', async () => {
    const picture = await png('image/webp');
    answers = {
      '/a': () => json({ description: 'a' }),
      '/b': (own) => json({ description: 'b', image: `${own}/b.webp` }),
      '/b.webp': () => sends('image/webp', picture),
    };
    const token = tokenId(1);
    const description = async () => (await values()).get(token)?.description ?? null;
    await meet([{ token, uri: `${origin}/a` }]);
    await run('a is read', async () => (await description()) === 'a');
    // One change is taken back, the other stays.
    await append([chain.block(2, 2, [], [{ token, uri: `${origin}/c` }]), chain.retract(3, 1, 2)]);
    await append([chain.block(4, 2, [], [{ token, uri: `${origin}/b` }])]);
    await append([chain.finalize(5, 2)]);
    await run('b is read', async () => (await description()) === 'b');
    expect(asked).toEqual(['/a', '/b', '/b.webp']);
    const name = (await values()).get(token)!.picture!;
    await store.store.command(`TRUNCATE TABLE ${pictures.database}.pictures SYNC`);
    expect(await pictures.read(name)).toBeNull();
    await run('the picture is there again', async () => (await pictures.read(name)) !== null && (await settled(1)));
    expect((await values()).get(token)).toMatchObject({ outcome: 'read', description: 'b', picture: name });
    // The newest says that there are none.
    await append([chain.block(6, 3, [], [{ token, uri: null }]), chain.finalize(7, 3)]);
    await run('it has none', async () => !(await log.readCompacted(tokenMetadataTopic)).has(metadataKey('sol', token)));
  });
});
