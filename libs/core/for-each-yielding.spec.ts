import { spend, Turns } from '#libs/devkit/testing/turns.js';
import { forEachYielding, mapYielding } from './for-each-yielding.js';

describe('many items in turns', () => {
  const items = Array.from({ length: 320 }, (_, index) => index);

  it('are looked at in their order, and others have their turn', async () => {
    const seen: number[] = [];
    const turns = new Turns();
    await forEachYielding(items, (item) => {
      // Longer than a turn for the items that are looked at between two looks at the clock.
      spend(0.1);
      seen.push(item);
    });
    turns.end();
    expect(seen).toEqual(items);
    expect(turns.now).toBeGreaterThanOrEqual(9);
  });

  it('are made into others in their order', async () => {
    expect(await mapYielding(new Set(items), (item) => item * 2)).toEqual(items.map((item) => item * 2));
  });

  it('fail as the look at one of them does', async () => {
    const look = (item: number): void => {
      if (item === 100) throw new Error('the hundredth');
    };
    await expect(forEachYielding(items, look)).rejects.toThrow('the hundredth');
  });
});
