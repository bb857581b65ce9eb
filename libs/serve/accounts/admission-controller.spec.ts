import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { StreamEnd } from './account.js';
import { AccountWorld } from './test/account-world.js';
import { NaiveSpending } from './test/naive-spending.js';

const NOVEMBER = Date.UTC(2026, 10, 24, 12);

const sent = (world: AccountWorld, times: number): number => {
  let admitted = 0;
  for (let n = 0; n < times; n++) if (!('refused' in world.ask(0))) admitted++;
  return admitted;
};

describe('the rate of an account', () => {
  it.each([
    ['Basic', 5],
    ['Pro', 20],
    ['Enterprise', 100],
    [null, 10],
  ])('of the plan %s is %i a second, and two seconds’ worth at once', (plan, rate) => {
    const world = new AccountWorld({ ms: NOVEMBER }, { rate: 1, credits: null });
    world.directory.put({
      ...{ kind: 'account', id: 'a', name: '', plan, rate: null, createdAt: 0, closed: false },
    });
    expect(sent(world, 3 * rate)).toBe(2 * rate);
    for (let second = 0; second < 5; second++) {
      world.clock.ms += 1_000;
      // Hammering counts nothing: what was refused takes nothing away.
      expect(sent(world, 3 * rate)).toBe(rate);
    }
    world.clock.ms += 60_000;
    expect(sent(world, 3 * rate)).toBe(2 * rate);
  });

  it('says how long to wait, at most a second, and then it is let in', () => {
    const world = new AccountWorld({ ms: NOVEMBER }, { rate: 3, credits: null });
    expect(sent(world, 10)).toBe(6);
    for (let n = 0; n < 20; n++) {
      const refused = world.ask(0);
      if (!('refused' in refused)) throw new Error('let in');
      expect(refused).toMatchObject({ refused: 'rate', quota: { rate: 3, remaining: 0 } });
      expect(refused.waitMs).toBeGreaterThan(0);
      expect(refused.waitMs).toBeLessThanOrEqual(1_000);
      world.clock.ms += refused.waitMs - 1;
      expect(world.ask(0)).toMatchObject({ refused: 'rate' });
      world.clock.ms += 1;
      expect(world.ask(0)).toHaveProperty('settle');
    }
  });

  it('is shared out among processes that count for themselves', () => {
    const world = new AccountWorld({ ms: NOVEMBER }, { rate: 10, credits: null });
    for (const instance of ['b', 'c', 'd']) world.ledger.take({ kind: 'instance', instance, at: NOVEMBER });
    expect(world.ledger.replicas).toBe(4);
    expect(sent(world, 50)).toBe(5);
    world.ledger.dropped('@d');
    world.clock.ms += 29_000;
    for (const instance of ['b']) world.ledger.take({ kind: 'instance', instance, at: world.clock.ms });
    world.clock.ms += 2_000;
    // c said nothing for half a minute.
    expect(world.ledger.replicas).toBe(2);
    expect(sent(world, 50)).toBe(10);
  });

  it('a batch counts its calls; one that could never be let in is told so', () => {
    const world = new AccountWorld({ ms: NOVEMBER }, { rate: 5, credits: null });
    expect(world.ask(0, 11)).toMatchObject({ refused: 'batch' });
    expect(world.ask(0, 7)).toMatchObject({ quota: { remaining: 3 } });
    expect(world.ask(0, 4)).toMatchObject({ refused: 'rate', waitMs: 200 });
    expect(world.ask(0, 3)).toMatchObject({ quota: { remaining: 0 } });
  });
});

