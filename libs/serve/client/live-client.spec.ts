import { WebSocket } from 'ws';
import { ApiError } from './api-error.js';
import { emptyTrades, followTrades } from './follow-trades.js';
import { LiveClient, type LiveClientOptions } from './live-client.js';
import type { TradesFrame } from './live-frame.js';
import type { LiveState } from './live-state.js';
import { type ScriptedConnection, ScriptedServer } from './test/scripted-server.js';

const KEY = 'tp_secret-of-the-spec';
const META = { block: 1, blockHash: '0x01', finalized: null, proof: 'none' };

let server: ScriptedServer;
let client: LiveClient;
let states: LiveState[];
let frames: TradesFrame[];

beforeEach(async () => {
  server = await ScriptedServer.start();
  states = [];
  frames = [];
});

afterEach(async () => {
  client.close();
  await server.close();
});

function open(options: Partial<LiveClientOptions> = {}): LiveClient {
  client = new LiveClient({ url: server.url, apiKey: KEY, WebSocket, retryMs: 5, maxRetryMs: 20, ...options });
  client.onState((state) => void states.push(state));
  return client;
}

const follow = (token = '0xa') =>
  client.subscribe({ channel: 'trades', chain: 'eth', token }, (frame) => void frames.push(frame));

const state = async (suits: (state: LiveState) => boolean): Promise<LiveState> => {
  for (;;) {
    if (suits(client.state)) return client.state;
    await new Promise<void>((changed) => {
      const stop = client.onState(() => {
        stop();
        changed();
      });
    });
  }
};

const trade = (id: string) => ({ id, signature: `0x${id}`, wallet: '0xw' });
const data = (type: string, seq: number, ids: string[], more: object = {}) => ({
  ...{ type, id: '1', channel: 'trades', epoch: 'e', seq, data: ids.map(trade), meta: META },
  ...more,
});
const subscribed = (resumed = false) => ({ type: 'subscribed', id: '1', channel: 'trades', resumed });

/** A first connection whose subscription has its snapshot at seq 5. */
async function following(): Promise<ScriptedConnection> {
  open();
  follow();
  const connection = await server.connection(0);
  expect(await connection.operation()).toEqual({
    ...{ op: 'subscribe', id: '1', channel: 'trades', chain: 'eth', token: '0xa' },
  });
  connection.send(subscribed());
  connection.send(data('snapshot', 5, ['b', 'a']));
  await connection.settled();
  expect(frames.map(({ type }) => type)).toEqual(['subscribed', 'snapshot']);
  return connection;
}

it('hands out the frames of a subscription in order', async () => {
  const connection = await following();
  connection.send(data('trades', 6, ['c', 'd']));
  connection.send(data('retract', 7, ['c', 'd']));
  await connection.settled();
  const list = frames.reduce(followTrades, emptyTrades());
  expect(list.trades.map(({ id }) => id)).toEqual(['b', 'a']);
  expect(list.retracted.map(({ id }) => id)).toEqual(['d', 'c']);
  expect(states.map(({ name }) => name)).toEqual(['connecting', 'live']);
});

it('applies nothing it does not know', async () => {
  const connection = await following();
  const before = frames.length;
  const unknown: (object | string)[] = [
    ...['add', 'remove', 'pair', 'prices', 'TRADES', 'constructor', ''].map((type) => data(type, 6, ['x'])),
    data('candles', 6, ['x']),
    data('trades', 6, ['x'], { channel: 'wallet' }),
    data('trades', 6, ['x'], { channel: 'candles' }),
    data('trades', 6, ['x'], { channel: '__proto__' }),
    data('trades', 6, ['x'], { id: '2' }),
    data('trades', 6, ['x'], { id: null }),
    data('trades', 6, ['x'], { data: { length: 1, 0: trade('x') } }),
    data('trades', 6, ['x'], { seq: '6' }),
    data('trades', 6, ['x'], { epoch: null }),
    data('trades', 6, ['x'], { meta: null }),
    ...['', 'null', '[]', '"trades"', '{', '{"type":"trades"}', '{"type":["trades"],"id":"1","channel":"trades"}'],
  ];
  for (const frame of unknown) connection.send(frame);
  connection.socket.send(Buffer.from(JSON.stringify(data('trades', 6, ['x']))), { binary: true });
  connection.send(data('trades', 6, ['c']));
  await connection.settled();
  expect(frames.slice(before)).toEqual([data('trades', 6, ['c'])]);
});

