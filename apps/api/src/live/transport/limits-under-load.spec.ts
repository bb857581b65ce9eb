import { once } from 'node:events';
import { connect } from 'node:net';
import { collectGarbage } from '#libs/devkit/testing/collect-garbage.js';
import { scaled } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { StoppedClock } from '#libs/serve/http/test/stopped-clock.js';
import { TransportHarness } from './test/transport-harness.js';

/**
 * The limits of bodies, of the time that a body may take and of subscriptions, all at once and again and again: each holds every
 * time, and no memory is left of it.
 */
const MOST_BODY = 262_144;
const MIB = 1024 * 1024;
/** Of each kind, in one round. */
const AT_ONCE = 20;
const WARM_ROUNDS = 4;
const ROUNDS = scaled(100, 10);
/** A round takes in more than 10 MiB of bodies and makes 2,000 subscriptions: a fifth of the bodies kept would show. */
const GROWTH = 3 * MIB;

const clock = new StoppedClock();
let harness: TransportHarness;
beforeAll(async () => {
  harness = await TransportHarness.start({ clock });
});
afterAll(async () => {
  await harness.close();
  expect(harness.errors).toEqual([]);
});

const all = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

async function upload(bytes: number): Promise<void> {
  const answer = await fetch(`${harness.api.url}/body`, { method: 'POST', body: Buffer.alloc(bytes, 0x20) });
  const body = (await answer.json()) as { bytes?: number; error?: { code: string } };
  if (bytes <= MOST_BODY) expect([answer.status, body]).toEqual([200, { bytes }]);
  else expect([answer.status, body.error?.code]).toEqual([413, 'too_large']);
}

/** A body of which a part never comes. */
async function stall(): Promise<void> {
  const socket = connect(Number(new URL(harness.api.url).port), '127.0.0.1');
  let heard = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
  });
  socket.write(`POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: ${MOST_BODY}\r\n\r\n${' '.repeat(MOST_BODY / 2)}`);
  await once(socket, 'close');
  expect(heard).toMatch(/^HTTP\/1\.1 408 /);
}

async function subscribe(): Promise<void> {
  const client = await harness.connect();
  let [held, refused] = [0, 0];
  for (let list = 0; list < 210; list++)
    client.send({ op: 'subscribe', id: list, channel: 'numbers', list: `${list}` });
  while (held < 200 || refused < 10) {
    const frame = await client.next();
    if (frame.type === 'snapshot') held++;
    if (frame.type !== 'error') continue;
    refused++;
    expect(frame.message).toBe('at most 200 subscriptions per socket');
  }
  client.socket.terminate();
  await client.closed;
}

async function memory(): Promise<number> {
  await until('no socket', () => harness.transports.status().sockets === 0);
  for (let times = 0; times < 3; times++) {
    await new Promise((turn) => setImmediate(turn));
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it('hold, and leave no memory behind', async () => {
  let warm = 0;
  let last = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const stalled = all(AT_ONCE, () => stall());
    await Promise.all([
      all(AT_ONCE, () => upload(MOST_BODY)),
      all(AT_ONCE, () => upload(MOST_BODY + 1)),
      all(AT_ONCE / 2, () => subscribe()),
    ]);
    await until('bodies that are waited for', () => clock.waiting.size === AT_ONCE);
    clock.pass();
    await stalled;
    last = await memory();
    if (round < WARM_ROUNDS) warm = Math.max(warm, last);
  }
  expect(harness.transports.status()).toMatchObject({ connections: 0, subscriptions: 0 });
  expect(harness.numbers.open.size).toBe(0);
  expect(last - warm).toBeLessThan(GROWTH);
});
