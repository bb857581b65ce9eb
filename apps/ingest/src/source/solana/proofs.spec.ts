import type { SourceObserver } from '#libs/chain/chains/source-port.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import type { FaultProxy } from './test/fault-proxy.js';
import { type Answering, Liar, type LieKind } from './test/liar.js';
import { LiarWorld } from './test/liar-world.js';
import type { RunningSource } from './test/solana-harness.js';

/** Each proof finds a false answer that no other one finds: without it the log stays another than the chain. */
const seed = testSeed();
const options = { historyThreshold: 20, historyMargin: 10 };
/** Of second opinions, only those that a test is about. */
const unchecked = { sampleEvery: 0, checkHistory: false };

interface Doubt {
  height: number;
  reason: string;
  taken: boolean;
}

let world: LiarWorld;
let first: FaultProxy;
let second: FaultProxy;
let doubts: Doubt[];
const observer: SourceObserver = {
  doubtful: (height, reason, taken) => void doubts.push({ height, reason, taken }),
};

beforeEach(async () => {
  doubts = [];
  world = await LiarWorld.open(seed);
  first = await world.harness.proxy();
  second = await world.harness.proxy();
});
afterEach(() => world.harness.close());

const liar = (kind: LieKind, slots: readonly number[], steady = true): Liar => {
  const made = new Liar({ kind, rate: 1, seed, steady });
  made.from = slots[0]!;
  made.upTo = slots.at(-1)!;
  first.liar = made;
  return made;
};

const start = (more: Parameters<typeof world.harness.start>[1] = {}, nodes = [first, second]): RunningSource =>
  world.harness.start(
    nodes.map(({ url }) => url),
    { ...options, ...more },
    observer,
  );

