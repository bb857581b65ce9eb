import { until } from '#libs/devkit/testing/until.js';
import { IoClient, type IoOptions } from '../test/socket-io-client.js';
import { HANDSHAKE, KEY, TransportHarness } from '../test/transport-harness.js';

let harness: TransportHarness;
let clients: IoClient[] = [];
const start = async (options: Parameters<typeof TransportHarness.start>[0] = {}): Promise<TransportHarness> => {
  harness = await TransportHarness.start(options);
  return harness;
};
const connect = async (options?: IoOptions, listener = harness.api): Promise<IoClient> => {
  const client = await IoClient.open(listener.url, options);
  clients.push(client);
  return client;
};

afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await harness.close();
  expect(harness.transports.status()).toMatchObject({ socketIo: 0, connections: 0 });
  expect(harness.errors).toEqual([]);
});

const ENGINE = '/socket.io/?EIO=4&transport=websocket';

describe('a connection', () => {
  it('is granted on both listeners, with and without the prefix, with the key in a header or in the query', async () => {
    const { api, sockets } = await start();
    const ways: [IoOptions, typeof api][] = [
      [{}, api],
      [{}, sockets],
      [{ path: '/v1/socket.io' }, api],
      [{ extraHeaders: { authorization: `Bearer ${KEY}` } }, api],
      [{ extraHeaders: {}, query: { apiKey: KEY } }, api],
    ];
    for (const [options, listener] of ways) {
      expect(await (await connect(options, listener)).ask('ping', { id: 7 })).toEqual({ type: 'pong', id: 7 });
    }
    expect(harness.transports.status()).toMatchObject({ socketIo: ways.length, sockets: 0, connections: ways.length });
  });

  it('is none without a key that is known: engine.io never sees it', async () => {
    await start();
    for (const extraHeaders of [{}, { 'x-api-key': 'tp_other' }] as Record<string, string>[]) {
      const client = new IoClient(harness.api.url, { extraHeaders });
      expect(await client.outcome).toBeInstanceOf(Error);
      const { status, body } = await harness.refusal(ENGINE, extraHeaders);
      expect([status, body.error.code]).toEqual([401, 'unauthorized']);
    }
    expect(harness.transports.status().socketIo).toBe(0);
  });

  it.each([
    ['long polling', '/socket.io/?EIO=4&transport=polling', "give the client the option transports: ['websocket']"],
    ['an old client', '/socket.io/?EIO=3&transport=websocket', 'EIO must be 4'],
    ['a session of another transport', `${ENGINE}&sid=abc`, 'transport must be websocket'],
  ])('is refused in words to %s', async (_case, path, words) => {
    await start();
    const plain = await harness.get(path);
    const upgrade = await harness.refusal(path, { 'x-api-key': KEY });
    for (const { status, body } of [plain, upgrade]) {
      expect([status, body.error.code]).toEqual([400, 'bad_request']);
      expect(body.error.message).toContain(words);
    }
    expect((await harness.get(path, {})).status).toBe(401);
    expect((await harness.get(ENGINE)).status).toBe(426);
  });

  it('joins the namespace of the live interface and no other', async () => {
    await start();
    const client = await connect();
    for (const [name, words] of [
      ['/', 'the live interface is the namespace /live'],
      ['/other', 'Invalid namespace'],
    ] as const) {
      const other = client.socket.io.socket(name);
      const error = await new Promise<Error>((done) => other.once('connect_error', done));
      expect(error.message).toBe(words);
      other.disconnect();
    }
    expect(harness.hub.stats().connections).toBe(1);
  });

  it('shares the capacity of its listener, and open ones go on when it is full', async () => {
    await start({ maxConnections: 2 });
    const socket = await harness.connect();
    const client = await connect();
    for (const path of [ENGINE, '/ws', '/v1/ws']) {
      const { status, headers, body } = await harness.refusal(path, { 'x-api-key': KEY });
      expect([status, headers['retry-after'], body.error.code]).toEqual([503, '30', 'server_busy']);
    }
    expect(harness.transports.status().busy).toBe(3);
    expect(await client.ask('ping')).toEqual({ type: 'pong', id: null });
    socket.socket.close();
    await socket.closed;
    await until('a free place', () => harness.transports.status().sockets === 0);
    await connect();
  });
});

