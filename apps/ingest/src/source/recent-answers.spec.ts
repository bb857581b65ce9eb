import { RecentAnswers } from './recent-answers.js';

const heights = (answers: readonly { height: number }[]): number[] => answers.map(({ height }) => height);

it('keeps the newest blocks of each node, and forgets what was retracted', () => {
  const recent = new RecentAnswers(3);
  for (let height = 1; height <= 9; height++) recent.remember(height, height % 2, `d${height}`);
  expect(heights(recent.of(1))).toEqual([5, 7, 9]);
  expect(heights(recent.of(0))).toEqual([4, 6, 8]);
  expect(heights(recent.of(1, 2))).toEqual([7, 9]);
  expect(recent.of(7)).toEqual([]);
  expect(recent.at(3)).toBeNull();
  expect(recent.at(6)).toEqual({ height: 6, node: 0, digest: 'd6' });
  expect(heights(recent.between(5, 8))).toEqual([5, 6, 7, 8]);
  recent.forgetFrom(8);
  expect(heights(recent.between(0, 99))).toEqual([4, 5, 6, 7]);
});

it('knows one block at a height: the one that was published last, with none above it', () => {
  const recent = new RecentAnswers(10);
  for (const height of [10, 12, 15]) recent.remember(height, 0, 'old');
  recent.remember(12, 1, 'new');
  expect(recent.between(0, 99)).toEqual([
    { height: 10, node: 0, digest: 'old' },
    { height: 12, node: 1, digest: 'new' },
  ]);
  recent.clear();
  expect(recent.of(0)).toEqual([]);
  expect(recent.at(10)).toBeNull();
});
