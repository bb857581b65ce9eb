import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { CursorSigner } from '#libs/core/cursor.js';
import type { Hex } from '#libs/core/ids.js';
import { servedMarket } from '#libs/devkit/testing/market/market-harness.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { until } from '#libs/devkit/testing/until.js';
import type { LogWriter } from '#libs/pipeline/event-log/log.js';
import { pictureName, rewritePicture } from '#libs/platform/outbound/picture.js';
import { encodeMetadata, metadataKey, type TokenMetadata } from '#libs/protocol/token-metadata.js';
import { tokenMetadataTopic } from '#libs/protocol/topics.js';
import { TestClock } from '#libs/serve/live/test/test-clock.js';
import { AnswerCache } from '../src/access/answer-cache.js';
import { ChainAccess } from '../src/access/chain-access.js';
import { DasParams } from '../src/gateway/das/das-params.js';
import { DasReads } from '../src/gateway/das/das-reads.js';
import { type Frame, SocketClient } from '../src/live/transport/test/live-clients.js';
import { MarketLists } from '../src/market/market-lists.js';
import { ApiHarness } from './api-harness.js';

const PUBLIC = 'https://api.example.com';
const SOCIALS = { twitter: 'https://x.com/pool', telegram: null, website: 'https://example.com/', discord: null };

