import type { FactsBlock } from '#libs/protocol/facts.js';
import { TailGroup } from '../tail-buffer.js';
import { type HotState, HotStates, UncacheableState } from './hot-states.js';

/** Groups come at any turn: while a state is loaded, between its load and the answer, and when the load fails. */
describe('HotStates', () => {
  const limits = { bytes: 1_000_000, entries: 100, trades: 100 };
  const group = (time: number) =>
    new TailGroup({
      ...{ kind: 'block', seq: time, height: time, time, hash: '', parentHash: '' },
      ...{ trades: [], tokens: [], pools: [], poolStates: [], references: [] },
      prices: [{ token: 'aa', pool: null, quote: null, spot: null, level: 0 }],
    } as unknown as FactsBlock);

  /** Counts the groups that it got. */
  class Counting implements HotState {
    readonly bytes = 100;
    groups = 0;
    apply(): boolean {
      this.groups++;
      return true;
    }
  }

  const wanted = { key: 'a', ids: ['aa'] };
  const answer = (state: Counting): number => state.groups;

  it('gives no state a view that was left behind, in whatever turn groups come', async () => {
    // Every turn of the event loop's queue between the load and the caller is met.
    let [early, late] = [0, 0];
    for (let turns = 0; turns < 24; turns++) {
      const states = new HotStates(0, 0, limits);
      const found = states.one(wanted, { load: async () => new Counting(), answer });
      let waiting = Promise.resolve();
      for (let i = 0; i < turns; i++) waiting = waiting.then(() => undefined);
      await waiting.then(() => states.follow(1, 1, [group(1)]));
      const value = await found;
      expect(value === null || value === 0).toBe(true);
      if (value === null) early++;
      else late++;
      expect(await states.one(wanted, { load: async () => new Counting(), answer })).toBe(1);
    }
    expect([early > 0, late > 0]).toEqual([true, true]);
  });

  it('loads a key once for all that ask, and hears of the groups that came meanwhile', async () => {
    const states = new HotStates(0, 0, limits);
    let loads = 0;
    let loaded: (state: Counting) => void = () => undefined;
    const load = () => {
      loads++;
      return new Promise<Counting>((resolve) => {
        loaded = resolve;
      });
    };
    const asked = [states.one(wanted, { load, answer }), states.one(wanted, { load, answer })];
    states.follow(1, 1, [group(1)]);
    asked.push(states.one(wanted, { load, answer }));
    states.follow(2, 2, [group(2)]);
    const last = states.one(wanted, { load, answer });
    loaded(new Counting());
    // Who loaded it gets what was loaded, without the later groups; the others of that time find it gone.
    expect(await Promise.all([...asked, last])).toEqual([0, null, null, 2]);
    expect(loads).toBe(1);
    expect(states.use).toMatchObject({ entries: 1, hits: 3, misses: 1 });
  });

  it('does not answer from what was loaded where something else was held, which had later groups', async () => {
    const states = new HotStates(0, 0, limits);
    const both = [wanted, { key: 'b', ids: ['aa'] }];
    let loaded: (states: Counting[]) => void = () => undefined;
    const load = () =>
      new Promise<Counting[]>((resolve) => {
        loaded = resolve;
      });
    const all = (found: readonly (Counting | UncacheableState)[]) => found.map((state) => (state as Counting).groups);
    const first = states.get<Counting, number[]>([both[0]!], { load, answer: all });
    loaded([new Counting()]);
    expect(await first).toEqual([0]);
    const mixed = states.get<Counting, number[]>(both, { load, answer: all });
    states.follow(1, 1, [group(1)]);
    loaded([new Counting()]);
    expect(await mixed).toBeNull();
    expect(await states.get<Counting, number[]>(both, { load, answer: all })).toEqual([1, 1]);
  });

  it('does not count on a load that failed, or that ends after all was given up', async () => {
    const states = new HotStates(0, 0, limits);
    const broken = () => Promise.reject(new Error('no tables'));
    await expect(states.one<Counting, number>(wanted, { load: broken, answer })).rejects.toThrow('no tables');
    expect(states.use).toMatchObject({ bytes: 0, entries: 0 });
    let loaded: (state: Counting) => void = () => undefined;
    const slow = () =>
      new Promise<Counting>((resolve) => {
        loaded = resolve;
      });
    const given = states.one(wanted, { load: slow, answer });
    states.reset(1, 1);
    const anew = states.one(wanted, { load: async () => new Counting(), answer });
    loaded(new Counting());
    expect(await Promise.all([given, anew])).toEqual([0, 0]);
    states.follow(2, 2, [group(2)]);
    expect(await states.one(wanted, { load: broken, answer })).toBe(1);
  });

  it('gives everything up where a block has an earlier time than the one before', async () => {
    const states = new HotStates(5, 50, limits);
    const load = async () => new Counting();
    expect(await states.one(wanted, { load, answer })).toBe(0);
    states.follow(7, 52, [group(51), group(52)]);
    expect(await states.one(wanted, { load, answer })).toBe(2);
    states.follow(9, 54, [group(54), group(53)]);
    expect(states.use).toMatchObject({ entries: 0, bytes: 0, resets: 1 });
    expect(await states.one(wanted, { load, answer })).toBe(0);
    states.follow(10, 53, [group(53)]);
    expect(states.use.resets).toBe(2);
  });

  it('keeps to its bounds, the oldest go first', async () => {
    const states = new HotStates(0, 0, { bytes: 5_000, entries: 8, trades: 8 });
    const load = async () => new Counting();
    for (let i = 0; i < 40; i++) {
      await states.one({ key: `k${i}`, ids: [`i${i}`] }, { load, answer });
      await states.one({ key: 'k0', ids: ['i0'] }, { load, answer });
      expect(states.use.bytes).toBeLessThanOrEqual(5_000);
      expect(states.use.entries).toBeLessThanOrEqual(8);
    }
    expect(states.loaded('k0')).not.toBeNull();
    expect(states.loaded('k39')).not.toBeNull();
    expect(states.loaded('k20')).toBeNull();
    expect(states.use.misses).toBe(40);
  });

  it('notes that there is too much, for a while', async () => {
    const states = new HotStates(0, 0, limits);
    let loads = 0;
    const load = async () => {
      loads++;
      return new UncacheableState();
    };
    for (let time = 1; time <= 999; time++) {
      expect(await states.one<Counting, number>(wanted, { load, answer })).toBeNull();
      states.follow(time, time, [group(time)]);
    }
    expect(loads).toBe(1);
    states.follow(1_000, 1_000, [group(1_000)]);
    await states.one<Counting, number>(wanted, { load, answer });
    expect(loads).toBe(2);
  });
});
