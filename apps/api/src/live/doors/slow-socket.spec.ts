import { setTimeout as sleep } from 'node:timers/promises';
import { DoorHarness } from './test/door-harness.js';
import { SlowClient, until, within } from './test/slow-client.js';

const MIB = 1024 * 1024;
/** Far more than a kernel takes for one connection. */
const BACKLOG = 64 * MIB;
const PIECE = 'z'.repeat(MIB);

let harness: DoorHarness;
let slow: SlowClient | null = null;

/** A client that reads nothing, with a backlog that waits in this process. */
async function startWithBacklog(keepAliveMs?: number): Promise<SlowClient> {
  harness = await DoorHarness.start({ keepAliveMs, limits: { bufferBytes: 2 * BACKLOG } });
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
  it('is not silent while it takes what waits for it, and is once it takes nothing', async () => {
    const keepAliveMs = 400;
    const client = await startWithBacklog(keepAliveMs);
    client.read();
    await sleep(6 * keepAliveMs);
    expect(client.bytesRead).toBeLessThan(BACKLOG);
    expect(harness.doors.status()).toMatchObject({ sockets: 1, dead: 0, lagged: 0 });
    client.stop();
    await until('the end of a silent socket', () => harness.doors.status().dead === 1);
    await until('no socket', () => harness.doors.status().sockets === 0);
    expect(harness.doors.status()).toMatchObject({ dead: 1, slowClosed: 0 });
    expect(harness.numbers.open.size).toBe(0);
  });

  it('is silent when nothing waits for it, however much it was sent', async () => {
    harness = await DoorHarness.start({ keepAliveMs: 100 });
    slow = await SlowClient.subscribe(harness.api.url, 'a');
    const feed = setInterval(() => harness.numbers.push('a', 'small'), 10);
    await until('the end of a silent socket', () => harness.doors.status().dead === 1).finally(() => {
      clearInterval(feed);
    });
    await until('no socket', () => harness.doors.status().sockets === 0);
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
    await within('the end of the doors', harness.doors.close());
    expect(harness.doors.status()).toMatchObject({ sockets: 0, connections: 0 });
    expect((await within('a goodbye', other.closed)).code).toBe(1012);
    await within('the end of the listeners', Promise.all([harness.api.close(), harness.sockets.close()]));
  });

  it('does not wait for a client that reads nothing and is closing already', async () => {
    harness = await DoorHarness.start({ limits: { bufferBytes: MIB, drainMs: 20 } });
    slow = await SlowClient.subscribe(harness.api.url, 'a');
    for (let pushed = 0; pushed < BACKLOG / MIB; pushed++) {
      harness.numbers.push('a', PIECE);
      await new Promise((turn) => setImmediate(turn));
    }
    await until('the end of a slow socket', () => harness.doors.status().slowClosed === 1);
    expect(harness.doors.status()).toMatchObject({ sockets: 1, connections: 0 });
    await within('the end of the doors', harness.doors.close());
    expect(harness.doors.status().sockets).toBe(0);
  });
});
