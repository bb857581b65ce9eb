import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { pause } from '#libs/platform/backoff.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { KeptLease } from './kept-lease.js';
import { LeasedStage } from './leased-stage.js';

const LEASE_MS = 10_000;
const HOUR_MS = 3_600_000;
const facts: TopicSpec = { name: 'facts.of.the.spec', kind: 'sequenced', partitions: 1, retentionMs: -1 };

/** The one clock of all leases, moved by the spec; a pause ends in a moment, so that each looks and renews all the while. */
const clock = { now: 0 };

/** A process that shares the log: what it asks of it can be kept back, as if it slept in the middle of it. */
class Sharer {
  readonly lease: KeptLease;
  readonly said: string[] = [];
  /** Questions to the log that came to their end. */
  turns = 0;
  private readonly stop = new AbortController();
  private readonly running: Promise<void>;
  private asleep: Promise<void> | null = null;
  private wake: () => void = () => undefined;

  constructor(log: EventLog, instance: string, over: { now?: () => number; log?: EventLog } = {}) {
    const say = (_fields: object, message: string): void => void this.said.push(message);
    this.lease = new KeptLease({
      ...{ log: this.sleepy(log), chain: 'eth', leaseMs: LEASE_MS, logger: { info: say, warn: say } },
      own: { instance, host: 'here', pid: Number.parseInt(instance, 36), version: '1' },
      steady: () => clock.now,
      pause: (_ms, signal) => pause(1, signal),
      ...over,
    });
    this.running = this.lease.run(this.stop.signal);
    this.running.catch(() => undefined); // seen where it is ended
  }

  get isAsleep(): boolean {
    return this.asleep !== null;
  }

  get role(): string {
    return this.lease.status().role;
  }

