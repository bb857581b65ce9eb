import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { StaleWhileRevalidate } from './stale-while-revalidate.js';

/** Views and the clock are the spec's; a read ends when the spec lets it. */
describe('StaleWhileRevalidate', () => {
  interface Value {
    view: ChainView;
  }
  const viewOf = (seq: number, generation = 1): ChainView =>
    ({ chain: { slug: 'eth' }, pin: { epoch: 1, generation, seq } }) as ChainView;

  function keptAt(first: ChainView, prepare?: (value: Value) => Promise<void>) {
    let [view, now] = [first, 0];
    const reads: { of: ChainView; end: (error?: Error) => void }[] = [];
    const replaced: number[] = [];
    const warned: unknown[] = [];
    const logger = {
      info: () => undefined,
      warn: (...said: unknown[]) => void warned.push(said),
      error: () => undefined,
    };
    const kept = new StaleWhileRevalidate<Value>({
      ...{ view: () => view, prepare, name: 'the list', logger, now: () => now },
      read: (of) =>
        new Promise((resolve, reject) => {
          reads.push({ of, end: (error) => (error === undefined ? resolve({ view: of }) : reject(error)) });
        }),
      replaced: (before) => void replaced.push(before.view.pin.seq),
    });
    return {
      ...{ kept, reads, replaced, warned },
      seq: async () => (await kept.current()).view.pin.seq,
      move: (to: ChainView, ms: number) => {
        [view, now] = [to, now + ms];
      },
      /** Ends the read that is on its way, so many ms later. */
      end: async (ms: number, error?: Error) => {
        now += ms;
        reads.at(-1)!.end(error);
        await new Promise(setImmediate);
      },
    };
  }

  /** At block 1, read in so many ms. */
  async function readIn(ms: number, prepare?: (value: Value) => Promise<void>) {
    const made = keptAt(viewOf(1), prepare);
    const first = made.seq();
    await made.end(ms);
    expect(await first).toBe(1);
    return made;
  }

  it('reads once for all who ask meanwhile, and again only where a block came', async () => {
    const made = keptAt(viewOf(1));
    const asked = [made.seq(), made.seq(), made.seq()];
    await made.end(10);
    expect(await Promise.all(asked)).toEqual([1, 1, 1]);
    made.move(viewOf(1), 1_000_000);
    expect(await made.seq()).toBe(1);
    expect(made.reads).toHaveLength(1);
  });

  // The time from the beginning of its read, which counts, to the first request that begins the next.
  it.each([
    [10, 500],
    [300, 1_200],
    [60_000, 15_000],
  ])('what took %i ms to read is current for %i ms', async (readMs, ttlMs) => {
    const made = await readIn(readMs);
    const left = ttlMs - readMs;
    if (left > 0) {
      made.move(viewOf(2), left - 1);
      expect(await made.seq()).toBe(1);
      expect(made.reads).toHaveLength(1);
      made.move(viewOf(2), 1);
    } else made.move(viewOf(2), 0);
    const next = made.seq();
    expect(made.reads).toHaveLength(2);
    await made.end(10);
    await next;
    expect(await made.seq()).toBe(2);
    expect(made.replaced).toEqual([1]);
  });

  it('shows the one before while the next is read, however long that takes, until it is 45 seconds old', async () => {
    const made = await readIn(0);
    made.move(viewOf(2), 1_499);
    expect(await made.seq()).toBe(1);
    expect(made.reads).toHaveLength(1 + 1);
    made.move(viewOf(3), 45_000 - 1_499 - 1);
    expect(await made.seq()).toBe(1);
    made.move(viewOf(3), 1);
    const waits = made.seq();
    expect(made.reads).toHaveLength(1 + 1);
    await made.end(0);
    expect(await waits).toBe(2);
  });

  it('waits for the next where nobody asked for three times as long as one is current', async () => {
    const made = await readIn(0);
    made.move(viewOf(2), 1_500);
    const waits = [made.seq(), made.seq()];
    expect(made.reads).toHaveLength(2);
    await made.end(0);
    expect(await Promise.all(waits)).toEqual([2, 2]);
  });

  it('waits where nothing is there of these tables', async () => {
    const made = await readIn(0);
    made.move(viewOf(2, 2), 0);
    const asked = made.seq();
    await made.end(0);
    expect(await asked).toBe(2);
    // What was kept of the tables before it was not replaced by a newer one of the same.
    expect(made.replaced).toEqual([]);
  });

  it('shows the next one after it was prepared', async () => {
    let prepared: () => void = () => undefined;
    const made = await readIn(
      0,
      () =>
        new Promise((resolve) => {
          prepared = resolve;
        }),
    );
    made.move(viewOf(2), 600);
    expect(await made.seq()).toBe(1);
    await made.end(0);
    expect(await made.seq()).toBe(1);
    prepared();
    await new Promise(setImmediate);
    expect(await made.seq()).toBe(2);
  });

  it('says in the log that it cannot be read again, and to who asks once what is there is too old', async () => {
    const made = await readIn(0);
    made.move(viewOf(2), 600);
    expect(await made.seq()).toBe(1);
    await made.end(0, new Error('away'));
    expect(made.warned).toEqual([[expect.objectContaining({ chain: 'eth' }), 'the list could not be read again']]);
    made.move(viewOf(2), 900);
    const asked = made.seq();
    made.reads.at(-1)!.end(new Error('away'));
    await expect(asked).rejects.toThrow('away');
  });

  it('answers of a view what is there of it, however old, and nothing of another', async () => {
    const made = await readIn(0);
    made.move(viewOf(2), 1_000_000);
    expect(made.kept.at(viewOf(1))?.view.pin.seq).toBe(1);
    expect([made.kept.at(viewOf(2)), made.kept.at(viewOf(1, 2))]).toEqual([null, null]);
  });
});
