import type { Hex } from '#libs/core/ids.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { OrderedKeys } from './ordered-keys.js';

const keyOf = (n: number): Hex => n.toString(16).padStart(4, '0');

test('keys that come and go are handed out in order, like those of a sorted list', () =>
  withSeed('ordered keys', async (random) => {
    let compared = 0;
    for (let round = 0; round < scaled(40, 8); round++) {
      const present = new Set<Hex>();
      const longest = random.int(1, 8);
      let keys: OrderedKeys | undefined;
      for (let step = 0; step < 400; step++) {
        const key = keys === undefined || random.chance(0.6) ? keyOf(random.int(0, 300)) : random.pick([...present]);
        if (keys === undefined) {
          keys = new OrderedKeys(key, longest);
          present.add(key);
        } else if (present.delete(key)) {
          const empty = keys.removed((one) => present.has(one));
          expect(empty).toBe(present.size === 0);
          if (empty) {
            keys = undefined;
            continue;
          }
        } else {
          keys.add(key);
          present.add(key);
        }
        const [low, high] = [random.int(0, 300), random.int(0, 300)].sort((a, b) => a - b) as [number, number];
        const reverse = random.chance(0.5);
        const next = keys.between(keyOf(low), keyOf(high), reverse);
        const found: Hex[] = [];
        for (let one = next(); one !== null; one = next()) if (present.has(one)) found.push(one);
        const expected = [...present].filter((one) => one >= keyOf(low) && one < keyOf(high)).sort();
        expect(found).toEqual(reverse ? expected.reverse() : expected);
        compared += found.length;
      }
    }
    expect(compared).toBeGreaterThan(1_000);
  }));
