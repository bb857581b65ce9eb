import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describeWithRedis, type RedisServer, startRedis } from '#apps/router/src/held/test/redis-server.js';
import { freePort } from '#libs/devkit/testing/guarded-server.js';
import { SeededRandom, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { untilMet } from '#libs/devkit/testing/until-met.js';
import type { Admission, Refused } from './account.js';
import { RedisSpending } from './redis-spending.js';
import { AccountWorld } from './test/account-world.js';

const seed = testSeed(17);

/** A process of several that share a Redis; the usage of the others reaches it when the spec says so. */
class Process {
  readonly world: AccountWorld;
  readonly lines: string[] = [];
  spending!: RedisSpending;

  constructor(
    readonly name: string,
    clock: { ms: number },
    plan: { rate: number; credits: number | null },
    options: { url: string; keyPrefix: string },
  ) {
    const logger = {
      info: (_: object, message: string) => void this.lines.push(message),
      warn: (fields: object, message: string) => void this.lines.push(`${JSON.stringify(fields)} ${message}`),
    };
    const open = (local: ConstructorParameters<typeof RedisSpending>[0]['local']) => {
      this.spending = new RedisSpending({ ...options, local, logger, timeoutMs: 30_000 });
      return this.spending;
    };
    this.world = new AccountWorld(clock, plan, open, name);
  }

  async ask(credits: number, requests = 1, held = 0): Promise<Admission | Refused> {
    return this.world.admission.admit(this.world.caller, { route: 'route', credits, requests, held });
  }

  /** One request that is paid, or how it was refused. */
  async pay(credits: number): Promise<string> {
    const answer = await this.ask(credits);
    if ('refused' in answer) return answer.refused;
    answer.settle(true);
    return 'paid';
  }

  hear(other: Process): void {
    for (const { record, done } of other.world.ledger.unpublished()) {
      this.world.ledger.take(record);
      done();
    }
  }
}

describeWithRedis('rate and credits in Redis', () => {
  let server: RedisServer;
  const opened: Process[] = [];
  const clock = { ms: Date.UTC(2026, 10, 24) };
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  afterEach(() => {
    for (const { spending } of opened.splice(0)) spending.close();
  });

  /** Processes whose Redis answers. */
  const start = async (count: number, plan: { rate: number; credits: number | null }, url = server.url) => {
    const keyPrefix = `test:${randomUUID()}:`;
    const processes = Array.from({ length: count }, (_, n) => new Process(`p${n}`, clock, plan, { url, keyPrefix }));
    opened.push(...processes);
    if (url === server.url) await until('connections', () => processes.every((process) => connected(process)));
    return { processes, keyPrefix };
  };
  const connected = ({ spending }: Process) => (spending as unknown as { redis: Redis }).redis.status === 'ready';

  it('the rate is one for all processes, however many ask at once; what was refused counts nothing', async () => {
    const raw = new Redis(server.url);
    try {
      const time = async (): Promise<number> => Number((await raw.time())[0]);
      let most = Number.POSITIVE_INFINITY;
      // Until a burst was short enough, by the clock that counts: each process alone would let two in.
      const missing = () => (most < 8 ? [] : ['a short burst']);
      await untilMet(missing, async () => {
        const { processes } = await start(4, { rate: 1, credits: null });
        const before = await time();
        const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => processes[n % 4]!.ask(0)));
        // Two at once, and one more for each second that the burst itself may have taken.
        most = 2 + (await time()) + 1 - before;
        const admitted = answers.filter((answer) => !('refused' in answer)).length;
        expect(admitted).toBeGreaterThanOrEqual(2);
        expect(admitted).toBeLessThanOrEqual(most);
        if (missing().length > 0) return;
        const refused = answers.find((answer) => 'refused' in answer) as Refused;
        expect(refused).toMatchObject({ refused: 'rate', quota: { rate: 1, remaining: 0 } });
        expect(refused.waitMs).toBeLessThanOrEqual(1_000);
        expect(await processes[0]!.ask(0, 3)).toMatchObject({ refused: 'batch' });
        // However often it is refused, some time it is let in: what is refused takes nothing away.
        await until('the next one', async () => !('refused' in (await processes[1]!.ask(0))));
      });
    } finally {
      raw.disconnect();
    }
  });

  it('what a refused batch held of the rate is given back with the same script', async () => {
    const { processes } = await start(1, { rate: 50_000, credits: null });
    const [one] = processes as [Process];
    const left = async (requests: number, held: number) => {
      const answer = await one.ask(0, requests, held);
      return ['refused' in answer ? answer.refused : null, answer.quota.remaining];
    };
    // So much is owed that what time gives back meanwhile is far less than what is asked for.
    expect((await left(100_000, 0))[0]).toBeNull();
    const [refused, remaining] = await left(90_000, 100_000);
    expect([refused, remaining]).toEqual(['batch', 100_000]);
    expect((await left(100_000, 0))[0]).toBeNull();
    expect((await left(0, 0))[0]).toBeNull();
  });

  it(`credits are spent once, by whatever process (seed ${seed})`, async () => {
    const random = new SeededRandom(seed);
    const { processes } = await start(3, { rate: 0, credits: 60 });
    for (const { world } of processes) world.grant('g', 40);
    const costs = Array.from({ length: 200 }, () => random.int(1, 3));
    const outcomes = await Promise.all(costs.map((cost, n) => processes[n % 3]!.pay(cost)));
    const spent = outcomes.reduce((sum, outcome, n) => sum + (outcome === 'paid' ? costs[n]! : 0), 0);
    expect(spent).toBeLessThanOrEqual(100);
    expect(spent).toBeGreaterThan(97);
    const stated = processes.map(({ world }) => world.ledger.totals('a'));
    const sum = (name: 'included' | 'extra') => stated.reduce((all, totals) => all + totals[name], 0);
    expect([sum('included'), sum('extra')]).toEqual([60, spent - 60]);
  });

  it('what is not paid is given back, whole', async () => {
    const { processes } = await start(2, { rate: 0, credits: 3 });
    const [one, other] = processes as [Process, Process];
    one.world.grant('g', 4);
    other.world.grant('g', 4);
    const answer = await one.ask(7);
    if ('refused' in answer) throw new Error('refused');
    expect(answer.quota.credits).toBe(0);
    expect(await other.pay(1)).toBe('credits');
    expect(answer.settle(false)).toBe(7);
    await until('the credits', async () => (await other.ask(0)).quota.credits === 7);
    expect([await other.pay(7), await one.pay(1)]).toEqual(['paid', 'credits']);
    expect(other.world.ledger.totals('a')).toEqual({ included: 3, extra: 4 });
  });

  it('what Redis lost comes back from the usage', async () => {
    const { processes, keyPrefix } = await start(2, { rate: 0, credits: 10 });
    const [one, other] = processes as [Process, Process];
    expect([await one.pay(4), await other.pay(3)]).toEqual(['paid', 'paid']);
    one.hear(other);
    other.hear(one);
    const raw = new Redis(server.url);
    try {
      expect(await raw.hgetall(`${keyPrefix}a`)).toMatchObject({ 'i2026-11': '7', x: '0' });
      await raw.del(`${keyPrefix}a`);
      expect((await one.ask(0)).quota.credits).toBe(3);
      // What a process took and never stated is held against the account for a minute at most.
      await raw.hset(`${keyPrefix}a`, 'i2026-11', 10);
      expect(await other.pay(1)).toBe('credits');
      await raw.hset(`${keyPrefix}a`, 'c', Date.now() - 61_000);
      expect(await other.pay(1)).toBe('paid');
    } finally {
      raw.disconnect();
    }
  });

  it('while Redis is away each process lets in its share of the rate, counts on, and says so once', async () => {
    const { processes } = await start(2, { rate: 10, credits: 30 });
    const [one, other] = processes as [Process, Process];
    for (const { world } of processes) {
      for (const { name } of processes) world.ledger.take({ kind: 'instance', instance: name, at: clock.ms });
    }
    expect(await one.pay(5)).toBe('paid');
    await server.kill9();
    await until('the loss', () => processes.every((process) => !connected(process)));
    const burst = async (process: Process) => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => process.pay(1)));
      return answers.filter((answer) => answer === 'paid').length;
    };
    // Two seconds' worth of half the rate.
    expect([await burst(one), await burst(other)]).toEqual([10, 10]);
    expect(one.lines).toEqual([expect.stringContaining('Redis does not answer')]);
    one.hear(other);
    other.hear(one);
    await server.restart();
    await until('its return', () => processes.every((process) => connected(process)));
    // Redis knows nothing: 5 + 10 + 10 are spent all the same.
    expect((await other.ask(0)).quota.credits).toBe(5);
    expect(one.lines).toEqual([expect.anything(), 'accounts: Redis answers again']);
  });

  it('a Redis that was never there is no reason to refuse; its address is in no log', async () => {
    const url = `redis://user:very-secret-password@127.0.0.1:${await freePort()}`;
    const { processes } = await start(1, { rate: 0, credits: null }, url);
    expect(await processes[0]!.pay(1)).toBe('paid');
    await until('a warning', () => processes[0]!.lines.length > 0);
    expect(processes[0]!.lines.join()).not.toContain('very-secret-password');
  });
});