it('goes on behind the last frame after a lost connection, and says that nothing was missed', async () => {
  const first = await following();
  first.send(data('trades', 6, ['c']));
  await first.settled();
  first.socket.terminate();
  const second = await server.connection(1);
  expect(await second.operation()).toMatchObject({ op: 'subscribe', id: '1', resume: { epoch: 'e', seq: 6 } });
  second.send(subscribed(true));
  second.send(data('trades', 8, ['d']));
  await second.settled();
  const list = frames.reduce(followTrades, emptyTrades());
  expect(list.trades.map(({ id }) => id)).toEqual(['d', 'c', 'b', 'a']);
  expect(states.map(({ name }) => name)).toEqual(['connecting', 'live', 'lost', 'lost', 'live', 'live']);
  expect(states[2]).toMatchObject({ attempt: 1, reason: 'the connection broke', retryAt: expect.any(Number) });
  expect(states[3]).toMatchObject({ attempt: 1, retryAt: null });
  expect(states.slice(4).map((s) => s.name === 'live' && s.recovery?.outcome)).toEqual(['pending', 'nothing missed']);
});

it('begins again with a snapshot where the service cannot go on, and says so', async () => {
  const first = await following();
  first.socket.close(1012);
  const second = await server.connection(1);
  await second.operation();
  second.send(data('trades', 6, ['early']));
  second.send(subscribed(false));
  second.send(data('snapshot', 90, ['z'], { epoch: 'f' }));
  second.send(data('trades', 91, ['y'], { epoch: 'f' }));
  await second.settled();
  const list = frames.reduce(followTrades, emptyTrades());
  expect(list.trades.map(({ id }) => id)).toEqual(['y', 'z']);
  expect(client.state).toMatchObject({ name: 'live', recovery: { outcome: 'reloaded' } });
  expect(states.find(({ name }) => name === 'lost')).toMatchObject({ reason: 'the service restarts' });
});

it('asks for a snapshot when a delta does not continue what it has', async () => {
  const connection = await following();
  for (const wrong of [data('trades', 9, ['x'], { epoch: 'other' }), data('trades', 4, ['x'])]) {
    connection.send(wrong);
    expect(await connection.operation()).toEqual({ op: 'unsubscribe', id: '1' });
    const again = await connection.operation();
    expect(again).toMatchObject({ op: 'subscribe', id: '1' });
    expect(again.resume).toBeUndefined();
    connection.send(data('trades', 10, ['still the old one']));
    connection.send({ type: 'unsubscribed', id: '1', channel: 'trades' });
    connection.send(subscribed());
    connection.send(data('snapshot', 5, ['b', 'a']));
    await connection.settled();
  }
  expect(frames.filter(({ type }) => type === 'trades')).toEqual([]);
});

it('is refused for good by a wrong key, and tries again when told to', async () => {
  server.refuseWith = 401;
  open();
  follow();
  const refused = await state(({ name }) => name === 'refused');
  expect(refused).toMatchObject({ error: { code: 'unauthorized', status: 401 } });
  expect(server.urls).toHaveLength(1);
  server.refuseWith = null;
  client.connect();
  expect(await (await server.connection(0)).operation()).toMatchObject({ op: 'subscribe' });
  expect(JSON.stringify(states)).not.toContain(KEY);
});

