import { once } from 'node:events';
import { connect } from 'node:net';
import { jest } from '@jest/globals';
import { WebSocket } from 'ws';
import { SeededRandom, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { KEEP_ALIVE_MS, roundsByHand } from './test/rounds.js';
import { HANDSHAKE, KEY, plainRequest, TransportHarness } from './test/transport-harness.js';
import { WebSocketFrames } from './web-socket-frames.js';

let harness: TransportHarness;
const start = async (options: Parameters<typeof TransportHarness.start>[0] = {}): Promise<TransportHarness> => {
  harness = await TransportHarness.start(options);
  return harness;
};

afterEach(async () => {
  await harness.close();
  expect(harness.errors).toEqual([]);
});

const subscribe = { op: 'subscribe', id: 's', channel: 'numbers', list: 'a' };

describe('the upgrade', () => {
  it('is granted on both paths of the api and on all three of the socket listener', async () => {
    const { api, sockets } = await start();
    const places = [
      ...['/ws', '/v1/ws'].map((path) => [path, api] as const),
      ...['/', '/ws', '/v1/ws'].map((path) => [path, sockets] as const),
    ];
    for (const [path, listener] of places) {
      const client = await harness.connect(path, {}, listener);
      expect(await client.ask({ op: 'ping', id: path })).toEqual({ type: 'pong', id: path });
    }
    expect(harness.transports.status().sockets).toBe(places.length);
  });

  it('takes the key from every place where a request may carry it', async () => {
    await start();
    const headers: Record<string, string>[] = [{ 'x-api-key': KEY }, { authorization: `Bearer ${KEY}` }];
    for (const header of headers) expect((await harness.refusal('/ws', header)).status).toBe(101);
    for (const query of [`apiKey=${KEY}`, `api_key=${KEY}`, `apiKey=&api_key=${KEY}`, `apiKey=${KEY}&apiKey=x`]) {
      expect((await harness.refusal(`/ws?${query}`)).status).toBe(101);
    }
  });

  it.each([
    ['no key', '/ws', {}, 'an API key is needed'],
    ['an unknown key', '/ws?apiKey=tp_other', {}, 'this API key is unknown'],
    ['a wrong header before a right query', `/ws?apiKey=${KEY}`, { 'x-api-key': 'wrong' }, 'this API key is unknown'],
    ['an empty key', '/v1/ws?apiKey=', { 'x-api-key': '' }, 'an API key is needed'],
  ])('is no socket with %s', async (_case, path, headers, message) => {
    await start();
    const { status, body, headers: answered } = await harness.refusal(path, headers);
    expect(status).toBe(401);
    expect(answered['content-type']).toBe('application/json; charset=utf-8');
    expect(answered['access-control-allow-origin']).toBe('*');
    expect(answered['x-request-id']).toBeDefined();
    expect(body).toEqual({ error: { code: 'unauthorized', message: expect.stringContaining(message) } });
    expect(harness.hub.stats().connections).toBe(0);
  });

  it('is a 404 at another path, and at another path of the socket listener', async () => {
    await start();
    for (const listener of [harness.api, harness.sockets]) {
      const { status, body } = await harness.refusal('/wss', { 'x-api-key': KEY }, listener);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    }
    const { status } = await harness.refusal('/stream', { 'x-api-key': KEY });
    expect(status).toBe(404);
    expect((await plainRequest(harness.sockets, '/health', {})).body).toEqual({ status: 'ok' });
    expect((await plainRequest(harness.sockets, '/tokens', { 'x-api-key': KEY })).status).toBe(404);
  });

  it('says what is wrong with a handshake', async () => {
    await start();
    const key = { 'x-api-key': KEY };
    const old = await harness.refusal('/ws', { ...key, 'sec-websocket-version': '8' });
    expect([old.status, old.headers['sec-websocket-version']]).toEqual([426, '13']);
    expect(old.body.error.message).toBe('sec-websocket-version must be 13');
    const short = await harness.refusal('/ws', { ...key, 'sec-websocket-key': 'abc' });
    expect([short.status, short.body.error.code]).toEqual([400, 'bad_request']);
    const plain = await harness.get('/ws');
    expect([plain.status, plain.headers.upgrade]).toEqual([426, 'websocket']);
    expect((await harness.get('/ws', {})).status).toBe(401);
    const post = await harness.get('/ws', key, 'POST');
    expect([post.status, post.headers.allow, post.text]).toEqual([405, 'GET', '']);
  });

  it('to another protocol is ignored: the request is served as an ordinary one', async () => {
    await start();
    const upgrade = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
    const { status, body, headers } = await plainRequest(harness.api, '/health', upgrade);
    expect([status, body]).toEqual([200, { status: 'ok' }]);
    expect(headers.connection).toBe('close');
  });

  it('survives clients that vanish in the middle of it', async () => {
    await start({ maxConnections: 1 });
    const { port } = new URL(harness.api.url);
    for (const path of [`/ws?apiKey=${KEY}`, '/ws', '/nothing']) {
      const socket = connect(Number(port), '127.0.0.1');
      const lines = Object.entries({ host: 'x', ...HANDSHAKE }).map(([name, value]) => `${name}: ${value}`);
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    // The one place is free again as soon as the broken connection is noticed.
    for (;;) {
      if ((await harness.refusal('/ws', { 'x-api-key': KEY })).status === 101) break;
    }
  });
});

describe('an open socket', () => {
  it('subscribes, follows, unsubscribes', async () => {
    await start();
    const client = await harness.connect();
    expect(await client.ask(subscribe)).toEqual({ type: 'subscribed', id: 's', channel: 'numbers', resumed: false });
    expect(await client.next()).toMatchObject({ type: 'snapshot', id: 's', seq: 0, data: ['first'] });
    harness.numbers.push('a', 'second');
    expect(await client.next()).toMatchObject({ type: 'numbers', id: 's', seq: 1, data: ['second'] });
    expect(await client.ask({ op: 'unsubscribe', id: 's' })).toMatchObject({ type: 'unsubscribed', id: 's' });
    expect(harness.numbers.open.size).toBe(0);
    const { framesIn, framesOut, bytesOut } = harness.transports.status();
    expect([framesIn, framesOut]).toEqual([2, 4]);
    expect(bytesOut).toBeGreaterThan(100);
  });

  it('is told that binary frames are none, and goes on', async () => {
    await start();
    const client = await harness.connect();
    client.socket.send(Buffer.from('{"op":"ping"}'), { binary: true });
    expect(await client.next()).toEqual({
      ...{ type: 'error', id: null, code: 'bad_request' },
      message: 'frames must be JSON: send them as text, not as binary',
    });
    expect(await client.ask({ op: 'ping', id: 1 })).toEqual({ type: 'pong', id: 1 });
  });

  it('is closed at a message above 64 KiB, and takes one just below', async () => {
    await start();
    const client = await harness.connect();
    const padding = 'x'.repeat(64 * 1024 - 40);
    expect(await client.ask({ op: 'ping', id: 1, padding })).toEqual({ type: 'pong', id: 1 });
    client.send(`{"op":"ping","padding":"${'x'.repeat(64 * 1024)}"}`);
    expect((await client.closed).code).toBe(1009);
    // A compressed message counts with what it unfolds to.
    const other = await harness.connect('/ws', { perMessageDeflate: { threshold: 0 } });
    other.send(`{"op":"ping","padding":"${'x'.repeat(1024 * 1024)}"}`);
    expect((await other.closed).code).toBe(1009);
  });

  it('ends with 4401 when its key is taken back', async () => {
    await start({ keepAliveMs: 40 });
    const client = await harness.connect();
    harness.revoke();
    expect(await client.closed).toEqual({ code: 4401, reason: 'the key is no longer accepted' });
    expect(harness.transports.status().revoked).toBe(1);
  });

  it('ends with 1012 when the service stops', async () => {
    await start();
    const clients = await Promise.all([harness.connect(), harness.connect('/', {}, harness.sockets)]);
    const closed = harness.transports.close();
    for (const client of clients) expect((await client.closed).code).toBe(1012);
    await closed;
    expect((await harness.refusal('/ws', { 'x-api-key': KEY })).status).toBe(503);
  });

  it('that sends more messages than it may is read more slowly, and gets every answer', async () => {
    await start();
    const client = await harness.connect();
    for (let id = 1; id <= 450; id++) client.send({ op: 'ping', id });
    for (let id = 1; id <= 450; id++) expect(await client.next()).toEqual({ type: 'pong', id });
  });

  it('compresses large frames where the client offers it, and small ones never', async () => {
    await start();
    const bytesRead = (socket: unknown): number => (socket as { _socket: { bytesRead: number } })._socket.bytesRead;
    const client = await harness.connect();
    expect(client.socket.extensions).toContain('permessage-deflate');
    client.send(subscribe);
    await client.next(({ type }) => type === 'snapshot');
    const before = bytesRead(client.socket);
    harness.numbers.push('a', 'x'.repeat(50_000));
    expect((await client.next()).data[0]).toHaveLength(50_000);
    const small = bytesRead(client.socket);
    expect(small - before).toBeLessThan(5_000);
    harness.numbers.push('a', 'y'.repeat(2_000));
    await client.next();
    expect(bytesRead(client.socket) - small).toBeGreaterThan(2_000);
  });

  it('gets what was sent behind a large frame after it, whether the large one is compressed or not', async () => {
    await start();
    const seed = testSeed();
    const random = new SeededRandom(seed);
    const clients = await Promise.all([
      ...[1, 2, 3].map(() => harness.connect()),
      harness.connect('/ws', { perMessageDeflate: false }),
      harness.connect('/ws', { perMessageDeflate: { serverMaxWindowBits: 10 } }),
    ]);
    for (const client of clients) {
      client.send(subscribe);
      await client.next(({ type }) => type === 'snapshot');
    }
    const entries: string[] = [];
    for (let pushed = 0; pushed < 120; pushed++) {
      const length = random.chance(0.4) ? random.int(4_000, 60_000) : random.int(0, 300);
      // Half of them can hardly be compressed.
      const entry = random.chance(0.5) ? 'ü'.repeat(length / 2) : random.hex(Math.ceil(length / 2));
      entries.push(entry);
      harness.numbers.push('a', entry);
      if (random.chance(0.3)) await new Promise((turn) => setImmediate(turn));
    }
    for (const [n, client] of clients.entries()) {
      const got: string[] = [];
      for (let at = 0; at < entries.length; at++) got.push((await client.next()).data[0]);
      expect({ seed, n, same: got.every((entry, at) => entry === entries[at]) }).toEqual({ seed, n, same: true });
    }
    expect(harness.transports.status()).toMatchObject({ lagged: 0, slowClosed: 0 });
  });
});

it('a frame is compressed once for all sockets', async () => {
  const frames = new WebSocketFrames();
  const frame = { type: 'trades', epoch: null, seq: null, text: JSON.stringify('x'.repeat(10_000)) };
  const first = frames.compressed(frames.of(frame));
  expect(frames.compressed(frames.of(frame))).toBe(first);
  const bytes = await first;
  expect(frames.compressed(frames.of(frame))).toBe(bytes);
  expect(bytes.length).toBeLessThan(200);
});

describe('at capacity', () => {
  it('one more is answered 503 and what is open goes on', async () => {
    await start({ maxConnections: 1 });
    const client = await harness.connect();
    client.send(subscribe);
    await client.next(({ type }) => type === 'snapshot');
    for (const path of ['/ws', '/v1/ws']) {
      const { status, headers, body } = await harness.refusal(path, { 'x-api-key': KEY });
      expect([status, headers['retry-after'], body.error.code]).toEqual([503, '30', 'server_busy']);
    }
    const stream = await harness.get('/stream/numbers?list=a');
    expect([stream.status, stream.headers['retry-after'], stream.body.error.code]).toEqual([503, '30', 'server_busy']);
    expect((await harness.refusal('/ws')).status).toBe(401);
    // The other listener has a capacity of its own.
    await harness.connect('/', {}, harness.sockets);
    harness.numbers.push('a', 'second');
    expect(await client.next()).toMatchObject({ type: 'numbers', data: ['second'] });
    expect(harness.transports.status().busy).toBe(3);
    client.socket.close();
    await client.closed;
    for (;;) {
      if ((await harness.refusal('/ws', { 'x-api-key': KEY })).status === 101) break;
    }
  });
});

describe('a silent connection', () => {
  const round = roundsByHand();

  it('that gives no sign of life is ended; one that answers pings is not', async () => {
    await start({ keepAliveMs: KEEP_ALIVE_MS });
    const heard = jest.spyOn(WebSocket.prototype, 'emit');
    const silent = await harness.connect('/ws', { autoPong: false });
    const lively = await harness.connect();
    for (let pongs = 1; pongs <= 3; pongs++) {
      round();
      await until('a pong', () => heard.mock.calls.filter(([event]) => event === 'pong').length === pongs);
    }
    heard.mockRestore();
    expect((await silent.closed).code).toBe(1006);
    expect(await lively.ask({ op: 'ping' })).toEqual({ type: 'pong', id: null });
    expect(harness.transports.status()).toMatchObject({ dead: 1, sockets: 1 });
  });
});

describe('a slow reader', () => {
  const PIECE = 'z'.repeat(100_000);

  /** Pushes until the client's transport is full and frames are dropped. */
  const overfill = async (): Promise<void> => {
    const sent = harness.transports.status().framesOut;
    for (let pushed = 0; harness.transports.status().framesOut - sent === pushed; pushed++) {
      harness.numbers.push('a', PIECE);
      await new Promise((turn) => setImmediate(turn));
    }
  };

  it('is told that it lagged and gets a fresh snapshot, while others miss nothing', async () => {
    await start({ limits: { bufferBytes: 256 * 1024 } });
    const [slow, other] = await Promise.all([
      harness.connect('/ws', { perMessageDeflate: false }),
      harness.connect('/ws', { perMessageDeflate: false }),
    ]);
    for (const client of [slow, other]) {
      client.send({ ...subscribe, list: client === slow ? 'a' : 'b' });
      await client.next(({ type }) => type === 'snapshot');
    }
    slow.socket.pause();
    await overfill();
    harness.numbers.push('b', 'unharmed');
    expect(await other.next()).toMatchObject({ data: ['unharmed'] });
    slow.socket.resume();
    let seq = 0;
    let frame = await slow.next();
    for (; frame.type === 'numbers'; frame = await slow.next()) expect(frame.seq).toBe(++seq);
    expect(frame).toEqual({ type: 'lagged', id: 's', channel: 'numbers' });
    const snapshot = await slow.next();
    expect(snapshot.type).toBe('snapshot');
    expect(snapshot.seq).toBeGreaterThan(seq);
    harness.numbers.push('a', 'after');
    expect(await slow.next()).toMatchObject({ type: 'numbers', seq: snapshot.seq + 1, data: ['after'] });
    expect(harness.transports.status()).toMatchObject({ lagged: 1, slowClosed: 0 });
  });

  it('that never reads again is cut with 4408', async () => {
    await start({ limits: { bufferBytes: 256 * 1024, drainMs: 50 } });
    const slow = await harness.connect('/ws', { perMessageDeflate: false });
    slow.send(subscribe);
    await slow.next(({ type }) => type === 'snapshot');
    slow.socket.pause();
    await overfill();
    await until(() => harness.transports.status().slowClosed > 0);
    slow.socket.resume();
    expect(await slow.closed).toEqual({ code: 4408, reason: 'the client reads too slowly' });
  });
});
