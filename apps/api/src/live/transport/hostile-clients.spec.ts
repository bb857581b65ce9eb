import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { until } from '#libs/devkit/testing/until.js';
import type { SocketClient } from './test/live-clients.js';
import { opcodes, RawClient, rawFrame } from './test/raw-client.js';
import { KEEP_ALIVE_MS, roundsByHand } from './test/rounds.js';
import { SlowClient } from './test/slow-client.js';
import { TransportHarness } from './test/transport-harness.js';

/** What hostile clients cost is bounded, and a client that behaves gets every frame in order meanwhile. */
let harness: TransportHarness;
let ends: (() => void)[] = [];
/** The service's ends of all connections. */
let served: Socket[] = [];
const note = (message: unknown): void => void served.push((message as { socket: Socket }).socket);
beforeAll(() => subscribe('net.server.socket', note));
afterAll(() => void unsubscribe('net.server.socket', note));

afterEach(async () => {
  for (const end of ends) end();
  ends = [];
  served = [];
  await harness.close();
  expect(harness.errors).toEqual([]);
});

async function start(options: Parameters<typeof TransportHarness.start>[0] = {}): Promise<Witness> {
  harness = await TransportHarness.start({ keepAliveMs: KEEP_ALIVE_MS, ...options });
  return Witness.open();
}
async function raw(): Promise<RawClient> {
  const client = await RawClient.open(harness.api.url);
  ends.push(() => client.end());
  return client;
}
const some = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

/** A client that behaves: what is pushed comes to it, all of it, in order. */
class Witness {
  private constructor(
    private readonly client: SocketClient,
    private seq: number,
  ) {}

  static async open(): Promise<Witness> {
    const client = await harness.connect();
    client.send({ op: 'subscribe', id: 'w', channel: 'numbers', list: 'a' });
    const { seq } = await client.next(({ type }) => type === 'snapshot');
    return new Witness(client, seq);
  }

  /** Gives a sign of life that has come when this ends. */
  async lives(): Promise<void> {
    expect(await this.client.ask({ op: 'ping', id: 1 })).toEqual({ type: 'pong', id: 1 });
  }

  async sees(entry: string): Promise<void> {
    harness.numbers.push('a', entry);
    const frame = await this.client.next();
    expect([frame.type, frame.seq, frame.data[0].length]).toEqual(['numbers', ++this.seq, entry.length]);
  }
}

it.each([
  ['a frame that claims a terabyte', [rawFrame(opcodes.text, Buffer.alloc(0), { says: 2 ** 40 })], 1009],
  ['a message above the limit in small pieces', pieces(80 * 1024), 1009],
  ['a text that is no UTF-8', [rawFrame(opcodes.text, Buffer.from([0x22, 0xff, 0xfe, 0x22]))], 1007],
  ['a text cut within a character', [rawFrame(opcodes.text, Buffer.from([0xc3]))], 1007],
  ['a frame of no type', [rawFrame(5, Buffer.from('x'))], 1002],
  ['a frame without a mask', [Buffer.from([0x81, 0x01, 0x78])], 1002],
  ['a ping longer than one may be', [rawFrame(opcodes.ping, Buffer.alloc(200))], 1002],
  ['a continuation of nothing', [rawFrame(opcodes.more, Buffer.from('x'))], 1002],
] as const)('%s closes its connection and no other', async (_case, frames, code) => {
  const witness = await start();
  const client = await raw();
  for (const frame of frames) client.write(frame);
  expect(await client.code()).toBe(code);
  await witness.sees('after it');
  await until('one socket', () => harness.transports.status().sockets === 1);
  expect(harness.transports.status()).toMatchObject({ connections: 1, subscriptions: 1 });
});

function pieces(bytes: number): Buffer[] {
  const piece = Buffer.alloc(1_024, 0x20);
  const more = Array.from({ length: bytes / piece.length - 1 }, () => rawFrame(opcodes.more, piece, { last: false }));
  return [rawFrame(opcodes.text, piece, { last: false }), ...more];
}

