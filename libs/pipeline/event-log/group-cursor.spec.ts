import { LogBrokenError } from '#libs/core/errors.js';
import { GroupCursor } from './group-cursor.js';

test('a reader takes each seq once, ignores repeats and refuses a gap', () => {
  const cursor = new GroupCursor('topic', 5);
  expect([3, 4, 5, 5, 4, 6].map((seq) => cursor.accept(seq))).toEqual([false, false, true, false, false, true]);
  expect(() => cursor.accept(8)).toThrow(LogBrokenError);
  expect(cursor.next).toBe(7);
  expect(cursor.accept(7)).toBe(true);
});
