import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { until, within } from '#libs/devkit/testing/until.js';
import { KEEP_ALIVE_MS, roundsByHand } from './test/rounds.js';
import { SlowClient } from './test/slow-client.js';
import { TransportHarness } from './test/transport-harness.js';

const MIB = 1024 * 1024;
/** Far more than a kernel takes for one connection. */
const BACKLOG = 64 * MIB;
const STEP = 4 * MIB;
const PIECE = 'z'.repeat(MIB);

let harness: TransportHarness;
let slow: SlowClient | null = null;

/** The service's end of the newest connection, and how much of what it sent the kernel has taken. */
let served: Socket | null = null;
const note = (message: unknown): void => {
  served = (message as { socket: Socket }).socket;
};
beforeAll(() => subscribe('net.server.socket', note));
afterAll(() => void unsubscribe('net.server.socket', note));
function taken(): number {
  const { bytesWritten, writeQueueSize } = (served as unknown as { _handle: Record<string, number> })._handle;
  return bytesWritten! - writeQueueSize!;
}

/** A client that reads nothing, with a backlog that waits in this process. */
async function startWithBacklog(): Promise<SlowClient> {
  harness = await TransportHarness.start({ keepAliveMs: KEEP_ALIVE_MS, limits: { bufferBytes: 2 * BACKLOG } });
  slow = await SlowClient.subscribe(harness.api.url, 'a');
  for (let pushed = 0; pushed < BACKLOG / MIB; pushed++) harness.numbers.push('a', PIECE);
  return slow;
}

afterEach(async () => {
  slow?.end();
  slow = null;
  await within('the end of doors and listeners', harness.close());
  expect(harness.errors).toEqual([]);
});

describe('a socket that answers no ping', () => {
  const round = roundsByHand();

  it('is not silent while it takes what waits for it, and is once it takes nothing', async () => {
    const client = await startWithBacklog();
    client.read();
    round();
    for (let rounds = 0; rounds < 6; rounds++) {
      const [read, before] = [client.bytesRead, taken()];
      await until('a client that reads on', () => client.bytesRead >= read + STEP);
      // A kernel may have much on the way before it makes room at the sender.
      await until('a kernel that takes more', () => taken() > before);
      round();
      expect(harness.transports.status()).toMatchObject({ sockets: 1, dead: 0, lagged: 0 });
    }
    expect(client.bytesRead).toBeLessThan(BACKLOG);
    client.stop();
    await until('the end of a silent socket', () => {
      round();
      return harness.transports.status().dead === 1;
    });
    await until('no socket', () => harness.transports.status().sockets === 0);
    expect(harness.transports.status()).toMatchObject({ dead: 1, slowClosed: 0 });
    expect(harness.numbers.open.size).toBe(0);
  });

  it('is silent when nothing waits for it, however much it was sent', async () => {
    harness = await TransportHarness.start({ keepAliveMs: KEEP_ALIVE_MS });
    slow = await SlowClient.subscribe(harness.api.url, 'a');
    await until('the end of a silent socket', () => {
      for (let pushed = 0; pushed < 10; pushed++) harness.numbers.push('a', 'small');
      round();
      return harness.transports.status().dead === 1;
    });
    await until('no socket', () => harness.transports.status().sockets === 0);
  });
});

describe('the end of the service', () => {
  it.each([
    ['reads nothing', false],
    ['reads slowly', true],
  ])('does not wait for a client that %s and says no goodbye', async (_case, reads) => {
    const client = await startWithBacklog();
    const other = await harness.connect();
    if (reads) client.read();
    await within('the end of the doors', harness.transports.close());
    expect(harness.transports.status()).toMatchObject({ sockets: 0, connections: 0 });
    expect((await within('a goodbye', other.closed)).code).toBe(1012);
    await within('the end of the listeners', Promise.all([harness.api.close(), harness.sockets.close()]));
  });

  it('does not wait for a client that reads nothing and is closing already', async () => {
    harness = await TransportHarness.start({ limits: { bufferBytes: MIB, drainMs: 20 } });
    slow = await SlowClient.subscribe(harness.api.url, 'a');
    for (let pushed = 0; pushed < BACKLOG / MIB; pushed++) {
      harness.numbers.push('a', PIECE);
      await new Promise((turn) => setImmediate(turn));
    }
    await until('the end of a slow socket', () => harness.transports.status().slowClosed === 1);
    expect(harness.transports.status()).toMatchObject({ sockets: 1, connections: 0 });
    await within('the end of the doors', harness.transports.close());
    expect(harness.transports.status().sockets).toBe(0);
  });
});
