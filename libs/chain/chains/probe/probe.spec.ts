import { emptySample, estimate, type Stretch } from './estimate.js';
import { largest } from './largest.js';
import { oldestServed } from './oldest.js';
import type { ProbeCall } from './probe-node.js';
import { Refusal } from './refusal.js';
import { runWay, type Way } from './run-way.js';

const always = () => true;

describe('what a node takes', () => {
  it.each([0, 1, 2, 3, 7, 10, 64, 100, 127, 128, 199, 200])('is found by trying: %i of 200', async (limit) => {
    let tries = 0;
    const found = await largest(200, async (size) => (++tries && size > limit ? `${size} is too much` : null), always);
    const refused = limit === 200 ? null : { size: limit + 1, sentence: `${limit + 1} is too much` };
    expect(found).toEqual({ size: limit, refused });
    expect(tries).toBeLessThanOrEqual(16);
  });

  it('is what was seen so far when the time is over', async () => {
    let left = 4;
    expect(
      await largest(
        1_000,
        async () => null,
        () => left-- > 0,
      ),
    ).toEqual({ size: 8, refused: null });
  });

  it.each([5, 6, 900, 999, 1_000])('begins where nothing below is served: %i', async (border) => {
    const serves = async (height: number) => (height >= border ? null : `no ${height}`);
    const sentence = border === 5 ? null : `no ${border - 1}`;
    expect(await oldestServed(5, 1_000, serves, always)).toEqual({ oldest: border, sentence, unfinished: false });
  });

  it('is nothing where not even the newest is served', async () => {
    expect(await oldestServed(5, 1_000, async (height) => `no ${height}`, always)).toEqual({
      ...{ oldest: null, sentence: 'no 1000', unfinished: false },
    });
  });
});

describe('the estimate of a history', () => {
  it('takes each part by its own sample, and one that was not read by all of them', () => {
    const stretch = (from: number, to: number, events: number): Stretch => {
      const sample = {
        ...emptySample(),
        heights: 10,
        requests: 2,
        calls: { a: 10, b: 1 },
        bytes: 1_000,
        events,
        serviceMs: 50,
      };
      return { from, to, sample: events < 0 ? emptySample() : sample };
    };
    const stretches = [stretch(0, 99, 1), stretch(100, 199, 100), stretch(200, 299, -1)];
    const made = estimate({ stretches, elapsedMs: 50, largestQuestion: 10, slowedDown: 3 });
    expect(made).toMatchObject({
      heightsRead: 20,
      requests: 60,
      calls: { a: 300, b: 30 },
      bytes: 30_000,
      slowedDown: 3,
    });
    expect(made.events).toBe(10 + 1_000 + 505);
    // Of 100 ms of questions 50 ms were at the same time as others.
    expect(made.seconds).toBeCloseTo(0.75, 9);
  });
});

describe('a way of reading', () => {
  const HEAD = 499;
  /** A node that takes so many heights at once, and refuses some requests at first. */
  const node = (most: number, refuses: (request: number) => Refusal | null = () => null) => {
    let requests = 0;
    const read: number[] = [];
    return {
      read,
      async ask([call]: readonly ProbeCall[]) {
        const refusal = refuses(++requests);
        if (refusal !== null) throw refusal;
        const [from, to] = call!.params as [number, number];
        if (to - from + 1 > most) throw new Refusal('no');
        for (let height = from; height <= to; height++) read.push(height);
        return { answers: [{ result: to - from + 1 }], bytes: 10, ms: 1 };
      },
    };
  };
  const way: Way = {
    ...{ name: 'all', about: '', mostHeights: 64 },
    read: async (from, to, ask) => Number((await ask([{ method: 'read', params: [from, to] }]))[0]),
  };
  const options = { from: 0, head: HEAD, ms: 600_000, parallel: 3, signal: new AbortController().signal };
  const all = Array.from({ length: HEAD + 1 }, (_, height) => height);

  it('reads a short history once, in parts that the node takes', async () => {
    const asked = node(5);
    const { stretches, largestQuestion } = await runWay(asked, way, options);
    expect(asked.read.sort((a, b) => a - b)).toEqual(all);
    expect(stretches.reduce((sum, { sample }) => sum + sample.events, 0)).toBe(all.length);
    expect(largestQuestion).toBeLessThanOrEqual(5);
  });

  it('asks again what failed once, and more slowly where it is asked to', async () => {
    const failing = node(50, (request) => (request % 7 === 0 ? new Refusal('a moment') : null));
    await runWay(failing, way, options);
    expect(failing.read.sort((a, b) => a - b)).toEqual(all);
    const busy = node(50, (request) => (request === 2 ? new Refusal('slow', { status: 429, retryAfterMs: 0 }) : null));
    expect((await runWay(busy, way, options)).slowedDown).toBe(1);
    expect(busy.read.sort((a, b) => a - b)).toEqual(all);
  });

  it('ends with the words of a node that does not take single heights', async () => {
    await expect(runWay(node(0), way, options)).rejects.toMatchObject({ sentence: 'no' });
  });
});
