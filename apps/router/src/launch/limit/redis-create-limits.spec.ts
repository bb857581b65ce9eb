import { randomUUID } from 'node:crypto';
import { propertySeeds, SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { describeWithRedis, type RedisServer, startRedis } from '../../held/test/redis-server.js';
import { MOST_CREATES } from '../launch-problem.js';
import { MemoryCreateLimits, WINDOW_MS } from './create-limits.js';
import { RedisCreateLimits } from './redis-create-limits.js';

const [seed] = propertySeeds(1) as [number];
const silent = { info: () => undefined, warn: () => undefined };

it(`lets at most 10 of one client in within any minute (seed ${seed})`, () => {
  const random = new SeededRandom(seed);
  let now = 0;
  const limits = new MemoryCreateLimits(() => now);
  const clients = ['a', 'b', 'c'].map((name) => ({ name, times: [] as number[], refused: 0 }));
  for (let n = 0; n < 3_000; n++) {
    now += random.below(4_000);
    const client = random.pick(clients);
    // The naive count: all that were let in, looked at again each time.
    const recent = client.times.filter((time) => time > now - WINDOW_MS);
    const wait = limits.take(client.name);
    const due = recent.length < MOST_CREATES ? 0 : recent[0]! + WINDOW_MS - now;
    expect({ n, wait }).toEqual({ n, wait: due });
    if (wait === 0) client.times.push(now);
    else client.refused++;
  }
  for (const { times, refused } of clients) expect(Math.min(times.length, refused)).toBeGreaterThan(0);
});

describeWithRedis('creates counted in Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  it('are those of all processes, and those of each alone while Redis is away', async () => {
    const keyPrefix = `test:${randomUUID()}:`;
    const open = () =>
      new RedisCreateLimits({
        ...{ url: server.url, logger: silent, keyPrefix, timeoutMs: 5_000 },
        local: new MemoryCreateLimits(Date.now),
      });
    const processes = [open(), open()];
    try {
      await until('both are connected', () => processes.every(({ ready }) => ready));
      const asked = Array.from({ length: 3 * MOST_CREATES }, (_, n) => processes[n % 2]!.take('client'));
      const waits = await Promise.all(asked);
      expect(waits.filter((wait) => wait === 0)).toHaveLength(MOST_CREATES);
      for (const wait of waits) expect(wait >= 0 && wait <= WINDOW_MS).toBe(true);
      expect(await processes[0]!.take('another')).toBe(0);
      await server.kill9();
      await until('both know that it is away', () => processes.every(({ ready }) => !ready));
      for (const process of processes) {
        for (let n = 0; n < MOST_CREATES; n++) expect(await process.take('client')).toBe(0);
        expect(await process.take('client')).toBeGreaterThan(0);
      }
    } finally {
      for (const process of processes) process.close();
    }
  });
});
