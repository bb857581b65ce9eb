import { sparkPath } from './spark-path.js';

describe('spark line', () => {
  it('needs two values', () => {
    expect(sparkPath([], 10, 10)).toBeNull();
    expect(sparkPath([5], 10, 10)).toBeNull();
  });

  it('reaches from edge to edge, the highest on top', () => {
    expect(sparkPath([1, 3, 2], 20, 10)).toBe('M0 10L10 0L20 5');
    expect(sparkPath([1e-9, 3e-9], 20, 10)).toBe('M0 10L20 0');
  });

  it('is a level line where nothing moves', () => {
    expect(sparkPath([2, 2, 2], 20, 10)).toBe('M0 5L10 5L20 5');
  });
});
