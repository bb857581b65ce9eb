import { randomUUID } from 'node:crypto';
import { until } from '#libs/devkit/testing/until.js';
import { describeWithRedis, type RedisServer, startRedis } from '../../src/held/test/redis-server.js';
import { MOST_CREATES } from '../../src/launch/launch-problem.js';
import { MemoryCreateLimits } from '../../src/launch/limit/create-limits.js';
import { RedisCreateLimits } from '../../src/launch/limit/redis-create-limits.js';
import { LaunchWorld, refused } from './launch-world.js';

/** Several routers of one Redis, asked over HTTP: the eleventh create within a minute is refused at whichever it comes. */
const INSTANCES = 3;
const silent = { info: () => undefined, warn: () => undefined };

describeWithRedis('routers that share a Redis', () => {
  let redis: RedisServer;
  let limits: RedisCreateLimits[] = [];
  let worlds: LaunchWorld[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    const keyPrefix = `test:${randomUUID()}:`;
    limits = Array.from(
      { length: INSTANCES },
      () =>
        new RedisCreateLimits({
          ...{ url: redis.url, logger: silent, keyPrefix, timeoutMs: 60_000 },
          local: new MemoryCreateLimits(Date.now),
        }),
    );
    await until('all are connected', () => limits.every(({ ready }) => ready));
    worlds = await Promise.all(limits.map((limit) => LaunchWorld.start({ limits: limit, localNodes })));
  });
  afterAll(async () => {
    for (const world of worlds) await world.close();
    for (const limit of limits) limit.close();
    await redis?.stop();
  });

  it('count creates of a client together', async () => {
    const answers = await Promise.all(
      Array.from({ length: 3 * MOST_CREATES }, (_, n) => {
        const world = worlds[n % INSTANCES]!;
        return world.post(n % 2 === 0 ? '/launch/eth' : '/v1/launch/eth', {
          ...{ platform: 'tidepool', creator: `0x${'a1'.repeat(20)}`, name: 'Spring Tide', symbol: 'TIDE' },
          ...{ image: world.sampleImage, rpcUrl: NOWHERE },
        });
      }),
    );
    const late = answers.filter(({ status }) => status === 429);
    expect(late).toHaveLength(2 * MOST_CREATES);
    for (const { body, headers } of late) {
      expect(body).toEqual(refused('rate_limited', /10 tokens a minute: try again in \d+ s/));
      const wait = Number(headers.get('retry-after'));
      expect(wait > 0 && wait <= 60).toBe(true);
    }
    // The others were let in: they went on to the node that they named, which is none.
    const rest = answers.filter(({ status }) => status !== 429);
    for (const { status, body } of rest) expect([status, body]).toEqual([400, refused('bad_request', /^rpcUrl: /)]);
  });
});

/** A port without a listener. */
const NOWHERE = 'http://127.0.0.1:1';
const localNodes = new Map([['eth', NOWHERE]]);
