import { jest } from '@jest/globals';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { type Entry, EntryRing } from '../entry-ring.js';
import { emptyHeapDisk, openHeapState } from '../heap-store.js';
import { KeyedSpace } from '../keyed-space.js';
import { RecordPacker } from '../packed-records.js';
import type { Space } from '../space.js';
import { stateHash } from '../state-hash.js';
import { RandomHistory, type StateHarness } from './random-history.js';
import { balanceKey, balances, testSpaces, tickKey, ticks } from './test-spaces.js';

const spaces = testSpaces as unknown as readonly Space<never>[];
const position = (seq: number) => ({ seq, height: 100 + seq, hash: seq.toString(16).padStart(64, '0') });

/** What every keyed state must do, wherever its sealed values are. */
export function stateContract(name: string, histories: number, harness: () => Promise<StateHarness>): void {
  describe(`keyed state: ${name}`, () => {
    const opened: StateHarness[] = [];
    const fresh = async (): Promise<StateHarness> => {
      const made = await harness();
      opened.push(made);
      return made;
    };

    afterEach(async () => {
      for (const made of opened.splice(0)) await made.close();
    });

    test('random histories with kills and rewinds end like the naive model', async () => {
      const first = testSeed();
      for (let seed = first; seed < first + scaled(histories, 2); seed++) {
        try {
          await new RandomHistory(new SeededRandom(seed), await fresh()).run(100);
        } catch (error) {
          throw new Error(`failed with TIDEPOOL_TEST_SEED=${seed}`, { cause: error });
        }
      }
    });

    test('the hash depends on content alone', async () => {
      const seed = testSeed();
      const history = new RandomHistory(new SeededRandom(seed), await fresh());
      const state = await history.run(150);
      const straight = openHeapState(spaces);
      straight.beginBlock(position(0));
      for (const space of testSpaces as readonly Space<unknown>[]) {
        for (const [key, value] of history.values.get(space.name) ?? []) straight.space(space).set(key, value);
      }
      straight.endBlock();
      expect([seed, await stateHash(state)]).toEqual([seed, await stateHash(straight)]);
    });

    test('a load that did not come to its end leaves an empty state', async () => {
      const packed = (from: number): Buffer<ArrayBuffer>[] => {
        const packer = new RecordPacker(1_000);
        for (let key = from; key < from + 100; key++) packer.add(0, balanceKey(key), balances.encode(BigInt(key)));
        return [packer.take()];
      };
      const place = await fresh();
      const state = await place.open({});
      await state.load(packed(0), null);
      await state.close();
      const after = await place.open({});
      expect(after.head).toBeNull();
      expect(after.space(balances).range({ from: '', to: null })).toEqual([]);
      await after.load(packed(0), null);
      await after.load(packed(100), position(0));
      expect(after.committed).toEqual(position(0));
      expect(after.space(balances).range({ from: '', to: null })).toHaveLength(200);
      expect(after.space(balances).get(balanceKey(150))).toBe(150n);
    });

    test('a commit is of the blocks that were sealed when it began', async () => {
      const place = await fresh();
      const state = await place.open({});
      const set = (seq: number, value: bigint): void => {
        state.beginBlock(position(seq));
        state.space(balances).set(balanceKey(1), value);
        state.endBlock();
      };
      set(0, 10n);
      set(1, 11n);
      state.seal(100);
      const done = state.commit();
      set(2, 12n);
      state.seal(102);
      await done;
      expect(state.committed).toEqual(position(0));
      expect(state.space(balances).get(balanceKey(1))).toBe(12n);
      await state.close();
      const after = await place.open({});
      expect(after.head).toEqual(position(0));
      expect(after.space(balances).get(balanceKey(1))).toBe(10n);
    });

    test('a key that came and went between two commits is not in the second, one that the first has is removed', async () => {
      const state = await (await fresh()).open({});
      const kept = balanceKey(1);
      let seq = 0;
      const block = (set: () => void): void => {
        state.beginBlock(position(seq++));
        set();
        state.endBlock();
      };
      block(() => state.space(balances).set(kept, 1n));
      state.seal(1_000);
      await state.commit();
      const passing = tickKey(1, 1);
      block(() => state.space(ticks).set(passing, { gross: 1n, net: 1n }));
      block(() => state.space(balances).set(kept, null));
      block(() => state.space(ticks).set(passing, null));
      state.seal(1_000);
      // Sealed blocks are taken into the batch with the next ones.
      block(() => state.space(balances).set(balanceKey(2), 2n));
      expect(state.sealedKeys).toBe(1);
      await state.commit();
      expect(state.committed).toEqual(position(3));
      expect(state.counts.overlaid).toBe(1);
      expect(state.space(ticks).get(passing)).toBeNull();
      expect(state.space(balances).get(kept)).toBeNull();
      block(() => state.space(ticks).set(passing, { gross: 2n, net: 2n }));
      expect(state.space(ticks).range({ from: tickKey(1, 0), to: tickKey(1, 2) })).toEqual([
        [passing, { gross: 2n, net: 2n }],
      ]);
    });

    test.each([
      ['before-rewind', 2n],
      ['after-rewind', 1n],
    ] as const)('a rewind that is killed at %s holds none of it, or all', async (at, kept) => {
      const place = await fresh();
      const state = await place.open({
        steps: async (name) => {
          if (name === `state.${at}`) throw new Error('killed');
        },
      });
      for (const seq of [0, 1, 2]) {
        state.beginBlock(position(seq));
        state.space(balances).set(balanceKey(1), BigInt(seq + 1));
        state.endBlock();
        if (seq === 2) break; // what is above the committed state is given up either way
        state.seal(1_000);
        await state.commit();
      }
      const point = state.keptStates().find((kept) => kept.position?.seq === 0)!;
      await expect(state.rewind(point)).rejects.toThrow('killed');
      expect(() => state.beginBlock(position(3))).toThrow('a rewind of the keyed state failed');
      await state.close();
      const after = await place.open({});
      expect(after.head).toEqual(position(Number(kept) - 1));
      expect(after.space(balances).get(balanceKey(1))).toBe(kept);
    });

    test('misuse is refused', async () => {
      const state = await (await fresh()).open({});
      expect(() => state.space(balances).set(balanceKey(1), 1n)).toThrow('outside of a block');
      state.beginBlock(position(5));
      expect(() => state.beginBlock(position(6))).toThrow('still open');
      expect(() => state.retractTo(1)).toThrow('still open');
      state.endBlock();
      expect(() => state.endBlock()).toThrow('no block is open');
      expect(() => state.beginBlock(position(5))).toThrow('does not follow');
      expect(() => state.space({ ...ticks, name: 'other' })).toThrow('no space other');
      state.beginBlock(position(6));
      state.space(ticks).set(tickKey(1, 1), { gross: 1n, net: 1n });
      expect(state.endBlock().size).toBe(1);
    });
  });
}

