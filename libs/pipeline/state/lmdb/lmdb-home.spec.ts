import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitThread } from '#libs/devkit/testing/commit-thread.js';
import type { KeyedState } from '../keyed-state.js';
import type { Space } from '../space.js';
import { balanceKey, balances, testSpaces } from '../test/test-spaces.js';
import { LmdbHome } from './lmdb-home.js';

const spaces = testSpaces as unknown as readonly Space<never>[];
const position = (seq: number) => ({ seq, height: seq, hash: '00' });

let dir = '';
let home: LmdbHome;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidepool-lmdb-home-'));
  home = new LmdbHome(join(dir, 'state'), spaces, { commitThread });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function commitBlock(state: KeyedState, seq: number, value: bigint): Promise<void> {
  state.beginBlock(position(seq));
  state.space(balances).set(balanceKey(1), value);
  state.endBlock();
  state.seal(seq);
  await state.commit();
}

const balanceOf = (state: KeyedState): bigint | null => state.space(balances).get(balanceKey(1));

describe('a home of a keyed state in a folder', () => {
  it('is opened by one at a time: the next waits until the state is closed', async () => {
    const first = await home.open();
    await commitBlock(first, 1, 5n);
    let isOpen = false;
    const second = new LmdbHome(home.dir, spaces, { commitThread }).open().then((state) => {
      isOpen = true;
      return state;
    });
    expect((await home.kept()).committed).toEqual(position(1));
    expect(isOpen).toBe(false);
    await first.close();
    expect(balanceOf(await second)).toBe(5n);
    await (await second).close();
  });

  it('takes a successor instead of the state, or none of it', async () => {
    const state = await home.open();
    await commitBlock(state, 1, 5n);
    const next = await home.openNext();
    expect(balanceOf(next)).toBeNull();
    await commitBlock(next, 7, 8n);
    await home.promote(state, next);
    const promoted = await home.open();
    expect([promoted.committed, balanceOf(promoted)]).toEqual([position(7), 8n]);
    // The process ends before a promotion.
    const unfinished = await home.openNext();
    await commitBlock(unfinished, 9, 1n);
    await unfinished.close();
    await promoted.close();
    const again = await home.open();
    expect(balanceOf(again)).toBe(8n);
    expect(existsSync(`${home.dir}.next`)).toBe(false);
    await again.close();
    // And in the middle of one.
    await rename(home.dir, `${home.dir}.next`);
    const moved = await home.open();
    expect(balanceOf(moved)).toBe(8n);
    await moved.close();
  });

  it('says what it keeps without being opened, and keeps nothing when it was removed', async () => {
    expect(await home.kept()).toEqual({ committed: null, points: [] });
    const state = await home.open();
    await commitBlock(state, 1, 5n);
    await commitBlock(state, 2, 6n);
    await state.close();
    const { committed, points } = await home.kept();
    expect([committed, points.map((point) => point.position)]).toEqual([position(2), [position(1), null]]);
    await home.remove();
    expect(await home.kept()).toEqual({ committed: null, points: [] });
  });
});
