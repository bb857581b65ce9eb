import type { Market } from '#libs/serve/reader/read-market.js';
import { ReadyLists } from './ready-lists.js';

describe('the lists that are made ready', () => {
  const market = {} as Market;

  it('are those that were asked for lately', async () => {
    const ready = new ReadyLists();
    const made: string[] = [];
    const note = (list: string): void =>
      ready.note(list, async () => {
        made.push(list);
      });
    const take = async (): Promise<string[]> => {
      await ready.make(market);
      return made.splice(0);
    };
    note('a');
    note('b');
    expect(await take()).toEqual(['a', 'b']);
    note('a');
    expect(await take()).toEqual(['b', 'a']);
    expect(await take()).toEqual(['a']);
    expect(await take()).toEqual([]);

    for (let n = 0; n < 100; n++) note(`many ${n}`);
    const kept = await take();
    expect(kept).toHaveLength(32);
    expect(kept.at(-1)).toBe('many 99');
  });
});
