import { until } from '#libs/devkit/testing/until.js';
import { KEY, TransportHarness } from './test/transport-harness.js';

let harness: TransportHarness;
const start = async (options: Parameters<typeof TransportHarness.start>[0] = {}): Promise<void> => {
  harness = await TransportHarness.start(options);
};

afterEach(async () => {
  await harness.close();
  expect(harness.errors).toEqual([]);
});

const key = { 'x-api-key': KEY };

describe('an event stream', () => {
  it.each(['/stream/numbers', '/v1/stream/numbers'])('at %s is the frames as events', async (path) => {
    await start();
    const stream = await harness.stream(`${path}?list=a&apiKey=${KEY}`, {});
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
      'x-request-id': expect.any(String),
    });
    const subscribed = await stream.next();
    expect(subscribed).toMatchObject({ event: 'subscribed', id: null, data: { type: 'subscribed', resumed: false } });
    const snapshot = await stream.next();
    expect(snapshot.event).toBe('snapshot');
    expect(snapshot.id).toBe(`${snapshot.data.epoch}:0`);
    expect(snapshot.data).toMatchObject({ type: 'snapshot', channel: 'numbers', seq: 0, data: ['first'] });
    harness.numbers.push('a', 'second');
    expect(await stream.next()).toMatchObject({ event: 'numbers', id: `${snapshot.data.epoch}:1` });
    expect(harness.transports.status()).toMatchObject({ streams: 1, sockets: 0, subscriptions: 1 });
    stream.close();
    await stream.ended;
    await until(() => harness.numbers.open.size === 0);
    expect(harness.transports.status()).toMatchObject({ streams: 0, subscriptions: 0 });
  });

  it('goes on behind Last-Event-ID; the header is newer than the query', async () => {
    await start();
    const first = await harness.stream('/stream/numbers?list=a');
    const { id } = await first.next(({ event }) => event === 'snapshot');
    first.close();
    for (const entry of ['second', 'third']) harness.numbers.push('a', entry);
    const again = await harness.stream('/stream/numbers?list=a', { ...key, 'last-event-id': id! });
    expect((await again.next()).data).toMatchObject({ type: 'subscribed', resumed: true });
    expect((await again.next()).data).toMatchObject({ type: 'numbers', seq: 1, data: ['second'] });
    const { id: third } = await again.next();
    const query = await harness.stream(`/stream/numbers?list=a&lastEventId=${encodeURIComponent(third!)}`);
    expect((await query.next()).data).toMatchObject({ type: 'subscribed', resumed: true });
    const both = await harness.stream(`/stream/numbers?list=a&lastEventId=${third}`, { ...key, 'last-event-id': id! });
    await both.next();
    expect((await both.next()).data).toMatchObject({ seq: 1 });
  });

  it('begins with a snapshot where an id is not ours, and refuses such a query', async () => {
    await start();
    for (const id of ['numbers-0:0', 'nonsense', ':', 'numbers-1:99']) {
      const stream = await harness.stream('/stream/numbers?list=a', { ...key, 'last-event-id': id });
      expect((await stream.next()).data.resumed).toBe(false);
      expect((await stream.next()).event).toBe('snapshot');
    }
    const { status, body } = await harness.get('/stream/numbers?list=a&lastEventId=nonsense');
    expect([status, body.error.code]).toEqual([400, 'bad_request']);
    expect(body.error.message).toBe('lastEventId must be the id of an event: epoch:seq');
  });

  it('carries a comment while nothing happens', async () => {
    await start({ heartbeatMs: 20 });
    const stream = await harness.stream('/stream/numbers?list=a');
    expect(await stream.comment()).toBe(': alive');
    expect(await stream.comment()).toBe(': alive');
  });

  it('is refused in JSON before it starts', async () => {
    await start();
    const cases = [
      ['/stream/numbers', key, 400, 'bad_request', 'list is required'],
      ['/stream/numbers?list=', key, 400, 'bad_request', 'list is required'],
      ['/stream/foo?list=a', key, 404, 'not_found', 'unknown channel'],
      ['/stream/numbers?list=a', {}, 401, 'unauthorized', 'an API key is needed'],
      ['/stream/foo', {}, 401, 'unauthorized', 'an API key is needed'],
      ['/stream', key, 404, 'not_found', 'no route'],
    ] as const;
    for (const [path, headers, status, code, message] of cases) {
      const reply = await harness.get(path, headers);
      expect([path, reply.status, reply.body.error.code]).toEqual([path, status, code]);
      expect(reply.body.error.message).toContain(message);
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    }
    const post = await harness.get('/stream/numbers', key, 'POST');
    expect([post.status, post.headers.allow, post.text]).toEqual([405, 'GET', '']);
    expect(harness.transports.status()).toMatchObject({ streams: 0, connections: 0, keys: 0 });
  });

  it('answers HEAD with its head alone and keeps nothing open', async () => {
    await start({ maxConnections: 1 });
    for (let round = 0; round < 3; round++) {
      const { status, headers, text } = await harness.get('/stream/numbers?list=a', key, 'HEAD');
      expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
    }
    expect((await harness.get('/stream/numbers', key, 'HEAD')).status).toBe(400);
    expect(harness.transports.status()).toMatchObject({ streams: 0, connections: 0, keys: 0 });
  });

  it('uses the first of a repeated parameter, and hands no key to the channel', async () => {
    await start();
    await harness.stream(`/stream/numbers?list=a&list=b&apiKey=${KEY}`, {});
    expect([...harness.numbers.open]).toEqual(['a']);
  });

  it('ends when the service stops', async () => {
    await start();
    const stream = await harness.stream('/stream/numbers?list=a');
    await harness.transports.close();
    await stream.ended;
    expect((await harness.get('/stream/numbers?list=a')).body.error.code).toBe('server_busy');
  });

  it('says so and ends when its key is taken back', async () => {
    await start({ keepAliveMs: 30 });
    const stream = await harness.stream('/stream/numbers?list=a');
    harness.revoke();
    const { data } = await stream.next(({ event }) => event === 'error');
    expect(data).toMatchObject({ type: 'error', id: null, code: 'unauthorized' });
    await stream.ended;
  });

  it('at capacity is refused, also beside sockets, and the open ones go on', async () => {
    await start({ maxConnections: 1 });
    const stream = await harness.stream('/stream/numbers?list=a');
    await stream.next(({ event }) => event === 'snapshot');
    const { status, headers, body } = await harness.get('/stream/numbers?list=a');
    expect([status, headers['retry-after'], body.error.code]).toEqual([503, '30', 'server_busy']);
    expect((await harness.refusal('/ws', key)).status).toBe(503);
    expect((await harness.get('/stream/foo')).status).toBe(404);
    harness.numbers.push('a', 'second');
    expect((await stream.next()).data).toMatchObject({ data: ['second'] });
    stream.close();
    await until(() => harness.transports.status().streams === 0);
    await harness.stream('/stream/numbers?list=a');
  });

  it('that is read slowly lags and begins again', async () => {
    await start({ limits: { bufferBytes: 256 * 1024 } });
    const stream = await harness.stream('/stream/numbers?list=a');
    await stream.next(({ event }) => event === 'snapshot');
    stream.response.pause();
    const sent = harness.transports.status().framesOut;
    for (let pushed = 0; harness.transports.status().framesOut - sent === pushed; pushed++) {
      harness.numbers.push('a', 'z'.repeat(100_000));
      await new Promise((turn) => setImmediate(turn));
    }
    stream.response.resume();
    const lagged = await stream.next(({ event }) => event === 'lagged');
    expect(lagged.id).toBe(null);
    expect((await stream.next()).event).toBe('snapshot');
  });
});
