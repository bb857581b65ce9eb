import { propertySeeds, scaled, testScale } from '#libs/devkit/testing/seeded-random.js';
import { Liar, type LieKind, lieKinds } from './test/liar.js';
import { LiarWorld } from './test/liar-world.js';

/**
 * Random histories that are read of nodes one of which is dishonest, with the checks as they are by default. Wherever another
 * node is honest, the log ends as the chain is, in every transaction and every amount moved, below finality too.
 */
const worlds: LiarWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.harness.close();
});

async function open(seed: number): Promise<LiarWorld> {
  const world = await LiarWorld.open(seed);
  worlds.push(world);
  return world;
}

/** With few blocks in each list and few of each node, so that all nodes are asked in history. */
const options = {
  historyThreshold: 20,
  historyMargin: 10,
  run: { slotsPerList: 50, parallel: 6, perNode: 2, maxBatch: 5 },
};

async function history(seed: number, kind: LieKind): Promise<void> {
  const world = await open(seed);
  const { harness, random } = world;
  const liar = new Liar({ kind, rate: random.pick([0.03, 0.1, 0.4]), seed, steady: random.chance(0.5) });
  // What made the accounts moves none that move again: that it is missing only samples can show, by chance.
  liar.from = (await world.tip()) + 2;
  world.grow(random.between(40, 90));
  const nodes = random.between(2, 3);
  const proxies = await Promise.all(Array.from({ length: nodes }, () => harness.proxy()));
  random.pick(proxies).liar = liar;
  // What is pushed comes from the first node, or nothing is.
  const sockets = random.chance(0.5) ? [proxies[0]!.socketUrl] : [];
  const running = harness.start([...proxies.map(({ url }) => url), ...sockets], options);
  for (let n = random.between(5, 20); n > 0; n--) {
    world.grow(random.between(1, 3));
    if (random.chance(0.15)) harness.chain.fork(random.between(1, 6), { sameSlots: random.chance(0.5) });
    // A newest block that is hidden shows when the next one comes, and not before.
    liar.upTo = (await world.tip()) - 1;
    if (random.chance(0.5)) await harness.caughtUp(running);
    liar.upTo = Number.POSITIVE_INFINITY;
  }
  // The last false answers show when their accounts move again.
  liar.upTo = await world.tip();
  world.grow(6, 6);
  await world.settled();
}

describe.each(lieKinds)('a node that lies (%s)', (kind) => {
  it.each(propertySeeds(scaled(10, 2)))(
    'leaves nothing in the log that is not on the chain (seed %d)',
    async (seed) => {
      await history(seed, kind);
    },
  );

  it.each(propertySeeds(testScale < 1 ? 4 : scaled(125), 1_000))(
    'leaves nothing there in many histories, seed %d (long)',
    async (seed) => {
      await history(seed, kind);
    },
  );
});

it.each(propertySeeds(scaled(25, 2)))('honest nodes are never called liars (seed %d)', async (seed) => {
  const world = await open(seed);
  const { harness, random } = world;
  world.grow(60);
  const proxies = await Promise.all(Array.from({ length: random.between(1, 3) }, () => harness.proxy()));
  const urls = proxies.flatMap(({ url, socketUrl }) => [url, socketUrl]);
  const running = harness.start(urls, options);
  for (let n = 0; n < 10; n++) {
    world.grow(random.between(1, 3));
    if (random.chance(0.2)) harness.chain.fork(random.between(1, 6), { sameSlots: random.chance(0.5) });
    if (random.chance(0.5)) await harness.caughtUp(running);
  }
  await world.settled();
  expect(running.lies).toEqual([]);
  const last = [...running.decoding.proofs.values()].at(-1);
  expect(last).toBe(proxies.length === 1 ? 'none' : 'sampled');
});
