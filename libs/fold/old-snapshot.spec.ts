import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HeapHome } from '#libs/state/heap-home.js';
import { factsBytes, inputHash, runFold } from '#libs/testing/histories/fold-driver.js';
import { randomHistory } from '#libs/testing/histories/random-history.js';
import { SeededRandom } from '#libs/testing/seeded-random.js';
import { ChainFold } from './chain-fold.js';
import { foldSpaces } from './fold-spaces.js';
import { decodeOldSnapshot } from './old-snapshot.js';
import { BadStateError } from './state-bytes.js';

/** As a program before keyed state wrote it, after seq 40 of this history. */
const file = fileURLToPath(new URL('./fixtures/old-snapshot.base64', import.meta.url));
const snapshot = Buffer.from(readFileSync(file, 'utf8'), 'base64');
const { groups } = randomHistory(11, { groups: 60 });
const SEQ = 40;

describe('a snapshot of a program before keyed state', () => {
  it('is taken over as the state that a fold from the beginning has', async () => {
    const straight = runFold(groups);
    const home = new HeapHome(foldSpaces);
    const imported = ChainFold.fromSnapshot(await home.open({ cacheEntries: 0 }), decodeOldSnapshot(snapshot));
    expect(await imported.stateHash()).toBe(await runFold(groups.slice(0, SEQ + 1)).fold.stateHash());
    expect(imported.poolsSetApart).toBe(0);
    await imported.state.commit();
    const fold = ChainFold.over(await home.open({ cacheEntries: 0 }), { objects: 8 });
    expect(fold.position).toMatchObject({ seq: SEQ, height: groups[SEQ]!.height });
    let compared = 0;
    for (const group of groups.slice(SEQ + 1)) {
      if (group.kind === 'retract' && !fold.canRetract(group)) break;
      expect(factsBytes(fold.apply(group, inputHash(group)))).toBe(factsBytes(straight.facts[group.seq]!));
      compared++;
    }
    expect(compared).toBeGreaterThan(10);
  });

  it('is refused when it is damaged anywhere', () => {
    const random = new SeededRandom(3);
    for (let i = 0; i < 200; i++) {
      const damaged = Buffer.from(snapshot);
      const at = random.int(0, damaged.length - 1);
      damaged[at] = damaged[at]! ^ (1 << random.int(0, 7));
      expect(() => decodeOldSnapshot(damaged)).toThrow(BadStateError);
      expect(() => decodeOldSnapshot(snapshot.subarray(0, at))).toThrow(BadStateError);
    }
  });
});