it('finds out through its probe what a browser is not told', async () => {
  // As in a browser: an error without a word about why.
  class SilentSocket {
    private readonly inner: WebSocket;
    constructor(url: string) {
      this.inner = new WebSocket(url);
      this.inner.on('error', () => undefined);
    }
    send = (text: string): void => this.inner.send(text);
    close = (code?: number): void => this.inner.close(code);
    // biome-ignore lint/suspicious/noExplicitAny: the event classes differ
    addEventListener(type: string, listener: (event: any) => void): void {
      this.inner.addEventListener(type as 'close', (event) => listener({ ...event, message: undefined, code: 1006 }));
    }
  }
  server.refuseWith = 401;
  let probes = 0;
  open({
    WebSocket: SilentSocket,
    probe: async () => {
      probes++;
      throw probes < 3 ? new ApiError('network', 'away') : new ApiError('unauthorized', 'no', 401);
    },
  });
  follow();
  const refused = await state(({ name }) => name === 'refused');
  expect(refused).toMatchObject({ error: { message: 'no' } });
  expect(probes).toBeGreaterThanOrEqual(3);
});

it('keeps trying while the service is away or full', async () => {
  server.refuseWith = 503;
  open();
  follow();
  await state((s) => s.name === 'lost' && s.attempt >= 3);
  server.refuseWith = null;
  expect(await (await server.connection(0)).operation()).toMatchObject({ op: 'subscribe' });
});

it('takes a silent connection for a lost one, a quiet one not', async () => {
  open({ pingMs: 150 });
  follow();
  const first = await server.connection(0);
  await first.operation();
  await first.pings(3);
  expect(server.connections).toHaveLength(1);
  server.answersPings = false;
  const lost = await state(({ name }) => name === 'lost');
  expect(lost).toMatchObject({ reason: 'the service fell silent' });
  server.answersPings = true;
  await (await server.connection(1)).operation();
});

it('hands on a refused subscription and does not repeat it; one that is served later it does', async () => {
  open();
  const missing = follow();
  const connection = await server.connection(0);
  await connection.operation();
  connection.send({ type: 'error', id: '1', code: 'not_found', message: 'token 0xa is not known on eth' });
  await connection.settled();
  expect(frames).toEqual([{ type: 'error', id: '1', code: 'not_found', message: 'token 0xa is not known on eth' }]);
  expect([missing.live, missing.error?.code]).toEqual([false, 'not_found']);
  const busy = follow('0xb');
  expect(await connection.operation()).toMatchObject({ id: '2', token: '0xb' });
  connection.send({ type: 'error', id: '2', code: 'upstream_unavailable', message: 'eth: it is starting' });
  await connection.settled();
  expect(busy.error?.code).toBe('upstream_unavailable');
  expect(await connection.operation()).toMatchObject({ op: 'subscribe', id: '2' });
  connection.send({ ...subscribed(), id: '2' });
  await connection.settled();
  expect([busy.live, busy.error]).toEqual([true, null]);
});

it('hands out nothing after unsubscribe and nothing after close', async () => {
  const connection = await following();
  const count = frames.length;
  const other = follow('0xb');
  await connection.operation();
  other.unsubscribe();
  other.unsubscribe();
  expect(await connection.operation()).toEqual({ op: 'unsubscribe', id: '2' });
  connection.send({ ...subscribed(), id: '2' });
  connection.send(data('snapshot', 5, ['x'], { id: '2' }));
  await connection.settled();
  expect(frames).toHaveLength(count);
  client.close();
  expect(client.state).toEqual({ name: 'closed' });
  expect(() => follow()).toThrow('this client was closed');
  expect(server.connections).toHaveLength(1);
});

it('puts the key into the address that it dials and nowhere else', async () => {
  const connection = await following();
  expect(server.urls[0]).toBe(`/ws?apiKey=${KEY}`);
  connection.socket.terminate();
  await server.connection(1);
  expect(JSON.stringify(states)).not.toContain(KEY);
  expect(() => new LiveClient({ url: 'ftp://x', apiKey: KEY, WebSocket })).toThrow(/^the address must begin with ws/);
  expect(() => new LiveClient({ url: 'ws://x' })).toThrow(/no WebSocket/);
});
