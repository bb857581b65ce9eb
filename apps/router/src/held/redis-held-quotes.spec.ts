import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '#libs/devkit/testing/guarded-server.js';
import { until } from '#libs/devkit/testing/until.js';
import type { HeldQuotes } from './held-quotes.js';
import { openHeldQuotes } from './open-held-quotes.js';
import { QuoteStoreUnavailableError } from './quote-store-unavailable.js';
import { RedisHeldQuotes } from './redis-held-quotes.js';
import { held, heldQuotesContract, someQuote } from './test/held-quotes-contract.js';
import { describeWithRedis, type RedisServer, startRedis } from './test/redis-server.js';

const lines: { level: string; fields: object; message: string }[] = [];
const logger = Object.fromEntries(
  ['info', 'warn', 'error'].map((level) => [
    level,
    (fields: object, message: string) => void lines.push({ level, fields, message }),
  ]),
) as Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** Once Redis answers commands. */
const answering = (store: HeldQuotes): Promise<void> =>
  until('an answer of Redis', async () => {
    try {
      await store.find(randomUUID());
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(QuoteStoreUnavailableError);
      return false;
    }
  });

/** Refused by the store itself: nothing else ends the question. */
async function refused(store: HeldQuotes): Promise<void> {
  const quote = someQuote();
  for (const ask of [async () => held(store).hold(quote, 1_000), async () => store.find(quote.quoteId)])
    await expect(ask()).rejects.toBeInstanceOf(QuoteStoreUnavailableError);
}

describeWithRedis('held quotes in Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  beforeEach(() => void lines.splice(0));

  describe('as every store', () =>
    heldQuotesContract(async () => {
      const store = new RedisHeldQuotes({ url: server.url, logger, keyPrefix: `test:${randomUUID()}:` });
      await answering(store);
      return { store, pass: (ms) => sleep(ms), close: async () => store.close() };
    }));

  it('is shared by every router of one Redis, under its own keys, with an end', async () => {
    const [one, other] = [await openHeldQuotes(server.url, logger), await openHeldQuotes(server.url, logger)];
    const raw = new Redis(server.url);
    try {
      await Promise.all([answering(one.quotes), answering(other.quotes)]);
      const quote = someQuote();
      await held(one.quotes).hold(quote, 900_000);
      expect(await held(other.quotes).find(quote.quoteId)).toEqual(quote);
      const left = await raw.pttl(`tidepool:quote:${quote.quoteId}`);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(900_000);
    } finally {
      one.close();
      other.close();
      raw.disconnect();
    }
  });

  it('says at once that nobody is there', async () => {
    const url = `redis://user:very-secret-password@127.0.0.1:${await freePort()}`;
    const store = new RedisHeldQuotes({ url, logger });
    const warnings = () => lines.filter(({ level }) => level === 'warn');
    await refused(store);
    await until('a warning', () => warnings().length > 0);
    for (let asked = 0; asked < 20; asked++) await refused(store);
    store.close();
    expect(warnings()).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('very-secret-password');
  });

  it('says soon that Redis is silent, and goes on when it is not', async () => {
    const store = new RedisHeldQuotes({ url: server.url, logger, timeoutMs: 2_000 });
    await answering(store);
    const quote = someQuote();
    await held(store).hold(quote, 60_000);
    server.freeze();
    try {
      await refused(store);
    } finally {
      server.thaw();
    }
    await answering(store);
    expect(await held(store).find(quote.quoteId)).toEqual(quote);
    store.close();
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('survives a Redis that was killed: its quotes are gone, new ones are held', async () => {
    const store = new RedisHeldQuotes({ url: server.url, logger, timeoutMs: 2_000 });
    await answering(store);
    const quote = someQuote();
    await held(store).hold(quote, 60_000);
    await server.kill9();
    await refused(store);
    await server.restart();
    await answering(store);
    expect(await store.find(quote.quoteId)).toBeNull();
    await held(store).hold(quote, 60_000);
    expect(await held(store).find(quote.quoteId)).toEqual(quote);
    store.close();
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });
});
