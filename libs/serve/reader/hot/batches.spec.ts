import { Batches } from './batches.js';

describe('Batches', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));

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

    /** Asked in a turn of its own. */
    async started(ids: string[], seq = 1, kind = 'token') {
      const answer = this.ask(ids, seq, kind);
      await settled();
      return { answer };
    }

    async end(): Promise<void> {
      this.ends.shift()!();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('asks at once while few run, and then together for what waits', async () => {
    const reads = new Reads();
    const answers = [await reads.started(['a']), await reads.started(['b'])].map(({ answer }) => answer);
    answers.push((await reads.started(['c'])).answer, (await reads.started(['d', 'c'])).answer);
    expect(reads.asked.map(({ ids }) => ids)).toEqual([['a'], ['b']]);
    await reads.end();
    expect(reads.asked.map(({ ids }) => ids)).toEqual([['a'], ['b'], ['c', 'd']]);
    await reads.end();
    await reads.end();
    const found = await Promise.all(answers);
    expect(found.map((rows) => rows.get('c'))).toEqual([undefined, undefined, 'c at 1', 'c at 1']);
    expect(found[3]!.get('d')).toBe('d at 1');
  });

  it('asks together for what one turn asks for', async () => {
    const reads = new Reads();
    const answers = ['a', 'b', 'a', 'c'].map((id) => reads.ask([id]));
    await settled();
    expect(reads.asked.map(({ ids }) => ids)).toEqual([['a', 'b', 'c']]);
    await reads.end();
    expect((await Promise.all(answers)).map((rows) => rows.get('b'))).toEqual(Array(4).fill('b at 1'));
  });

  it('asks for ids of two views apart', async () => {
    const reads = new Reads();
    const answers = [(await reads.started(['a'])).answer, (await reads.started(['b'])).answer];
    answers.push(reads.ask(['c'], 1), reads.ask(['c'], 2), reads.ask(['d'], 1));
    await settled();
    for (let i = 0; i < 4; i++) await reads.end();
    const found = await Promise.all(answers);
    expect(reads.asked.slice(2)).toEqual([
      { seq: 1, ids: ['c', 'd'] },
      { seq: 2, ids: ['c'] },
    ]);
    expect([found[2]!.get('c'), found[3]!.get('c')]).toEqual(['c at 1', 'c at 2']);
  });

  it('asks few questions of all kinds at once, and what waits for its turn is joined', async () => {
    const reads = new Reads();
    const answers: Promise<unknown>[] = [];
    const add = async (ids: string[], kind: string) => answers.push((await reads.started(ids, 1, kind)).answer);
    for (const [index, kind] of ['token', 'pool', 'price', 'state', 'rank', 'kinds'].entries()) {
      await add([`${index}`], kind);
    }
    const asked = () => reads.asked.map(({ ids }) => ids.join(''));
    expect(asked()).toEqual(['0', '1', '2', '3']);
    await add(['a'], 'kinds');
    await add(['b'], 'rank');
    await reads.end();
    expect(asked()).toEqual(['0', '1', '2', '3', '4b']);
    await add(['c'], 'kinds');
    for (let left = 5; left > 0; left--) await reads.end();
    expect(asked()).toEqual(['0', '1', '2', '3', '4b', '5ac']);
    await Promise.all(answers);
  });

  it('asks of one kind no more than two questions at once, so that others have their turn', async () => {
    const reads = new Reads();
    const answers = [(await reads.started(['a'])).answer, (await reads.started(['b'])).answer];
    answers.push((await reads.started(['c'])).answer, (await reads.started(['d'], 1, 'pool')).answer);
    expect(reads.asked.map(({ ids }) => ids.join(''))).toEqual(['a', 'b', 'd']);
    for (let left = 4; left > 0; left--) await reads.end();
    expect(reads.asked.map(({ ids }) => ids.join(''))).toEqual(['a', 'b', 'd', 'c']);
    await Promise.all(answers);
  });

  it('asks for no more than may be asked at once', async () => {
    const reads = new Reads();
    const whole = reads.ask(['a', 'b', 'c', 'd', 'e', 'f']);
    const late = reads.ask(['g', 'h', 'i']);
    const later = reads.ask(['j', 'k']);
    await settled();
    for (let i = 0; i < 3; i++) await reads.end();
    expect(reads.asked.map(({ ids }) => ids.join(''))).toEqual(['abcd', 'efjk', 'ghi']);
    const lacking = async (found: Promise<ReadonlyMap<string, string>>, ids: string) => {
      const rows = await found;
      return [...ids].filter((id) => rows.get(id) !== `${id} at 1`);
    };
    expect([await lacking(whole, 'abcdef'), await lacking(late, 'ghi'), await lacking(later, 'jk')]).toEqual([
      [],
      [],
      [],
    ]);
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
