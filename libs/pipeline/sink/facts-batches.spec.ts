import { withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { SequencedRecord } from '#libs/pipeline/event-log/log.js';
import { FEW_BYTES, FEW_GROUPS, gatherGroups, MANY_WAIT_MS } from './facts-batches.js';

const INTERVAL = 1_000;
const MAX_BYTES = 16 << 20;

/** A log whose groups, end and clock the test moves. */
function world({ maxGroups = 100, intervalMs = INTERVAL } = {}) {
  let time = 0;
  let wake = () => undefined as void;
  const waiting: SequencedRecord[][] = [];
  const timers = new Set<{ at: number; end: () => void }>();
  const stop = new AbortController();
  let seq = 0;
  async function* reads(): AsyncGenerator<SequencedRecord[]> {
    while (!stop.signal.aborted) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const timer = { at: time + ms, end: resolve };
      timers.add(timer);
      signal.addEventListener('abort', () => {
        timers.delete(timer);
        resolve();
      });
    });
  const pace = { intervalMs, maxGroups, maxBytes: MAX_BYTES, now: () => time, pause };
  const batches = gatherGroups(reads(), pace, stop.signal);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const got: number[][] = [];
  const full: boolean[] = [];
  const sizes: number[] = [];
  const done = (async () => {
    for await (const batch of batches) {
      got.push(batch.records.map((record) => record.seq));
      full.push(batch.full);
    }
  })();
  return {
    got,
    full,
    /** Bytes of each group that came. */
    sizes,
    async append(groups: number, bytes = 10): Promise<void> {
      waiting.push(Array.from({ length: groups }, () => ({ seq: seq++, value: Buffer.alloc(bytes) })));
      for (let group = 0; group < groups; group++) sizes.push(bytes);
      wake();
      await settle();
    },
    async pass(ms: number): Promise<void> {
      time += ms;
      for (const timer of [...timers]) if (timer.at <= time) timer.end();
      await settle();
    },
    async stop(): Promise<void> {
      stop.abort();
      wake();
      await done;
    },
    pauses: timers,
  };
}