/** What was fetched of tokens, in every row that shows it: REST, live and DAS. */
describe('pictures, descriptions and links of tokens', () => {
  const market = servedMarket(79, { groups: 60 });
  const last = market.facts.length - 1;
  const clock = new TestClock();
  let harness: ApiHarness;
  let writer: LogWriter;
  let token: Hex;
  let address: string;
  let picture: Buffer;
  let name: string;

  beforeAll(async () => {
    harness = await ApiHarness.start(market, { live: { clock } }, PUBLIC);
    await harness.advance(last, last);
    writer = await harness.live.log.openWriter('metadata');
    const naive = new NaiveMarket(market.chain, market.facts, last);
    // One that lists show: it has trades.
    const traded = market.facts
      .flatMap((facts) => (facts.kind === 'block' ? facts.trades : []))
      .map(({ base }) => base);
    token = naive.tokens().find((listed) => traded.includes(listed.token))!.token;
    address = `0x${token}`;
    picture = await rewritePicture(
      await sharp(randomBytes(48 * 48 * 3), { raw: { width: 48, height: 48, channels: 3 } })
        .png()
        .toBuffer(),
    );
    name = pictureName(picture);
  });
  afterAll(async () => {
    await writer.close();
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const state = (value: Partial<TokenMetadata> | null, of = token): Promise<void> => {
    const whole: TokenMetadata = {
      ...{ outcome: 'read', reason: null, uri: 'ipfs://x', source: null, readAt: 1, tries: 1, picture: null },
      ...{ description: null, ...SOCIALS, twitter: null, website: null, ...value },
    };
    return writer.append([
      { topic: tokenMetadataTopic, key: metadataKey('eth', of), value: value && encodeMetadata(whole) },
    ]);
  };
  const known = async (): Promise<void> => {
    await harness.pictures.insert(name, picture, 1);
    await state({ picture: name, description: 'A pool of its own', ...SOCIALS });
    await until('it is known', () => harness.reader.about.of(token).picture === name);
  };
  const rowOf = async (path: string): Promise<Frame> => {
    const { status, body } = await harness.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    const row = [body.data].flat().find((one: Frame) => (one.address ?? one.token) === address);
    expect({ path, row: row !== undefined }).toEqual({ path, row: true });
    return row;
  };

  it('is null everywhere before, and in every row afterwards', async () => {
    const paths = [
      ...[`/tokens/eth/${address}`, `/tokens?ids=eth:${address}`, `/search?q=${address}`],
      ...['/screener?chain=eth&limit=200', '/trending?chain=eth&limit=200&window=24h'],
    ];
    const holders = await harness.get(`/tokens/eth/${address}/holders`);
    const wallets: string[] = holders.body.data.map((holder: Frame) => holder.address);
    const holdings = wallets.slice(0, 1).map((wallet) => `/wallets/eth/${wallet}/holdings`);
    const before = new Map<string, Frame>();
    for (const path of [...paths, ...holdings]) before.set(path, await rowOf(path));
    const tags = new Map<string, string | null>();
    for (const path of paths) tags.set(path, (await harness.get(path)).headers.get('etag'));
    for (const [path, row] of before) expect({ path, image: row.image }).toEqual({ path, image: null });
    await known();
    const image = `${PUBLIC}/media/${name}`;
    for (const path of paths) {
      const { image: was, socials: none, description: no, ...same } = before.get(path)!;
      expect({ was, none }).toEqual({
        was: null,
        none: { twitter: null, telegram: null, website: null, discord: null },
      });
      const row = await rowOf(path);
      const described = 'description' in row ? { description: 'A pool of its own' } : {};
      expect(row).toEqual({ ...same, image, socials: SOCIALS, ...described });
      // An answer that is kept is not the one from before.
      const etag = tags.get(path);
      if (etag != null) expect((await harness.get(path, { headers: { 'if-none-match': etag } })).status).toBe(200);
    }
    for (const path of holdings) expect(await rowOf(path)).toEqual({ ...before.get(path), image });
    const document = await harness.documented(`/tokens/eth/${address}`, 'TokenAnswer');
    expect(document.data.description).toBe('A pool of its own');
  });

  it('serves the picture by its name, without a key and for ever, and for the token for a while', async () => {
    await known();
    const redirect = await harness.get(`/tokens/eth/${address}/image`, { redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, `${PUBLIC}/media/${name}`]);
    const shown: [string, string][] = [
      [`/media/${name}`, 'public, max-age=31536000, immutable'],
      [`/v1/media/${name}`, 'public, max-age=31536000, immutable'],
      [`/media/tokens/eth/${address}`, 'public, max-age=300'],
    ];
    for (const [path, cache] of shown) {
      const reply = await fetch(harness.api.url + path);
      const headers = Object.fromEntries(reply.headers);
      expect(reply.status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': cache,
        'x-content-type-options': 'nosniff',
      });
      expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox");
      expect(Buffer.from(await reply.arrayBuffer()).equals(picture)).toBe(true);
      const again = await fetch(harness.api.url + path, { headers: { 'if-none-match': headers.etag! } });
      expect([path, again.status]).toEqual([path, 304]);
    }
    const other = '0x'.padEnd(42, 'a');
    const pattern = await fetch(`${harness.api.url}/media/tokens/eth/${other}`);
    expect([pattern.status, pattern.headers.get('content-type')]).toEqual([200, 'image/png']);
    for (const path of ['/media/tokens/eth/me', `/media/tokens/nowhere/${address}`]) {
      expect([path, (await fetch(harness.api.url + path)).status]).toEqual([path, 400]);
    }
    // In the table and of no token: not looked for.
    const unknown = `${'0'.repeat(64)}.webp`;
    await harness.pictures.insert(unknown, picture, 1);
    expect((await fetch(`${harness.api.url}/media/${unknown}`)).status).toBe(404);
  });

  it('sends the whole token to those who follow it, when its picture comes', async () => {
    await state(null);
    await until('it is unknown', () => harness.reader.about.of(token).picture === null);
    const client = await SocketClient.open(`${harness.api.url}/ws`, { headers: { 'x-api-key': harness.key } });
    const snapshots = () => client.inbox.frames.filter(({ type }: Frame) => type === 'snapshot');
    client.send({ op: 'subscribe', id: 'a', channel: 'token', chain: 'eth', token: address });
    await until('the first snapshot', () => snapshots().length === 1);
    expect(snapshots()[0]!.data.image).toBeNull();
    await known();
    await until('the second snapshot', () => snapshots().length === 2);
    const rest = await harness.get(`/tokens/eth/${address}`);
    expect(snapshots()[1]!.data).toEqual(rest.body.data);
    expect(snapshots()[1]!.data.image).toBe(`${PUBLIC}/media/${name}`);
    // The same once more is nothing new; another token's is not this one's.
    const other = 'ab'.repeat(20);
    await state({ picture: name, description: 'A pool of its own', ...SOCIALS, readAt: 9 });
    await state({ description: 'x' }, other);
    await until('it was read', () => harness.reader.about.of(other).description === 'x');
    expect(snapshots().length).toBe(2);
    client.socket.terminate();
  });

  it('is what DAS shows of it', async () => {
    await known();
    const access = new ChainAccess(new Map([['eth', harness.reader]]));
    const signer = new CursorSigner(new Uint8Array(32));
    const lists = new MarketLists(access, new AnswerCache('x', signer), signer, { info() {}, warn() {}, error() {} });
    const asset = await new DasReads(access, signer, () => lists).asset('eth', new DasParams({ id: address }, ['id']));
    const image = `${PUBLIC}/media/${name}`;
    expect(asset.content).toMatchObject({
      ...{ json_uri: 'ipfs://x', files: [{ uri: image, mime: 'image/webp' }] },
      links: { image, external_url: 'https://example.com/' },
      metadata: { description: 'A pool of its own' },
    });
  });
});