describe('the credits of an account', () => {
  it('are taken at once and given back when the answer is not paid', () => {
    const world = new AccountWorld({ ms: NOVEMBER }, { rate: 0, credits: 10 });
    const first = world.ask(6);
    if ('refused' in first) throw new Error('refused');
    expect(first.quota).toMatchObject({ rate: null, credits: 4 });
    expect(world.ask(5)).toMatchObject({ refused: 'credits', quota: { credits: 4 } });
    expect(first.settle(false)).toBe(10);
    expect(first.settle(true)).toBe(4);
    const second = world.ask(10);
    if ('refused' in second) throw new Error('refused');
    expect(second.settle(true)).toBe(0);
    expect(world.ask(0)).toMatchObject({ refused: 'credits' });
    expect(world.ledger.totals('a')).toEqual({ included: 10, extra: 0 });
    world.grant('g', 3);
    expect(world.ask(2)).toMatchObject({ quota: { credits: 1 } });
  });

  it('come again with the month; grants stay', () => {
    const world = new AccountWorld({ ms: NOVEMBER }, { rate: 0, credits: 5 });
    world.grant('g', 4);
    const spend = (credits: number) => {
      const answer = world.ask(credits);
      return 'refused' in answer ? answer.refused : answer.settle(true);
    };
    expect([spend(5), spend(1), spend(4), spend(3), spend(1)]).toEqual([4, 3, 'credits', 0, 'credits']);
    world.clock.ms = Date.UTC(2026, 11, 1);
    expect([spend(5), spend(1)]).toEqual([0, 'credits']);
    // Another plan counts from now on.
    world.plan(0, 7);
    expect([spend(2), spend(1)]).toEqual([0, 'credits']);
    world.plan(0, null);
    expect(spend(1_000)).toBeNull();
  });

  it.each(propertySeeds(scaled(200, 40)))('and the rate are what a naive count says (seed %i)', (seed) => {
    const random = new SeededRandom(seed);
    const credits = random.pick([null, 0, 20, 200]);
    const world = new AccountWorld({ ms: NOVEMBER }, { rate: random.int(1, 15), credits });
    const naive = new NaiveSpending();
    const open: (() => void)[] = [];
    let grants = 0;
    let compared = 0;
    for (let step = 0; step < 300; step++) {
      const roll = random.next();
      if (roll < 0.1) world.clock.ms += random.int(0, 3_000);
      else if (roll < 0.3) world.clock.ms += random.int(0, 100);
      else if (roll < 0.33) world.grant(`g${grants++}`, random.int(1, 30));
      else if (roll < 0.34) world.clock.ms += 10 * 86_400_000;
      else if (roll < 0.4) {
        for (const settle of open.splice(random.int(0, 3))) settle();
      } else {
        const cost = random.int(0, 6);
        const requests = random.int(1, 3);
        const { account } = world.caller;
        const month = world.ledger.day.slice(0, 7);
        // What is not settled is taken: the naive count has it settled.
        for (const settle of open.splice(0)) settle();
        const left = naive.left(account, month);
        const expected = !naive.rateAllows(account.rate, requests, world.clock.ms)
          ? requests > 2 * account.rate
            ? 'batch'
            : 'rate'
          : left < cost || left === 0
            ? 'credits'
            : null;
        const answer = world.ask(cost, requests);
        expect('refused' in answer ? answer.refused : null).toBe(expected);
        compared++;
        if ('refused' in answer) continue;
        naive.take(requests, world.clock.ms);
        expect(answer.quota.credits ?? Number.POSITIVE_INFINITY).toBe(left - cost);
        const paid = random.chance(0.7);
        if (paid) naive.pay(month, cost, account.credits ?? Number.POSITIVE_INFINITY);
        open.push(() => void answer.settle(paid));
      }
    }
    expect(compared).toBeGreaterThan(50);
  });
});

describe('an open stream', () => {
  it('pays each minute that begins, and ends when nothing is left', () => {
    const world = new AccountWorld({ ms: NOVEMBER }, { rate: 1, credits: 3 });
    const ends: StreamEnd[] = [];
    world.admission.openStream(world.caller, 'stream', (why) => ends.push(why));
    const spentAt: number[] = [];
    for (let second = 0; second < 260; second++) {
      world.clock.ms += 1_000;
      world.admission.tick();
      if (second % 60 === 30) spentAt.push(world.ledger.totals('a').included);
    }
    // The first minute belongs to the request that opened it.
    expect(spentAt).toEqual([0, 1, 2, 3]);
    expect([ends, world.admission.openStreams]).toEqual([['credits'], 0]);
    expect(world.admission.usage('a', '2026-11-24')).toEqual([
      { day: '2026-11-24', key: world.caller.key.id, route: 'stream', requests: 0, credits: 3, refused: 0 },
    ]);
  });

  it('a key has so many at a time, and room again for each that ends', () => {
    const world = new AccountWorld({ ms: NOVEMBER }, { rate: 0, credits: null }, undefined, 'spec', 2);
    const open = () => world.admission.openStream(world.caller, 'stream', () => undefined);
    const [first] = [open()];
    expect(world.admission.hasRoom(world.caller)).toBe(true);
    open();
    expect(world.admission.hasRoom(world.caller)).toBe(false);
    first.close();
    first.close();
    expect(world.admission.hasRoom(world.caller)).toBe(true);
    open();
    expect(world.admission.hasRoom(world.caller)).toBe(false);
    world.putKey({ revokedAt: 1 });
    world.putKey({});
    expect([world.admission.hasRoom(world.caller), world.admission.openStreams]).toEqual([true, 0]);
  });

  it('ends at once with its key, once, however that went', () => {
    const world = new AccountWorld({ ms: NOVEMBER }, { rate: 0, credits: null });
    const ends: string[] = [];
    const open = (name: string) =>
      world.admission.openStream(world.caller, 'stream', (why) => ends.push(`${name} ${why}`));
    open('first');
    const closed = open('closed');
    closed.close();
    world.putKey({ expiresAt: NOVEMBER + 5_000 });
    world.admission.tick();
    expect(ends).toEqual([]);
    world.clock.ms += 5_000;
    world.admission.tick();
    expect(ends).toEqual(['first key']);
    world.putKey({});
    open('second');
    world.putKey({ revokedAt: 1 });
    expect(ends).toEqual(['first key', 'second key']);
    world.putKey({});
    open('third');
    world.directory.put({
      ...{ kind: 'account', id: 'a', name: '', plan: null, rate: null, createdAt: 0, closed: true },
    });
    expect(ends).toEqual(['first key', 'second key', 'third key']);
    world.admission.tick();
    expect(ends).toHaveLength(3);
  });
});
