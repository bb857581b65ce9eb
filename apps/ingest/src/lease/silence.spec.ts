import { Silence } from './silence.js';

const LENGTH = 1_000;

function looking() {
  const clock = { now: 50_000 };
  const silence = new Silence(LENGTH, () => clock.now);
  const look = (mark: string, afterMs: number): boolean => {
    clock.now += afterMs;
    return silence.found(mark, clock.now);
  };
  return { clock, silence, look };
}

it('is over the length once nothing new was found for all of it', () => {
  const { look } = looking();
  expect(look('a 1', 0)).toBe(false);
  for (let at = 100; at < LENGTH; at += 100) expect(look('a 1', 100)).toBe(false);
  expect(look('a 1', 100)).toBe(true);
});

it('begins again with each new word', () => {
  const { look } = looking();
  for (let n = 0; n < 50; n++) expect(look(`a ${Math.floor(n / 5)}`, 100)).toBe(false);
});

it('does not count what nobody looked at: this process slept, or the log was away', () => {
  const { look } = looking();
  look('a 1', 0);
  expect(look('a 1', 3_600_000)).toBe(false);
  expect(look('a 1', 400)).toBe(false);
  expect(look('a 1', 601)).toBe(false);
  expect(look('a 1', 300)).toBe(false);
  expect(look('a 1', 400)).toBe(false);
  expect(look('a 1', 400)).toBe(true);
});

it('counts from a look that was begun, not from one that took long', () => {
  const { clock, silence, look } = looking();
  for (let at = 0; at < LENGTH; at += 100) look('a 1', 100);
  const beganAt = clock.now - 300;
  expect(silence.found('a 1', beganAt)).toBe(false);
});