describe('gathering facts into batches', () => {
  it('writes the first groups at once, and later ones together once the interval is over', async () => {
    const { got, append, pass, stop } = world();
    await append(1);
    expect(got).toEqual([[0]]);
    await append(1);
    await pass(400);
    await append(2);
    expect(got).toEqual([[0]]);
    await pass(599);
    expect(got).toEqual([[0]]);
    await pass(1);
    expect(got).toEqual([[0], [1, 2, 3]]);
    await stop();
  });

  it('writes a group that comes after a longer silence at once', async () => {
    const { got, append, pass, stop } = world();
    await append(1);
    await pass(5 * INTERVAL);
    await append(1);
    expect(got).toEqual([[0], [1]]);
    await stop();
  });

  it('does not wait while as much is there as a batch may hold, and says so', async () => {
    const { got, full, append, stop } = world({ maxGroups: 3 });
    await append(3);
    await append(3);
    await append(1);
    expect(got).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(full).toEqual([true, true]);
    await stop();
  });

  it('does not wait at the head once many bytes are there, nor leave a group out that came meanwhile', async () => {
    const { got, full, append, pass, stop } = world();
    await append(1);
    await append(1);
    expect(got).toHaveLength(1);
    await append(1, 3 << 20);
    expect(got).toEqual([[0], [1, 2]]);
    expect(full).toEqual([false, false]);
    await append(1);
    await pass(INTERVAL);
    expect(got).toEqual([[0], [1, 2], [3]]);
    await stop();
  });

  it('writes large batches of a history that comes in small parts', async () => {
    const { got, full, append, pass, stop } = world({ maxGroups: 10_000, intervalMs: 60 * INTERVAL });
    await append(200);
    for (let part = 0; part < 16; part++) {
      await append(64, MAX_BYTES / 8 / 64);
      await pass(200);
    }
    // The first is written as it comes; then each when it is full.
    expect(got.map((batch) => batch.length)).toEqual([200, 8 * 64, 8 * 64]);
    expect(full).toEqual([false, true, true]);
    await stop();
  });

  it('writes the end of a history as soon as no more comes', async () => {
    const { got, append, pass, stop } = world({ maxGroups: 1_000, intervalMs: 10 * INTERVAL });
    await append(1);
    await append(120);
    await pass(INTERVAL);
    expect(got).toHaveLength(1);
    await append(80);
    await pass(299);
    await append(10);
    await pass(299);
    expect(got).toHaveLength(1);
    await pass(1);
    expect(got).toHaveLength(2);
    expect(got[1]).toHaveLength(210);
    await append(1);
    await pass(300);
    expect(got[2]).toEqual([211]);
    await append(1);
    await pass(300);
    expect(got).toHaveLength(3);
    await stop();
  });

  describe('under a long interval', () => {
    const LONG = 4 * MANY_WAIT_MS;
    const quiet = () => world({ maxGroups: 1_000, intervalMs: LONG });

    it('lets few groups wait until it is over', async () => {
      const { got, append, pass, stop } = quiet();
      await append(1);
      await append(1, FEW_BYTES - 10);
      await pass(MANY_WAIT_MS);
      await append(1);
      await pass(LONG - MANY_WAIT_MS - 1);
      expect(got).toEqual([[0]]);
      await pass(1);
      expect(got).toEqual([[0], [1, 2]]);
      await append(FEW_GROUPS);
      await pass(LONG - 1);
      expect(got).toHaveLength(2);
      await pass(1);
      expect(got[2]).toHaveLength(FEW_GROUPS);
      await stop();
    });

    for (const [what, groups, bytes] of [
      ['groups', FEW_GROUPS + 1, 10],
      ['bytes', 1, FEW_BYTES + 1],
    ] as const) {
      it(`does not let many ${what} wait for it`, async () => {
        const { got, append, pass, stop } = quiet();
        await append(1);
        await append(groups, bytes);
        await pass(MANY_WAIT_MS - 1);
        expect(got).toEqual([[0]]);
        await pass(1);
        expect(got).toHaveLength(2);
        expect(got[1]).toHaveLength(groups);
        await stop();
      });

      it(`writes at once what becomes many ${what} later`, async () => {
        const { got, append, pass, stop } = quiet();
        await append(1);
        await append(1);
        await pass(MANY_WAIT_MS + 1);
        expect(got).toEqual([[0]]);
        await append(groups, bytes);
        expect(got).toHaveLength(2);
        expect(got[1]).toHaveLength(groups + 1);
        await stop();
      });
    }
  });

  it.each([INTERVAL, MANY_WAIT_MS, 4 * MANY_WAIT_MS])(
    'lets nothing wait longer than it may under an interval of %d ms, whatever comes when',
    (intervalMs) =>
      withSeed('facts-batches', async (random) => {
        const { got, sizes, append, pass, stop } = world({ maxGroups: 1_000, intervalMs });
        let time = 0;
        let writtenAt = Number.NEGATIVE_INFINITY;
        for (let step = 0; step < 500; step++) {
          const batches = got.length;
          if (random.chance(0.5)) {
            const ms = random.int(1, random.pick([100, 2_000, 30_000]));
            time += ms;
            await pass(ms);
          } else await append(random.int(1, random.pick([2, 2, 50, 200])), random.pick([10, 1_000, 20_000]));
          if (got.length > batches) writtenAt = time;
          const waiting = sizes.slice(got.flat().length);
          const bytes = waiting.reduce((sum, size) => sum + size, 0);
          const many = waiting.length > FEW_GROUPS || bytes > FEW_BYTES;
          const may =
            waiting.length === 0 || time - writtenAt < (many ? Math.min(MANY_WAIT_MS, intervalMs) : intervalMs);
          expect({ step, may }).toEqual({ step, may: true });
        }
        const seqs = got.flat();
        expect(seqs).toEqual(seqs.map((_, at) => at));
        await stop();
      }),
  );

  it('without an interval takes what is there', async () => {
    const { got, append, stop } = world({ intervalMs: 0 });
    await append(2);
    await append(1);
    expect(got).toEqual([[0, 1], [2]]);
    await stop();
  });

  it('ends with the signal, without the groups that were waiting', async () => {
    const { got, append, stop, pauses } = world();
    await append(1);
    await append(1);
    expect(pauses.size).toBe(1);
    await stop();
    expect(got).toEqual([[0]]);
    expect(pauses.size).toBe(0);
  });
});