it('gets, for the same operations, the frames of a WebSocket', async () => {
  await start();
  const socket = await harness.connect();
  const client = await connect();
  const operations: [string, Record<string, unknown>, number][] = [
    ['subscribe', { id: 's', channel: 'numbers', list: 'a' }, 2],
    ['subscribe', { id: 's', channel: 'numbers', list: 'b' }, 1],
    ['subscribe', { channel: 'numbers' }, 1],
    ['subscribe', { id: 'x', channel: 'nothing' }, 1],
    ['subscribe', { id: 'x' }, 1],
    ['subscribe', { id: '', channel: 'numbers', list: 'a' }, 1],
    ['subscribe', { id: 'r', channel: 'numbers', list: 'a', resume: { epoch: 1 } }, 1],
    ['subscribe', { id: 'r', channel: 'numbers', list: 'a', resume: { epoch: 'numbers-1', seq: 0 } }, 1],
    ['unsubscribe', { id: 'none' }, 1],
    ['unsubscribe', { id: 'r' }, 1],
    ['ping', { id: 1, op: 'subscribe' }, 1],
  ];
  for (const [op, fields, answers] of operations) {
    socket.send({ ...fields, op });
    client.socket.emit(op, fields);
    for (let answer = 0; answer < answers; answer++) expect(await client.next()).toEqual(await socket.next());
  }
  for (const entry of ['second', 'grüße \u2028 "x"', 'z'.repeat(100_000)]) {
    harness.numbers.push('a', entry);
    const frame = await client.next();
    expect(frame).toEqual(await socket.next());
    expect(frame).toMatchObject({ type: 'numbers', id: 's', data: [entry] });
  }
  const { framesOut } = harness.transports.status();
  expect(framesOut % 2).toBe(0);
});

it('takes whatever an event carries as an operation, and acknowledges one that asks for it', async () => {
  await start();
  const client = await connect();
  for (const odd of [undefined, null, 5, 'text', [1, 2]]) {
    expect(await client.ask('subscribe', odd)).toMatchObject({ type: 'error', message: 'channel is required' });
  }
  expect(await client.socket.emitWithAck('ping', { id: 'a' })).toBeUndefined();
  expect(await client.next()).toEqual({ type: 'pong', id: 'a' });
  expect(await client.socket.emitWithAck('ping')).toBeUndefined();
  client.socket.emit('nothing', { id: 1 });
  client.socket.emit('subscribe', Buffer.from('binary'));
  expect(await client.next(({ type }) => type === 'error')).toMatchObject({ message: 'channel is required' });
});

it('goes on where it was after a lost connection, also at another listener', async () => {
  await start();
  const first = await connect();
  first.socket.emit('subscribe', { id: 's', channel: 'numbers', list: 'a' });
  const { epoch, seq } = await first.next(({ type }) => type === 'snapshot');
  first.socket.io.engine.close();
  await first.disconnected;
  for (const entry of ['one', 'two']) harness.numbers.push('a', entry);
  const again = await connect({}, harness.sockets);
  const fields = { id: 's', channel: 'numbers', list: 'a', resume: { epoch, seq } };
  expect(await again.ask('subscribe', fields)).toMatchObject({ type: 'subscribed', resumed: true });
  harness.numbers.push('a', 'three');
  for (const entry of ['one', 'two', 'three']) expect(await again.next()).toMatchObject({ data: [entry] });
});

it('takes 200 subscriptions and no more', async () => {
  await start();
  const client = await connect();
  const open = (id: number): void => void client.socket.emit('subscribe', { id, channel: 'numbers', list: 'a' });
  for (let id = 1; id <= 201; id++) open(id);
  const refused = await client.next(({ type }) => type === 'error');
  expect(refused).toMatchObject({ id: 201, message: 'at most 200 subscriptions per socket' });
  harness.numbers.push('a', 'second');
  for (let id = 1; id <= 200; id++)
    expect((await client.next(({ type }) => type === 'numbers')).data).toEqual(['second']);
  expect(await client.ask('unsubscribe', { id: 1 })).toMatchObject({ type: 'unsubscribed' });
  expect(await client.ask('subscribe', { id: 201, channel: 'numbers', list: 'a' })).toMatchObject({
    type: 'subscribed',
  });
});

