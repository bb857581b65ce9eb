import { FollowedTokens } from './followed-tokens.js';

const DAY = 86_400_000;

it('states a time only when every token up to it was tried, once a day', async () => {
  const stated: number[] = [];
  const marks = {
    followedUntil: async () => 10 * DAY,
    followed: async (_: string, time: number) => void stated.push(time),
  };
  const followed = new FollowedTokens('sol', marks);
  const open = new Set(['aa', 'bb']);
  const reached = (time: number) => followed.reached(time, () => new Set(open));
  await reached(0);
  await reached(11 * DAY - 1);
  expect(stated).toEqual([]);
  await reached(11 * DAY);
  expect(stated).toEqual([]);
  open.delete('aa');
  // One of a later block is not waited for.
  open.add('cc');
  await reached(11 * DAY + 5);
  expect(stated).toEqual([]);
  open.delete('bb');
  await reached(12 * DAY);
  expect(stated).toEqual([11 * DAY]);
  await reached(12 * DAY);
  expect(stated).toEqual([11 * DAY]);
  open.delete('cc');
  await reached(12 * DAY + 1);
  expect(stated).toEqual([11 * DAY, 12 * DAY]);
  // The blocks of a new epoch are old ones again.
  await reached(3 * DAY);
  expect(stated).toEqual([11 * DAY, 12 * DAY]);
});
