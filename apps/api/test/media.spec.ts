import { createHash } from 'node:crypto';
import { servedMarket } from '#libs/devkit/testing/market/market-harness.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { ApiHarness } from './api-harness.js';

/** Pictures: where they lead, that they need no key, and that nothing but a picture is ever served. */
describe('pictures of tokens', () => {
  const market = servedMarket(77, { groups: 60 });
  const last = market.facts.length - 1;
  let harness: ApiHarness;
  let naive: NaiveMarket;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(last, last);
    naive = new NaiveMarket(market.chain, market.facts, last);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  it('leads to a pattern of its own for each token without a picture', async () => {
    const seen = new Set<string>();
    for (const { token } of naive.tokens()) {
      const reply = await harness.get(`/tokens/eth/0x${token}/image`, { redirect: 'manual' });
      expect({ status: reply.status, text: reply.text }).toEqual({ status: 302, text: '' });
      const location = reply.headers.get('location')!;
      expect(location).toMatch(/^\/media\/placeholder-[0-9a-f]{16}\.png$/);
      for (const prefix of ['', '/v1']) {
        const picture = await fetch(harness.api.url + prefix + location);
        expect(picture.status).toBe(200);
        expect(picture.headers.get('content-type')).toBe('image/png');
        expect(picture.headers.get('x-content-type-options')).toBe('nosniff');
        const bytes = Buffer.from(await picture.arrayBuffer());
        expect(bytes.subarray(1, 4).toString()).toBe('PNG');
        expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([120, 120]);
        seen.add(createHash('sha256').update(bytes).digest('hex'));
      }
    }
    expect(seen.size).toBe(naive.tokens().length);
    const alias = await harness.get(`/tokens/1/0x${naive.tokens()[0]!.token}/image`, { redirect: 'manual' });
    const plain = await harness.get(`/tokens/eth/0x${naive.tokens()[0]!.token}/image`, { redirect: 'manual' });
    expect(alias.headers.get('location')).toBe(plain.headers.get('location'));
  });

  it('knows no other files', async () => {
    const names = [
      ...['placeholder-.png', 'placeholder-00.png', 'placeholder-0123456789abcdeg.png', 'placeholder-0123456789abcdef'],
      ...['placeholder-0123456789abcdef.svg', 'placeholder-0123456789abcdef.png.png', '..%2f..%2fpackage.json'],
      ...[`${'0'.repeat(64)}.png`, 'a.png', '__proto__.png', 'x'.repeat(300)],
    ];
    for (const name of names) {
      const reply = await harness.get(`/media/${name}`, { key: null });
      expect({ name, status: reply.status }).toEqual({ name, status: 404 });
    }
    expect((await harness.get(`/tokens/eth/0x${'ab'.repeat(20)}/image`)).status).toBe(404);
    expect((await harness.get('/tokens/eth/me/image')).status).toBe(400);
    expect((await harness.get(`/tokens/eth/0x${naive.tokens()[0]!.token}/image`, { key: null })).status).toBe(401);
  });
});
