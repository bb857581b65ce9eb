import { blockAt, countUpTo } from './heights.js';

describe('places by height', () => {
  const blocks = [3, 4, 7, 8, 12].map((height) => ({ height }));

  it('count what lies at or below, also where a height has no block', () => {
    expect([2, 3, 5, 7, 11, 12, 99].map((height) => countUpTo(blocks, height))).toEqual([0, 1, 2, 3, 4, 5, 5]);
    expect(countUpTo([], 1)).toBe(0);
  });

  it('find the block of a height or none', () => {
    expect([2, 3, 5, 8, 12, 13].map((height) => blockAt(blocks, height)?.height ?? null)).toEqual([
      null,
      3,
      null,
      8,
      12,
      null,
    ]);
  });
});
