import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { propertySeeds, scaled } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { survivors } from '../test/log-checks.js';
import { Liar, type LieKind, lieKinds } from './test/liar.js';
import { type RunningSource, SolanaHarness } from './test/solana-harness.js';
import { loggedLine, TokenTraffic, toldLine } from './test/token-traffic.js';

/**
 * Random histories that are read of nodes one of which lies, with the checks as they are by default. Wherever another node
 * tells the truth, the log ends as the chain is, in every transaction and every amount moved, below finality too.
 */
class World {
  private constructor(
    readonly harness: SolanaHarness,
    readonly random: SeededRandom,
    readonly traffic: TokenTraffic,
  ) {}

  static async open(seed: number): Promise<World> {
    const random = new SeededRandom(seed);
    const harness = await SolanaHarness.open({ seed, finalizedDepth: 12 });
    return new World(harness, random, new TokenTraffic(harness.chain, random));
  }

  grow(blocks: number, most = 3): void {
    for (let n = 0; n < blocks; n++) {
      this.traffic.transfers(this.random.int(most + 1));
      if (this.random.chance(0.1)) this.harness.chain.skip(this.random.between(1, 3));
      this.harness.chain.slot();
    }
  }

  /** The chain as its own node tells it. */
  async told(): Promise<string[]> {
    const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 1, rewards: false };
    const tip = await this.harness.ask<number>('getSlot', config);
    const slots = await this.harness.ask<number[]>('getBlocks', 0, tip, config);
    const lines: string[] = [];
    for (const slot of slots) lines.push(toldLine(slot, await this.harness.ask('getBlock', slot, config)));
    return lines;
  }

  async logged(): Promise<string[]> {
    return survivors(await this.harness.groups()).map(loggedLine);
  }

  /** Waits until the log is the chain. */
  async settled(): Promise<void> {
    const told = await this.told();
    let logged: string[] = [];
    const differs = (): unknown => {
      const at = told.findIndex((line, n) => line !== logged[n]);
      return { chain: told[at], log: logged[at], blocks: [told.length, logged.length] };
    };
    await until(
      'the log is the chain',
      async () => {
        logged = await this.logged();
        return logged.join() === told.join();
      },
      { howFar: differs, everyMs: 20, patienceMs: 60_000 },
    );
  }
}

/** With few blocks in each list and few of each node, so that all nodes are asked in history. */
const options = {
  historyThreshold: 20,
  historyMargin: 10,
  run: { slotsPerList: 50, parallel: 6, perNode: 2, maxBatch: 5 },
};

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.harness.close();
});

async function open(seed: number): Promise<World> {
  const world = await World.open(seed);
  worlds.push(world);
  return world;
}

interface Told {
  running: RunningSource;
  liar: Liar;
}

async function history(seed: number, kind: LieKind): Promise<Told> {
  const world = await open(seed);
  const { harness, random } = world;
  const liar = new Liar({ kind, rate: random.pick([0.03, 0.1, 0.4]), seed, steady: random.chance(0.5) });
  world.grow(random.between(40, 90));
  const nodes = random.between(2, 3);
  const proxies = await Promise.all(Array.from({ length: nodes }, () => harness.proxy()));
  random.pick(proxies).liar = liar;
  const urls = proxies.map(({ url }) => url);
  // What is pushed comes from the first node, or nothing is.
  const sockets = random.chance(0.5) ? [proxies[0]!.socketUrl] : [];
  const running = harness.start([...urls, ...sockets], options);
  for (let n = 0; n < random.between(5, 20); n++) {
    world.grow(random.between(1, 3));
    if (random.chance(0.15)) harness.chain.fork(random.between(1, 6), { sameSlots: random.chance(0.5) });
    if (random.chance(0.5)) await harness.caughtUp(running).catch(() => undefined);
  }
  // The last lies show when their accounts move again.
  liar.upTo = await harness.ask<number>('getSlot', { commitment: 'confirmed' });
  world.grow(6, 6);
  await world.settled();
  await running.stop();
  return { running, liar };
}

const seeds = propertySeeds(scaled(120, 3));

describe.each(lieKinds)('a node that lies (%s)', (kind) => {
  it.each(seeds)('leaves nothing in the log that is not on the chain (seed %d)', async (seed) => {
    await history(seed, kind);
  });
});

it.each(seeds)('honest nodes are never called liars, however many they are (seed %d)', async (seed) => {
  const world = await open(seed);
  const { harness, random } = world;
  world.grow(60);
  const proxies = await Promise.all(Array.from({ length: random.between(1, 3) }, () => harness.proxy()));
  const running = harness.start(
    proxies.flatMap(({ url, socketUrl }) => [url, socketUrl]),
    options,
  );
  for (let n = 0; n < 10; n++) {
    world.grow(random.between(1, 3));
    if (random.chance(0.2)) harness.chain.fork(random.between(1, 6), { sameSlots: random.chance(0.5) });
    if (random.chance(0.5)) await harness.caughtUp(running);
  }
  await world.settled();
  expect(running.lies).toEqual([]);
  const { proofs } = running.decoding;
  const last = [...proofs.values()].at(-1);
  expect(last).toBe(proxies.length === 1 ? 'none' : 'sampled');
});