it('a flood of subscriptions holds 200, is answered within its buffer, and is read at its pace', async () => {
  const witness = await start({ limits: { bufferBytes: 64 * 1024, drainMs: KEEP_ALIVE_MS } });
  const flood = await raw();
  flood.socket.pause();
  const before = harness.transports.status().framesIn;
  const sent = 20_000;
  for (let id = 0; id < sent; id++) flood.text({ op: 'subscribe', id, channel: 'numbers', list: `l${id}` });
  await until('the burst', () => harness.transports.status().framesIn - before >= 400);
  for (let round = 0; round < 50; round++) await witness.sees(`round ${round}`);
  const { subscriptions, keys, framesIn } = harness.transports.status();
  expect({ subscriptions, keys }).toEqual({ subscriptions: 201, keys: 201 });
  // A second's worth may come with each second that a busy machine takes.
  expect(framesIn - before).toBeLessThan(sent / 2);
  expect(Math.max(...served.map(({ writableLength }) => writableLength))).toBeLessThan(256 * 1024);
});

it('a flood of pings that reads no answer keeps little waiting', async () => {
  const witness = await start();
  const flood = await raw();
  flood.socket.pause();
  const ping = rawFrame(opcodes.ping, Buffer.alloc(125));
  flood.write(Buffer.concat(Array.from({ length: 50_000 }, () => ping)));
  for (let round = 0; round < 50; round++) await witness.sees(`round ${round}`);
  expect(Math.max(...served.map(({ writableLength }) => writableLength))).toBeLessThan(128 * 1024);
  const answered = Math.max(...served.map(({ bytesWritten }) => bytesWritten)) / 127;
  expect(answered).toBeLessThan(25_000);
});

it('slow readers hold a buffer each and no more', async () => {
  const bufferBytes = 256 * 1024;
  const witness = await start({ limits: { bufferBytes, drainMs: KEEP_ALIVE_MS } });
  const slow = await some(8, async () => {
    const client = await SlowClient.subscribe(harness.api.url, 'a');
    ends.push(() => client.end());
    return client;
  });
  const piece = 'z'.repeat(64 * 1024);
  let most = 0;
  // Until every one has its buffer full, far above what a kernel takes; then some more.
  for (let more = 50; more > 0; ) {
    await witness.sees(piece);
    const waiting = served.map(({ writableLength }) => writableLength).sort((a, b) => b - a);
    most = Math.max(most, waiting[0]!);
    if (waiting.filter((bytes) => bytes > bufferBytes / 2).length === slow.length) more--;
  }
  expect(most).toBeLessThan(bufferBytes + 2 * piece.length);
  expect(harness.transports.status()).toMatchObject({ sockets: 9, slowClosed: 0 });
});

describe('half-open connections', () => {
  const round = roundsByHand();

  it('are found within two rounds, and their places are free', async () => {
    const witness = await start({ maxConnections: 21 });
    await some(20, raw);
    expect(harness.transports.status().sockets).toBe(21);
    expect((await harness.refusal('/ws', { 'x-api-key': 'tp_a-key-that-is-valid' })).status).toBe(503);
    for (let rounds = 1; harness.transports.status().dead < 20; rounds++) {
      expect(rounds).toBeLessThan(4);
      round();
      await witness.lives();
    }
    await until('one socket', () => harness.transports.status().sockets === 1);
    await witness.sees('still here');
    expect(harness.transports.status()).toMatchObject({ sockets: 1, connections: 1 });
  });
});

it('a storm of clients that come back at once settles: each continues where it was, open ones go on', async () => {
  const witness = await start({ maxConnections: 500 });
  const count = 300;
  const connect = async (resume: object | null): Promise<SocketClient> => {
    const client = await harness.connect();
    client.send({ op: 'subscribe', id: 's', channel: 'numbers', list: 'a', resume });
    return client;
  };
  const first = await some(count, () => connect(null));
  const places = await Promise.all(
    first.map(async (client) => {
      const { epoch, seq } = await client.next(({ type }) => type === 'snapshot');
      return { epoch, seq };
    }),
  );
  for (const { socket } of first) socket.terminate();
  const missed = ['one', 'two', 'three'];
  for (const entry of missed) await witness.sees(entry);
  const again = Promise.all(places.map((place) => connect(place)));
  for (let pushed = 0; pushed < 20; pushed++) await witness.sees(`during ${pushed}`);
  const came = await again;
  harness.numbers.push('a', 'last');
  for (const client of came) {
    expect(await client.next()).toMatchObject({ type: 'subscribed', resumed: true });
    const entries: string[] = [];
    while (entries.at(-1) !== 'last') {
      const { type, data } = await client.next();
      expect(type).toBe('numbers');
      entries.push(...data);
    }
    expect(entries).toEqual([...missed, ...Array.from({ length: 20 }, (_, n) => `during ${n}`), 'last']);
  }
  expect(harness.transports.status()).toMatchObject({ sockets: count + 1, connections: count + 1, keys: 1, lagged: 0 });
});
