import { secondsLeft, validUntil } from './countdown.js';

const AT = Date.UTC(2026, 0, 1);
const expiring = (ms: number) => ({ expiresAt: new Date(AT + ms).toISOString() });

it.each([
  ['a moment on the way', 29_800, 29_800],
  ['a slow answer', 21_000, 21_000],
  ['a clock that is behind', 90_000, 30_000],
  ['a clock that is ahead', -45_000, 30_000],
])('%s', (_what, stated, until) => expect(validUntil(expiring(stated), AT, 30_000)).toBe(AT + until));

it('takes the lifetime where the time cannot be read', () =>
  expect(validUntil({ expiresAt: 'soon' }, AT, 15_000)).toBe(AT + 15_000));

it.each([
  [30_000, 30],
  [29_999, 30],
  [1, 1],
  [0, 0],
  [-5_000, 0],
])('%i ms are %i seconds', (left, seconds) => expect(secondsLeft(AT + left, AT)).toBe(seconds));