  sleep(): void {
    this.asleep = new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  awake(): void {
    this.asleep = null;
    this.wake();
  }

  ended = false;

  async end(): Promise<void> {
    this.ended = true;
    this.awake();
    this.stop.abort();
    await this.running;
  }

  private sleepy(log: EventLog): EventLog {
    const openWriter = async (id: string): Promise<LogWriter> => {
      const writer = await log.openWriter(id);
      const append: LogWriter['append'] = async (records) => {
        await this.asleep;
        await writer.append(records);
        this.turns++;
      };
      return { writerId: id, append, holdsLease: () => writer.holdsLease(), close: () => writer.close() };
    };
    const readKeyed: EventLog['readKeyed'] = async (...asked) => {
      await this.asleep;
      const records = await log.readKeyed(...asked);
      this.turns++;
      return records;
    };
    return { ...methods(log), openWriter, readKeyed };
  }
}

const methods = (log: EventLog): EventLog => {
  const bound = {} as Record<string, unknown>;
  for (const name of ['ensureTopics', 'lastGroup', 'firstGroup', 'readGroups', 'readCompacted', 'close'] as const) {
    bound[name] = log[name].bind(log);
  }
  return { ...bound, kind: 'kafka' } as unknown as EventLog;
};

describe('the lease of a chain', () => {
  let dir: string;
  let log: EventLog;
  const sharers: Sharer[] = [];
  const joins = (instance: string, over: ConstructorParameters<typeof Sharer>[2] = {}): Sharer => {
    const made = new Sharer(log, instance, over);
    sharers.push(made);
    return made;
  };

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-lease-'));
    log = await openEmbeddedLog({ dir });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const sharer of sharers.splice(0)) await sharer.end();
    await log.close();
    await rm(dir, { recursive: true, force: true });
  });

  /** Time goes by, in steps in which everyone who is awake looks around. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= LEASE_MS / 20) {
      clock.now += LEASE_MS / 20;
      const before = sharers.map(({ turns }) => turns);
      await until('a turn of everyone', () =>
        sharers.every((sharer, at) => sharer.isAsleep || sharer.ended || sharer.turns > before[at]! + 2),
      );
    }
  };
  const isIn = (sharer: Sharer, role: string): Promise<void> =>
    until(role, () => sharer.role === role, { howFar: () => [sharer.said, sharer.lease.status()] });
  const heardOf = async (sharer: Sharer, pid: number): Promise<void> =>
    until(`a word of ${pid}`, () => sharer.lease.status().holder?.pid === pid);
  it('is taken by the first; the next one says whose it is and when it heard of it', async () => {
    const a = joins('a');
    await isIn(a, 'active');
    const b = joins('b');
    await heardOf(b, 10);
    await pass(3 * LEASE_MS);
    expect(a.role).toBe('active');
    expect(b.lease.status()).toMatchObject({ role: 'standby', holder: { instance: 'a', pid: 10 }, lost: null });
    expect(b.lease.status().heardAgoMs).toBeGreaterThanOrEqual(0);
    expect(b.lease.tenure).toBeNull();
  });

  it('is taken at once when it was given back in order, after all work under it has ended', async () => {
    const a = joins('a');
    const tenure = (await a.lease.held(new AbortController().signal))!;
    let finish: () => void = () => undefined;
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    void a.lease.during(tenure, work);
    const b = joins('b');
    await heardOf(b, 10);
    const ended = a.end();
    await until('the end of the tenure', () => tenure.signal.aborted);
    expect(b.role).toBe('standby');
    finish();
    await ended;
    await isIn(b, 'active');
  });

  it('is taken over from a holder that is silent; that one, when it wakes, is a standby and says why', async () => {
    const a = joins('a');
    await isIn(a, 'active');
    const tenure = a.lease.tenure!;
    const b = joins('b');
    await heardOf(b, 10);
    a.sleep();
    await pass(0.8 * LEASE_MS);
    expect(b.role).toBe('standby');
    await pass(0.5 * LEASE_MS);
    await isIn(b, 'active');
    a.awake();
    await isIn(a, 'standby');
    await heardOf(a, 11);
    expect(tenure.signal.aborted).toBe(true);
    expect(a.lease.status().lost).not.toBeNull();
    await pass(2 * LEASE_MS);
    expect([a.role, b.role]).toEqual(['standby', 'active']);
    b.sleep();
    await pass(1.3 * LEASE_MS);
    await isIn(a, 'active');
    expect(a.lease.status().lost).toBeNull();
  });

  it('is taken at once by the next process on the same data folder, and never so after a fence', async () => {
    const a = joins('a');
    await isIn(a, 'active');
    a.sleep();
    const next = joins('a');
    await isIn(next, 'active');
    a.awake();
    await isIn(a, 'standby');
    await pass(2 * LEASE_MS);
    expect(a.role).toBe('standby');
  });

  it('does not depend on the wall clock, which may step an hour back or forward at any time', async () => {
    let step = 0;
    const real = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => real() + (step++ % 3) * HOUR_MS - HOUR_MS);
    const a = joins('a');
    await isIn(a, 'active');
    const { term } = a.lease.tenure!;
    const b = joins('b');
    await heardOf(b, 10);
    await pass(3 * LEASE_MS);
    expect(step).toBeGreaterThan(10);
    expect(a.lease.tenure?.term).toBe(term);
    expect(b.role).toBe('standby');
    a.sleep();
    await pass(1.3 * LEASE_MS);
    await isIn(b, 'active');
  });

  describe('the log that it guards', () => {
    it('opens no writer for a standby, so that the holder is not fenced', async () => {
      await log.ensureTopics([facts]);
      const a = joins('a');
      await isIn(a, 'active');
      const b = joins('b');
      await heardOf(b, 10);
      const writer = await a.lease.guard(log).openWriter('stage');
      await expect(b.lease.guard(log).openWriter('stage')).rejects.toMatchObject({ code: 'fenced' });
      await writer.append([{ topic: facts, seq: 0, value: Buffer.from('of the holder') }]);
    });

    it('gives a writer up that was opened by a process which slept meanwhile; the holder opens it again', async () => {
      await log.ensureTopics([facts]);
      const a = joins('a');
      await isIn(a, 'active');
      const b = joins('b');
      await heardOf(b, 10);
      const opened: LogWriter[] = [];
      // It sleeps between its look at the lease and the opening of the writer.
      const slow = {
        ...methods(log),
        readKeyed: log.readKeyed.bind(log),
        openWriter: async (id: string) => {
          a.sleep();
          await pass(1.3 * LEASE_MS);
          await isIn(b, 'active');
          const ofHolder = await b.lease.guard(log).openWriter(id);
          await ofHolder.append([{ topic: facts, seq: 0, value: Buffer.from('of the holder') }]);
          opened.push(await log.openWriter(id));
          return opened[0]!;
        },
      };
      await expect(a.lease.guard(slow).openWriter('stage')).rejects.toMatchObject({ code: 'fenced' });
      await expect(opened[0]!.append([{ topic: facts, seq: 1, value: Buffer.from('zombie') }])).rejects.toThrow();
      const again = await b.lease.guard(log).openWriter('stage');
      await again.append([{ topic: facts, seq: 1, value: Buffer.from('of the holder') }]);
    });
  });

  describe('a stage under it', () => {
    const watched = (sharer: Sharer, work: (signal: AbortSignal) => Promise<void>) => {
      const happened: string[] = [];
      const stage = {
        name: 'stage',
        run: async (signal: AbortSignal) => {
          happened.push('runs');
          await work(signal);
          happened.push('ended');
        },
        standBy: async (signal: AbortSignal) => {
          happened.push('follows');
          await aborted(signal);
        },
      };
      const quiet = { info: () => undefined, warn: () => undefined };
      const stop = new AbortController();
      const running = new LeasedStage(stage, sharer.lease, quiet).run(stop.signal);
      running.catch(() => undefined);
      return { happened, running, stop: () => stop.abort() };
    };

    it('follows while another process is active, runs when this one takes over, and follows again', async () => {
      const a = joins('a');
      await isIn(a, 'active');
      const b = joins('b');
      const { happened, running, stop } = watched(b, aborted);
      await until('it follows', () => happened.includes('follows'));
      a.sleep();
      await pass(1.3 * LEASE_MS);
      await until('it runs', () => happened.includes('runs'));
      b.sleep();
      a.awake();
      await pass(1.3 * LEASE_MS);
      await until('it follows again', () => happened.filter((each) => each === 'follows').length === 2);
      expect(happened).toEqual(['follows', 'runs', 'ended', 'follows']);
      stop();
      await running;
    });

    it('starts over when its writer was fenced by a process without the lease', async () => {
      const a = joins('a');
      await isIn(a, 'active');
      const { running } = watched(a, async (signal) => {
        const writer = await a.lease.guard(log).openWriter('stage');
        await log.openWriter('stage'); // a zombie
        await log.ensureTopics([facts]);
        await writer.append([{ topic: facts, seq: 0, value: Buffer.from('x') }]);
        await aborted(signal);
      });
      await expect(running).rejects.toMatchObject({ code: 'writer_taken' });
      expect(a.role).toBe('active');
    });
  });
});

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