/** Breaks what both kinds share, so one of them shows it. */
export function mutationChecks(harness: () => Promise<StateHarness>): void {
  describe('keyed state: a random history', () => {
    afterEach(() => jest.restoreAllMocks());

    test.each(mutations)('finds out a state that %s', async (_, breakIt) => {
      const run = async (seed: number): Promise<string> =>
        new RandomHistory(new SeededRandom(seed), await harness()).run(100).then(
          () => 'unseen',
          () => 'found',
        );
      const seeds = [1, 2, 3, 4];
      expect(await Promise.all(seeds.map(run))).toEqual(seeds.map(() => 'unseen'));
      breakIt();
      expect(await Promise.all(seeds.map(run))).toContain('found');
    });
  });
}

/** Ways to break undo, overlay, cache and batch; each must turn a random history red. */
const mutations: [string, () => void][] = [
  [
    'restores no old value',
    () => {
      jest.spyOn(KeyedSpace.prototype, 'restore').mockImplementation(function (this: KeyedSpace<unknown>, entry) {
        this.unpin(entry);
      });
    },
  ],
  [
    'forgets values that are not committed',
    () => {
      const unpin = KeyedSpace.prototype.unpin;
      jest.spyOn(KeyedSpace.prototype, 'unpin').mockImplementation(function (this: KeyedSpace<unknown>, entry) {
        unpin.call(this, entry);
        if (entry.pins > 0) entry.home?.delete(entry.key);
      });
    },
  ],
  [
    'drops entries that the store does not have yet',
    () => {
      const add = EntryRing.prototype.add;
      jest.spyOn(EntryRing.prototype, 'add').mockImplementation(function (this: EntryRing, entry) {
        add.call(this, entry);
        for (const { home, key } of (this as unknown as { ring: Entry<unknown>[] }).ring) home?.delete(key);
      });
    },
  ],
  [
    'lists no overlaid key in ranges',
    () => {
      jest
        .spyOn(KeyedSpace.prototype as unknown as { overlaidIn: () => string[] }, 'overlaidIn')
        .mockImplementation(() => []);
    },
  ],
];

export const heapHarness = async (): Promise<StateHarness> => {
  const disk = emptyHeapDisk();
  return { open: async (options) => openHeapState(spaces, { ...options, disk }), close: async () => undefined };
};
