import { pauseMs, untilAnswer } from './until.js';

/** Waits of specs: they see what comes at once, and leave the processor to what takes long. */
it('looks often at first, and ever less often up to a bound', () => {
  const pauses = [0, 100, 1_000, 2_000, 10_000, 200_000].map((waitedMs) => pauseMs(5, waitedMs));
  expect(pauses).toEqual([5, 5, 20, 40, 100, 100]);
  expect(pauseMs(500, 200_000)).toBe(500);
});

it('answers with the first look that finds something', async () => {
  const answers = [undefined, null, false, 0];
  expect(await untilAnswer('an answer', () => answers.shift())).toBe(0);
  expect(answers).toEqual([]);
});

it('says what was waited for and how far it came', async () => {
  const wait = untilAnswer('a block', () => null, { patienceMs: 0, howFar: () => ({ height: 3 }) });
  await expect(wait).rejects.toThrow('not within 0 s: a block {"height":3}');
});