it('ends without coming back when the key is taken back', async () => {
  await start({ keepAliveMs: 50 });
  const client = await connect({ reconnection: true });
  harness.revoke();
  expect(await client.disconnected).toBe('io server disconnect');
  expect(client.ends).toEqual([{ code: 4401, reason: 'the key is no longer accepted' }]);
  expect(harness.transports.status().revoked).toBe(1);
});

it('is told to come back when the service restarts, and the end waits for nobody', async () => {
  await start();
  const client = await connect();
  const silent = await connect();
  silent.raw.pause();
  await harness.transports.close();
  expect(await client.disconnected).toBe('transport close');
  expect(client.ends).toEqual([{ code: 1012, reason: 'service restart' }]);
});

it('drops frames for a client that does not read, then says lagged and sends a snapshot', async () => {
  const bufferBytes = 256 * 1024;
  await start({ limits: { bufferBytes, drainMs: 1_000_000 } });
  const piece = 'z'.repeat(128 * 1024);
  const client = await connect();
  const other = await harness.connect();
  client.socket.emit('subscribe', { id: 's', channel: 'numbers', list: 'a' });
  await client.next(({ type }) => type === 'snapshot');
  await other.ask({ op: 'subscribe', id: 'o', channel: 'numbers', list: 'a' });
  client.raw.pause();
  const pushes = 256;
  for (let pushed = 0; pushed < pushes; pushed++) {
    harness.numbers.push('a', piece);
    expect((await other.next(({ type }) => type === 'numbers')).seq).toBe(pushed + 1);
  }
  client.raw.resume();
  await client.next(({ type }) => type === 'lagged');
  expect(await client.next()).toMatchObject({ type: 'snapshot', seq: pushes });
  harness.numbers.push('a', 'after');
  expect(await client.next()).toMatchObject({ type: 'numbers', data: ['after'] });
  expect(harness.transports.status().lagged).toBe(1);
});

it('cuts a client that never reads', async () => {
  await start({ limits: { bufferBytes: 256 * 1024, drainMs: 20 } });
  const client = await connect();
  client.socket.emit('subscribe', { id: 's', channel: 'numbers', list: 'a' });
  await client.next(({ type }) => type === 'snapshot');
  client.raw.pause();
  const piece = 'z'.repeat(1024 * 1024);
  for (let pushed = 0; pushed < 64; pushed++) {
    harness.numbers.push('a', piece);
    await new Promise((turn) => setImmediate(turn));
  }
  await until('the end of a slow client', () => harness.transports.status().slowClosed === 1);
  expect(harness.transports.status().connections).toBe(0);
});

describe('a client that breaks the protocol', () => {
  it.each([
    ['a message above 64 KiB', `42/live,["ping",{"x":"${'x'.repeat(64 * 1024)}"}]`],
    ['an event that is no JSON', '42/live,["ping",{'],
    ['an event without a name', '42/live,[]'],
    ['a packet of no type', '49/live,["ping"]'],
    ['a promise of many attachments', '4510000-/live,["ping",{"_placeholder":true,"num":0}]'],
    ['a heartbeat in the wrong direction', '2'],
    ['bytes that belong to nothing', Buffer.from([1, 2, 3])],
    ['no packet at all', 'x'],
  ])('is closed, and nobody else notices: %s', async (_case, packet) => {
    await start();
    const client = await connect();
    const other = await connect();
    client.raw.send(packet);
    await client.disconnected;
    expect(await other.ask('ping', { id: 1 })).toEqual({ type: 'pong', id: 1 });
    await until('one connection', () => harness.transports.status().connections === 1);
  });

  it('has its place freed when it vanishes in the middle of the upgrade', async () => {
    await start({ maxConnections: 1 });
    for (let round = 0; round < 3; round++)
      expect((await harness.refusal(ENGINE, { ...HANDSHAKE, 'x-api-key': KEY })).status).toBe(101);
    await until('a free place', () => harness.transports.status().socketIo === 0);
    await connect();
  });
});
