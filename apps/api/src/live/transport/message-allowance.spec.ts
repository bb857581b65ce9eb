import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { MessageAllowance } from './message-allowance.js';

it('lets a burst through and then asks for as long as the rate needs', () => {
  let now = 0;
  const allowance = new MessageAllowance(3, 10, () => now);
  expect([1, 2, 3].map(() => allowance.spend())).toEqual([0, 0, 0]);
  expect(allowance.spend()).toBe(100);
  expect(allowance.spend()).toBe(200);
  now += 300;
  expect(allowance.spend()).toBe(0);
  now += 1_000_000;
  expect([1, 2, 3, 4].map(() => allowance.spend())).toEqual([0, 0, 0, 100]);
});

it('never admits more than burst and rate, whatever the arrivals, when its pauses are kept', () => {
  for (const seed of propertySeeds(scaled(200, 20))) {
    const random = new SeededRandom(seed);
    let now = 0;
    const [burst, perSecond] = [random.int(1, 50), random.int(1, 200)];
    const allowance = new MessageAllowance(burst, perSecond, () => now);
    for (let admitted = 1; admitted <= 300; admitted++) {
      const most = burst + (now * perSecond) / 1000;
      if (admitted - 1 > most) throw new Error(`seed ${seed}: ${admitted - 1} messages after ${now} ms`);
      const wait = allowance.spend();
      expect(wait).toBeGreaterThanOrEqual(0);
      now += wait + (random.chance(0.3) ? random.int(0, 500) : 0);
    }
  }
});
