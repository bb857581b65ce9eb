import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { type RecordedForm, RecordedStore } from './recorded-store.js';

const numbers: RecordedForm<number> = { name: 'numbers', toRow: (value) => value, fromRow: (row) => row as number };
const texts: RecordedForm<string> = {
  name: 'texts',
  toRow: (value) => [value],
  fromRow: (row) => (row as [string])[0],
};
interface Mark {
  seq: number;
}
const mark = (seq: number): Mark => ({ seq });

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tidepool-recorded-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The store by its rules: maps that are copied at every commit. */
class NaiveStore {
  numbers = new Map<string, number>();
  texts = new Map<string, string>();
  order = new Set<string>();

  copy(): NaiveStore {
    const copy = new NaiveStore();
    copy.numbers = new Map(this.numbers);
    copy.texts = new Map(this.texts);
    copy.order = new Set(this.order);
    return copy;
  }

  takeAbove(height: number): string[] {
    const taken = [...this.order].filter((entry) => Number(entry.split(' ')[0]) > height);
    for (const entry of taken) this.order.delete(entry);
    return taken.sort();
  }
}

it('is what was set, through commits, takings back, losses of what was pending and new starts', async () => {
  let compared = 0;
  await withSeed('recorded store', async (random) => {
    for (let run = 0; run < scaled(60, 6); run++) {
      const folder = join(dir, `${run}`);
      // Hardly any cache, so that most reads reach the disk.
      const open = () => RecordedStore.open<Mark>(folder, { cacheEntries: random.pick([0, 4, 1_000]) });
      let store = open();
      let naive = new NaiveStore();
      let kept = naive.copy();
      let seq = -1;
      const ids = Array.from({ length: 12 }, (_, n) => `${n}`.padStart(4, '0'));
      for (let step = 0; step < 120; step++) {
        const id = random.pick(ids);
        const what = random.below(20);
        if (what < 9) set(random, store, naive, id);
        else if (what < 11) {
          const height = random.below(40);
          store.recorded(height, 'numbers', id);
          naive.order.add(`${height} numbers ${id}`);
        } else if (what < 12) {
          const height = random.below(40);
          const taken = store.takeAbove(height);
          const heights = taken.map((entry) => entry.height);
          expect(heights).toEqual([...heights].sort((a, b) => b - a));
          expect(taken.map((entry) => `${entry.height} ${entry.table} ${entry.id}`).sort()).toEqual(
            naive.takeAbove(height),
          );
        } else if (what < 14) {
          seq = step;
          const committing = store.commit(mark(seq));
          kept = naive.copy();
          // What changes meanwhile is not part of the commit.
          if (random.chance(0.5)) set(random, store, naive, id);
          await committing;
          expect(store.mark).toEqual(mark(seq));
        } else if (what < 15) {
          store.discard();
          naive = kept.copy();
        } else if (what < 16) {
          await store.close();
          store = open();
          naive = kept.copy();
          expect(store.mark).toEqual(seq === -1 ? null : mark(seq));
        } else {
          compared++;
          same(store, naive, ids);
        }
      }
      store.clear();
      same(store, new NaiveStore(), ids);
      expect([store.mark, store.takeAbove(-1)]).toEqual([null, []]);
      await store.close();
    }
  });
  expect(compared).toBeGreaterThan(50);
});

function set(random: SeededRandom, store: RecordedStore<Mark>, naive: NaiveStore, id: string): void {
  const value = random.chance(0.3) ? null : random.below(1_000);
  if (random.chance(0.5)) {
    store.table(numbers).set(id, value);
    if (value === null) naive.numbers.delete(id);
    else naive.numbers.set(id, value);
  } else {
    const text = value === null ? null : `text ${value}`;
    store.table(texts).set(id, text);
    if (text === null) naive.texts.delete(id);
    else naive.texts.set(id, text);
  }
}

function same(store: RecordedStore<Mark>, naive: NaiveStore, ids: readonly string[]): void {
  const seen = (form: RecordedForm<never>) => {
    const table = store.table(form);
    const single = ids.flatMap((id) => (table.get(id) === null ? [] : [[id, table.get(id)]]));
    return { size: table.size, single, all: [...table.entries()].sort(byId) };
  };
  const expected = (map: Map<string, unknown>) => {
    const all = [...map].sort(byId);
    return { size: map.size, single: all, all };
  };
  expect(seen(numbers as RecordedForm<never>)).toEqual(expected(naive.numbers));
  expect(seen(texts as unknown as RecordedForm<never>)).toEqual(expected(naive.texts));
}

const byId = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

it('passes over rows that the program has no use for', async () => {
  const store = RecordedStore.open<Mark>(dir);
  store.table(numbers).set('00', 1);
  store.table(numbers).set('01', 2);
  await store.commit(mark(1));
  await store.close();
  const odd: RecordedForm<number> = {
    ...numbers,
    fromRow: (row) => ((row as number) % 2 === 1 ? (row as number) : null),
  };
  const again = RecordedStore.open<Mark>(dir);
  expect([again.table(odd).get('00'), again.table(odd).get('01')]).toEqual([1, null]);
  expect([...again.table(odd).entries()]).toEqual([['00', 1]]);
  await again.close();
});

it('takes an entry once that was taken, recorded again at its height and taken again', async () => {
  const store = RecordedStore.open<Mark>(dir);
  store.recorded(7, 'numbers', '00');
  await store.commit(mark(1));
  const entry = { height: 7, table: 'numbers', id: '00' };
  expect(store.takeAbove(6)).toEqual([entry]);
  store.recorded(7, 'numbers', '00');
  expect(store.takeAbove(6)).toEqual([entry]);
  await store.close();
});
