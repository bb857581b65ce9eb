import { Batches } from './batches.js';

describe('Batches', () => {
  /** Reads that end when the test says so. */
  class Reads {
    readonly asked: { seq: number; ids: string[] }[] = [];
    private readonly ends: (() => void)[] = [];
    readonly batches = new Batches();

    ask(ids: string[], seq = 1, kind = 'token') {
      return this.batches.read<string>({
        ...{ kind, seq, ids, most: 4 },
        read: (all) => {
          this.asked.push({ seq, ids: all });
          return new Promise((resolve) => {
            this.ends.push(() => resolve(new Map(all.map((id) => [id, `${id} at ${seq}`]))));
          });
        },
      });
    }

    async end(): Promise<void> {
      this.ends.shift()!();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('asks at once while few run, and then together for what waits', async () => {
    const reads = new Reads();
    const answers = [reads.ask(['a']), reads.ask(['b']), reads.ask(['c']), reads.ask(['d', 'c'])];
    await settled();
    expect(reads.asked.map(({ ids }) => ids)).toEqual([['a'], ['b']]);
    await reads.end();
    expect(reads.asked.map(({ ids }) => ids)).toEqual([['a'], ['b'], ['c', 'd']]);
    await reads.end();
    await reads.end();
    const found = await Promise.all(answers);
    expect(found.map((rows) => rows.get('c'))).toEqual([undefined, undefined, 'c at 1', 'c at 1']);
    expect(found[3]!.get('d')).toBe('d at 1');
  });

  it('asks for ids of two views apart', async () => {
    const reads = new Reads();
    const answers = [reads.ask(['a']), reads.ask(['b']), reads.ask(['c'], 1), reads.ask(['c'], 2), reads.ask(['d'], 1)];
    await settled();
    for (let i = 0; i < 4; i++) await reads.end();
    const found = await Promise.all(answers);
    expect(reads.asked.slice(2)).toEqual([
      { seq: 1, ids: ['c', 'd'] },
      { seq: 2, ids: ['c'] },
    ]);
    expect([found[2]!.get('c'), found[3]!.get('c')]).toEqual(['c at 1', 'c at 2']);
  });

  it('asks for no more than may be asked at once', async () => {
    const reads = new Reads();
    const whole = reads.ask(['a', 'b', 'c', 'd', 'e', 'f']);
    const late = reads.ask(['g', 'h', 'i']);
    const later = reads.ask(['j', 'k']);
    await settled();
    for (let i = 0; i < 4; i++) await reads.end();
    expect(reads.asked.map(({ ids }) => ids.join(''))).toEqual(['abcd', 'ef', 'ghi', 'jk']);
    expect([...(await whole).keys()]).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect([(await late).size, (await later).size]).toEqual([3, 2]);
  });

  it('fails those that were asked for together, and then goes on', async () => {
    const batches = new Batches();
    let failing = true;
    const ask = (ids: string[]) =>
      batches.read<string>({
        ...{ kind: 'token', seq: 1, ids, most: 4 },
        read: async (all) => {
          await settled();
          if (failing) throw new Error('no tables');
          return new Map(all.map((id) => [id, id]));
        },
      });
    const answers = await Promise.allSettled([ask(['a']), ask(['b']), ask(['c']), ask(['d'])]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    failing = false;
    expect((await ask(['a'])).get('a')).toBe('a');
  });

  it('answers nothing for no ids', async () => {
    expect(await new Reads().ask([])).toEqual(new Map());
  });
});