describe(`proofs of Solana blocks (seed ${seed})`, () => {
  it('inside a block: transactions out of order are never published', async () => {
    liar('swap', world.blocks(20, 3));
    world.blocks(30, 1);
    const running = start({ checks: unchecked });
    await world.settled();
    expect(running.lies.join()).toContain('contradicts itself');
    expect(await world.retracts()).toBe(0);
  });

  it('from block to block: what was left out shows when its accounts move again, and is retracted', async () => {
    world.blocks(10, 1);
    const told = liar('omit', world.blocks(3, 1));
    world.blocks(40, 1);
    const running = start({ checks: unchecked, run: { maxBatch: 1 } });
    await world.settled();
    expect(told.told.size).toBe(3);
    expect(running.lies.join()).toContain('differs from that of other nodes');
  });

  it('from block to block: an altered amount is retracted, below finality too', async () => {
    world.blocks(10, 1);
    const told = liar('alter', world.blocks(1, 1));
    world.blocks(40, 1);
    start({ checks: unchecked, run: { maxBatch: 1 } });
    await world.settled();
    expect(told.told.size).toBe(1);
    expect(await world.retracts()).toBe(1);
  });

  it('signatures at the head: what was left out of the last block is retracted before anything follows', async () => {
    world.blocks(10, 1);
    const running = start({ checks: unchecked });
    await world.harness.caughtUp(running);
    // On a busy machine the first node may be passed over for a while.
    for (let told = 0, n = 0; told === 0 && n < 100; n++) {
      // The newest block is not confirmed yet: the next one comes after it.
      const lies = liar('omit', [(await world.tip()) + 2]);
      world.blocks(1, 1);
      world.blocks(1, 0);
      await world.settled();
      told = lies.told.size;
    }
    expect(running.lies.join()).toContain('differs from that of other nodes');
  });

  it('lists of two nodes: a block that one leaves out of history is there all the same', async () => {
    liar('omit-block', world.blocks(20, 0).slice(5, 8));
    world.blocks(30, 0);
    start({ checks: unchecked });
    await world.settled();
    expect(await world.retracts()).toBe(0);
  });

  it('lists of two nodes: the first block of a history is no exception', async () => {
    const slots = world.blocks(30, 0);
    const lies = liar('omit-block', slots.slice(3, 5));
    world.blocks(30, 0);
    start({ checks: unchecked, from: slots[3]! });
    await world.settled(slots[3]!);
    expect(lies.told.size).toBeGreaterThan(0);
    expect(await world.retracts()).toBe(0);
  });

  it('what a second node could not be asked for in history is made up for once it answers', async () => {
    const slots = world.blocks(60, 0);
    const lies = liar('omit-block', slots.slice(5, 8));
    second.faults.serverErrorRate = 1;
    const running = start({ checks: unchecked });
    await until('the first node is believed', () => running.head > lies.upTo, { patienceMs: 60_000 });
    second.faults.serverErrorRate = 0;
    await world.settled();
    expect(running.lies.join()).toContain('differs from that of other nodes');
    expect(await world.retracts()).toBe(1);
  });

  it.each([
    ['a sample', { ...unchecked, sampleEvery: 1 }],
    ['the signatures of history', { ...unchecked, checkHistory: true }],
  ])('%s that a second node could not be asked for: made up for once it answers', async (_what, checks) => {
    const { harness } = world;
    const from = (await world.tip()) + 2;
    harness.grow(20, 1);
    liar('omit', [from, from + 19]);
    world.blocks(30, 0);
    second.faults.serverErrorRate = 1;
    const running = start({ checks });
    await until('the first node is believed', () => running.head > from + 19, { patienceMs: 60_000 });
    second.faults.serverErrorRate = 0;
    await world.settled();
    expect(running.lies.join()).toContain('differs from that of other nodes');
  });

  it('what a second node could not be asked for at the head is made up for once it answers', async () => {
    const { harness } = world;
    world.blocks(10, 1);
    const running = start({ checks: unchecked });
    await world.settled();
    second.faults.serverErrorRate = 1;
    const from = await world.tip();
    const lies = liar('omit', [from + 2, from + 6]);
    harness.grow(6, 1);
    world.blocks(2, 0);
    await until('the first node is believed', () => running.head > lies.upTo, { patienceMs: 60_000 });
    second.faults.serverErrorRate = 0;
    await world.settled();
    expect(lies.told.size).toBeGreaterThan(0);
    expect(running.lies.join()).toContain('differs from that of other nodes');
  });

  it('signatures of history: what one node left out is never published', async () => {
    const { harness } = world;
    const from = (await world.tip()) + 2;
    harness.grow(20, 1);
    const lies = liar('omit', [from, from + 19]);
    world.blocks(30, 0);
    const running = start({ checks: { ...unchecked, checkHistory: true } });
    await world.settled();
    expect(lies.told.size).toBeGreaterThan(0);
    expect(running.lies.join()).toContain('differs from that of other nodes');
    expect(await world.retracts()).toBe(0);
  });

  it('samples of history: a transaction that no balance misses is missed by another node', async () => {
    const { harness } = world;
    // The newest block is not confirmed yet: the next one comes after it.
    const from = (await world.tip()) + 2;
    harness.grow(20, 1);
    liar('omit', [from, from + 19]);
    world.blocks(30, 0);
    const running = start({ checks: { ...unchecked, sampleEvery: 1 } });
    await world.settled();
    expect(running.lies.join()).toContain('differs from that of other nodes');
  });

  it('after a lie, all that the node told lately is compared again', async () => {
    const { harness } = world;
    const from = await world.tip();
    harness.grow(20, 1);
    // In these no balance shows anything; a later one, whose accounts moved after them, gives the node away.
    const spared = world.blocks(6, 4);
    const told = liar('omit', [from + 2, ...world.blocks(1, 1)]);
    told.spared = spared;
    world.blocks(40, 1);
    start({ checks: unchecked });
    await world.settled();
  });

  it('one node alone that contradicts itself is named, and nothing more of it is published', async () => {
    world.blocks(10, 1);
    const lies = liar('omit', world.blocks(1, 1));
    world.blocks(40, 1);
    const running = start({}, [first]);
    await until('it is named', () => doubts.some(({ taken }) => !taken), { patienceMs: 60_000 });
    expect(doubts[0]!.reason).toMatch(/^tokens of \w+ are not what block \d+ left$/);
    expect(doubts[0]!.height).toBeGreaterThan(lies.upTo);
    expect(running.head).toBeLessThan(doubts[0]!.height);
  });

  it('one node alone that contradicts itself is taken at the word of the operator, and named', async () => {
    world.blocks(10, 1);
    const lies = liar('omit', world.blocks(1, 1));
    world.blocks(40, 1);
    const running = start({ takeIncomplete: true }, [first]);
    await world.harness.caughtUp(running);
    expect(doubts).toContainEqual(expect.objectContaining({ height: lies.upTo + 1, taken: true }));
    expect(new Set(running.decoding.proofs.values())).toEqual(new Set(['none']));
  });

  it('a slot whose calls no node recorded is named, and taken and marked at the word of the operator only', async () => {
    world.blocks(10, 1);
    const [slot] = world.blocks(1, 1);
    world.blocks(30, 1);
    const uncalled: Answering = {
      alter: async ({ method, params }, answer) => {
        const { transactions } = (answer.result ?? {}) as { transactions?: { meta: object }[] };
        if (method !== 'getBlock' || params[0] !== slot || transactions === undefined) return answer;
        const silent = transactions.map((entry) => ({ ...entry, meta: { ...entry.meta, innerInstructions: null } }));
        return { ...answer, result: { ...(answer.result as object), transactions: silent } };
      },
    };
    first.liar = uncalled;
    second.liar = uncalled;
    const running = start();
    await until('it is named', () => doubts.length > 0, { patienceMs: 60_000 });
    expect(doubts[0]).toMatchObject({ height: slot, taken: false });
    expect(running.head).toBeLessThan(slot!);
    await running.stop();
    const going = start({ takeIncomplete: true });
    await world.settled();
    expect(doubts).toContainEqual({ height: slot, reason: doubts[0]!.reason, taken: true });
    expect(going.decoding.incomplete).toEqual([slot]);
  });

  it('lists out of order and with repeats blame nobody', async () => {
    world.blocks(60, 1);
    first.liar = {
      alter: async ({ method }, answer) =>
        method === 'getBlocks' && Array.isArray(answer.result)
          ? { ...answer, result: [...answer.result, ...answer.result].reverse() }
          : answer,
    };
    const running = start({}, [first]);
    await world.settled();
    expect(running.seen).toEqual([]);
    expect(running.source.nodes().map(({ problem }) => problem)).toEqual([null]);
  });
});
