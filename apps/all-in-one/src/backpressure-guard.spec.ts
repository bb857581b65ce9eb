import { propertySeeds, SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { BackpressureGuard } from './backpressure-guard.js';

class ToyChain {
  oldestHeight = 40;
  keptBlocks = 600;
  head = 40;
  paused = false;
  lost = false;

  async headHeight(): Promise<number> {
    if (this.lost) throw new Error('the node is gone');
    return this.head;
  }

  async pause(): Promise<void> {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  live(blocks: number): void {
    if (!this.paused) this.head += blocks;
  }
}

test('a chain whose reader stands still is held before it drops what was not read, and goes on afterwards', async () => {
  let held = 0;
  for (const seed of propertySeeds(20)) {
    const random = new SeededRandom(seed);
    const chain = new ToyChain();
    let sealed: number | null = null;
    const brake = new BackpressureGuard(chain, () => sealed);
    try {
      for (let turn = 0; turn < 300; turn++) {
        chain.live(random.int(0, 60));
        const reads = turn % 100 < 50 ? random.int(0, 30) : random.int(0, 400);
        if (turn > 5) sealed = Math.min(chain.head, Math.max(chain.oldestHeight, sealed ?? 0) + reads);
        await brake.look();
        const oldestKept = chain.head - chain.keptBlocks + 1;
        expect({ seed, turn, dropped: oldestKept > (sealed ?? chain.oldestHeight) + 1 }).toEqual({
          ...{ seed, turn, dropped: false },
        });
        if (chain.paused) held++;
      }
      sealed = chain.head;
      await brake.look();
      expect(chain.paused).toBe(false);
    } finally {
      brake.close();
    }
  }
  expect(held).toBeGreaterThan(100);
});

test('a node that does not answer changes nothing', async () => {
  const chain = new ToyChain();
  const brake = new BackpressureGuard(chain, () => null);
  try {
    chain.lost = true;
    chain.head = 10_000;
    await brake.look();
    expect(chain.paused).toBe(false);
    chain.lost = false;
    await brake.look();
    expect(chain.paused).toBe(true);
  } finally {
    brake.close();
  }
});
