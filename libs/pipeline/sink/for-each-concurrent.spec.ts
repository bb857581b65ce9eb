import { setImmediate as nextTurn } from 'node:timers/promises';
import { forEachConcurrent } from './for-each-concurrent.js';

describe('forEachConcurrent', () => {
  it('begins the items in their order and never more than so many at a time', async () => {
    const begun: number[] = [];
    let [running, most] = [0, 0];
    await forEachConcurrent([5, 1, 3, 0, 2], 2, async (turns) => {
      begun.push(turns);
      most = Math.max(most, ++running);
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      running--;
    });
    expect([begun, most, running]).toEqual([[5, 1, 3, 0, 2], 2, 0]);
  });

  it('waits for what is under way when one fails, begins no other, and throws the first failure', async () => {
    const ended: string[] = [];
    const works: Record<string, () => Promise<void>> = {
      slow: async () => {
        for (let turn = 0; turn < 10; turn++) await nextTurn();
        ended.push('slow');
      },
      failing: async () => {
        await nextTurn();
        throw new Error('no room');
      },
      never: async () => void ended.push('never'),
    };
    await expect(forEachConcurrent(Object.keys(works), 2, (name) => works[name]!())).rejects.toThrow('no room');
    expect(ended).toEqual(['slow']);
  });
});
