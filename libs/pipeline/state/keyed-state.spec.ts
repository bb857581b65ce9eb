import { emptyHeapDisk, HeapStore } from './heap-store.js';
import { KeyedState } from './keyed-state.js';
import type { Space } from './space.js';
import { balanceKey, balances, testSpaces } from './test/test-spaces.js';

const spaces = testSpaces as unknown as readonly Space<never>[];
const position = (seq: number) => ({ seq, height: 100 + seq, hash: seq.toString(16).padStart(64, '0') });

/** Answers what was asked when it is let to, with the values of the moment of the question. */
class LateStore extends HeapStore {
  private late: (() => void)[] = [];

  override async fetch(...[space, keys, take]: Parameters<HeapStore['fetch']>): Promise<void> {
    const values = keys.map((key) => this.get(space, key));
    await new Promise<void>((resolve) => {
      this.late.push(resolve);
    });
    for (const [at, key] of keys.entries()) take(key, values[at]!);
  }

  answer(): void {
    for (const resolve of this.late.splice(0)) resolve();
  }
}

describe('values that are read ahead', () => {
  const [key, other] = [balanceKey(1), balanceKey(2)];

  async function begun(): Promise<{
    store: LateStore;
    state: KeyedState;
    commit(seq: number, value: bigint): Promise<void>;
  }> {
    const store = new LateStore(emptyHeapDisk(), spaces.length);
    const state = new KeyedState(spaces, store, { cacheEntries: 1 });
    const commit = async (seq: number, value: bigint): Promise<void> => {
      state.beginBlock(position(seq));
      state.space(balances).set(key, value);
      state.endBlock();
      state.seal(position(seq).height);
      await state.commit();
      // It takes the one place that the cache has.
      state.space(balances).get(other);
    };
    await commit(0, 10n);
    return { store, state, commit };
  }

  test('are not asked for again', async () => {
    const { store, state } = await begun();
    const warm = state.warm(balances, [key]);
    store.answer();
    await warm;
    store.get = () => {
      throw new Error('asked again');
    };
    expect(state.space(balances).get(key)).toBe(10n);
  });

  test('do not replace what a commit wrote meanwhile', async () => {
    const { store, state, commit } = await begun();
    const warm = state.warm(balances, [key]);
    await commit(1, 11n);
    store.answer();
    await warm;
    expect(state.space(balances).get(key)).toBe(11n);
  });

  test('do not replace what a block set meanwhile', async () => {
    const { store, state } = await begun();
    const warm = state.warm(balances, [key]);
    state.beginBlock(position(1));
    state.space(balances).set(key, 11n);
    state.endBlock();
    store.answer();
    await warm;
    expect(state.space(balances).get(key)).toBe(11n);
  });

  test('do not outlive a rewind', async () => {
    const { store, state, commit } = await begun();
    await commit(1, 11n);
    const warm = state.warm(balances, [key]);
    await state.rewind(state.points()[0]!);
    state.space(balances).get(other);
    store.answer();
    await warm;
    expect(state.space(balances).get(key)).toBe(10n);
  });
});
