import { inTurns, mapInTurns } from './in-turns.js';

describe('many items in turns', () => {
  const items = Array.from({ length: 320 }, (_, index) => index);

  /** Longer than a turn for the items that are looked at between two looks at the clock. */
  const slowly = (): void => {
    for (const end = performance.now() + 0.1; performance.now() < end; );
  };

  async function turnsDuring(work: () => Promise<void>): Promise<number> {
    let turns = 0;
    const count = (): void => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await work();
    clearImmediate(timer);
    return turns;
  }

  it('are looked at in their order, and others have their turn', async () => {
    const seen: number[] = [];
    const turns = await turnsDuring(() =>
      inTurns(items, (item) => {
        slowly();
        seen.push(item);
      }),
    );
    expect(seen).toEqual(items);
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  it('are made into others in their order', async () => {
    expect(await mapInTurns(new Set(items), (item) => item * 2)).toEqual(items.map((item) => item * 2));
  });

  it('fail as the look at one of them does', async () => {
    const look = (item: number): void => {
      if (item === 100) throw new Error('the hundredth');
    };
    await expect(inTurns(items, look)).rejects.toThrow('the hundredth');
  });
});
