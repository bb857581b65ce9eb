import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { MarketRunner } from '#libs/devkit/devnet/solana/market/market-runner.js';
import { propertySeeds, SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import { allSources, randomSolanaPool } from '#libs/routing/search/solana/test/random-pools.js';
import type { PoolBook } from '../pool-book.js';
import { AccountBook } from './account-book.js';
import { type SlotReading, SolanaBookPool } from './book-pool.js';
import { faultyNode } from './test/faulty-node.js';
import { bookOf, hexOf, load, localSources, nodesAt, recordsOf } from './test/local-pools.js';

/** States that a book may show, by slot and pool, as the chain itself had them. */
class History {
  private readonly bySlot = new Map<number, Map<string, string>>();
  private readonly records: readonly PoolRecord[];

  constructor(private readonly market: MarketRunner) {
    this.records = recordsOf(market.contents());
    this.note(this.newest());
  }

  newest(): number {
    return Number(this.market.slot({ traders: false }).slot);
  }

  note(slot: number): void {
    const { chain } = this.market;
    const states = new Map<string, string>();
    for (const { pool, venue } of this.records) {
      const source = localSources.find((each) => each.venue === venue)!;
      const address = solanaIds.formatAddress(pool);
      const known = new Map([[address, chain.account(address)]]);
      for (const each of source.needs(address, known)) known.set(each, chain.account(each));
      states.set(pool, textOf(source.read(address, known, { slot: BigInt(slot), unixTime: 0n })));
    }
    this.bySlot.set(slot, states);
  }

  at(slot: number, pool: string): string | undefined {
    return this.bySlot.get(slot)?.get(pool);
  }
}

/** What a state answers, as a text to compare. */
function textOf(state: SolanaBookPool['state']): string {
  if (state === null) return 'none';
  const { reserveA, reserveB, spot } = state;
  const [out, cost] = [state.exactIn(true, 1_000_000n), state.exactOut(false, 1_000n)];
  return [reserveA, reserveB, spot.numerator, spot.denominator, out?.amountOut, cost?.amountIn].join(' ');
}

let market: MarketRunner;
let history: History;
let log: PoolBook;
let nodes: SolanaPool;
const random = new SeededRandom(testSeed(5));
const ended: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  market = await MarketRunner.start({ seed: 5, historyBlocks: 40, historySeconds: 3600, autoSlots: false });
  history = new History(market);
  log = bookOf(market.contents());
  nodes = nodesAt(market.chain.rpcUrl);
});

afterAll(async () => {
  for (const end of ended) await end();
  await nodes.close();
  await market.chain.stop();
});

function moveOn(): void {
  const roll = random.next();
  if (roll < 0.15) market.chain.skip(random.int(1, 3));
  if (roll > 0.85) {
    for (const { slot } of market.chain.fork(random.int(1, 3)).slice(-1)) history.note(slot);
    return;
  }
  history.note(market.slot().slot);
}

/** No quotable pool shows anything but what the chain had at its slot. */
function checkTrue(book: AccountBook): number {
  let compared = 0;
  for (const pool of book.pools()) {
    if (!pool.quotable) continue;
    const expected = history.at(pool.slot, pool.id);
    if (expected === undefined) continue;
    const where = { venue: pool.venue, pool: pool.id, slot: pool.slot };
    expect({ ...where, state: textOf(pool.state) }).toEqual({ ...where, state: expected });
    compared++;
  }
  return compared;
}

function running(book: AccountBook): AbortController {
  const end = new AbortController();
  const run = book.run(end.signal);
  ended.push(() => {
    end.abort();
    return run;
  });
  return end;
}

const isCurrent = (book: AccountBook, slot: number): boolean =>
  [...book.pools()].every((pool) => textOf(pool.state) === (history.at(slot, pool.id) ?? 'none'));

test('a book reads every pool whole, at one slot with the chain’s clock', async () => {
  const book = new AccountBook({ venues: localSources, nodes, pools: () => log, commitment: 'processed' });
  await book.refresh(new AbortController().signal);
  expect(book.size).toBe(log.size);
  expect(book.status()).toMatchObject({ pools: log.size, torn: 0, live: false });
  expect(book.status().quotable).toBeGreaterThan(10);
  expect(checkTrue(book)).toBe(book.status().quotable);
  const { slot, unixTime } = book.moment!;
  expect(Number(slot)).toBe(book.status().slot);
  expect(Math.abs(Number(unixTime) - Date.now() / 1000)).toBeLessThan(60);
});

test.each([true, false])(
  'it follows the chain through skipped slots and forks: by WebSocket %s',
  async (socket) => {
    const errors: Error[] = [];
    const book = new AccountBook({
      ...{ venues: localSources, nodes, pools: () => log, commitment: 'processed' as const },
      ...{ pollMs: socket ? 200 : 20, sweepMs: 60_000, maxAgeMs: 60_000 },
      ...(socket ? { socketUrls: [market.chain.wsUrl] } : {}),
      onError: (error) => errors.push(error),
    });
    running(book);
    await until(() => book.status().quotable > 10 && book.status().live === socket);
    let moved = 0;
    for (let n = 0; n < scaled(150, 25); n++) {
      const before = book.version;
      moveOn();
      const slot = history.newest();
      history.note(slot);
      await until(() => isCurrent(book, slot));
      checkTrue(book);
      if (book.version > before) moved++;
    }
    expect(moved).toBeGreaterThan(5);
    expect(errors).toEqual([]);
  },
  60_000,
);

test('pools appear and go with the log', async () => {
  const records = recordsOf(market.contents());
  const [first, ...rest] = records;
  const own = bookOf({ ...market.contents(), pools: [], curves: [] });
  for (const record of rest) load(own, record);
  const book = new AccountBook({ venues: localSources, nodes, pools: () => own, pollMs: 20 });
  running(book);
  await until(() => book.size === rest.length && book.status().quotable > 10);
  const { graphVersion } = book;
  load(own, first!);
  await until(() => book.pool(first!.pool)?.state != null);
  expect(book.graphVersion).toBeGreaterThan(graphVersion);
  own.startAt(0, null);
  own.apply({
    kind: 'retract',
    seq: 1,
    poolStates: [],
    removedPools: [first!.pool],
    height: 1,
    hash: '00',
    time: 0,
  } as never);
  await until(() => book.pool(first!.pool) === null);
  const chosen = new AccountBook({
    venues: localSources,
    nodes,
    pools: () => own,
    choose: ({ kind }) => kind === 'curve',
  });
  await chosen.refresh(new AbortController().signal);
  expect([...chosen.pools()].every(({ kind }) => kind === 'curve') && chosen.size > 0).toBe(true);
});

test('pools of venues that are not wanted are not read; what was wanted last counts while it is not known', async () => {
  const all = [...log.pools()].map(({ record }) => record);
  const [one, other] = [...new Set(all.map(({ venue }) => venue))] as [string, string];
  const count = (venue: string): number => all.filter((record) => record.venue === venue).length;
  let wanted: ReadonlySet<string> | null = null;
  const book = new AccountBook({ venues: localSources, nodes, pools: () => log, wanted: () => wanted });
  const end = new AbortController();
  const sizes: number[] = [];
  for (const next of [null, new Set([one]), null, new Set([one, other]), new Set([other]), new Set<string>()]) {
    wanted = next;
    await book.refresh(end.signal);
    sizes.push(book.size);
  }
  expect(sizes).toEqual([0, count(one), count(one), count(one) + count(other), count(other), 0]);
  expect(Math.min(count(one), count(other))).toBeGreaterThan(0);
});

test('a node whose chain moves between questions never makes a wrong state, and its silence ends the quotes', async () => {
  const node = await faultyNode(market.chain.rpcUrl, random, moveOn);
  const faulty = nodesAt(node.url);
  const book = new AccountBook({
    ...{ venues: localSources, nodes: faulty, pools: () => log, commitment: 'processed' as const },
    ...{ pollMs: 5, maxAgeMs: 1_000 },
  });
  const end = running(book);
  let compared = 0;
  await until(() => {
    compared += checkTrue(book);
    const { stale, failed, moved } = node.faults;
    return stale > 15 && failed > 10 && moved > 20 && compared > 500;
  });
  node.silent = true;
  await until(() => book.status().quotable === 0);
  node.silent = false;
  await until(() => book.status().quotable > 10);
  end.abort();
  await node.close();
  await faulty.close();
});

test('a pool that lacks one account it needs is torn until a reading holds all of them', () => {
  let torn = 0;
  for (const seed of propertySeeds(scaled(100, 12))) {
    const seeded = new SeededRandom(seed);
    for (const venue of ['orca-whirlpool', 'raydium-clmm', 'meteora-dlmm', 'pumpswap', 'raydium-cpmm']) {
      const { address, known, at } = randomSolanaPool(seeded, venue, true);
      const source = allSources.find((each) => each.venue === venue)!;
      const identity = source.identity(known.get(address)!.data)!;
      const [token0, token1] = [identity.mintA, identity.mintB].map(hexOf).sort() as [string, string];
      const clock = { time: 0, maxAgeMs: 100, now: () => clock.time };
      const record = {
        pool: hexOf(address),
        venue,
        kind: 'concentrated' as const,
        token0,
        token1,
        feePpm: 0,
        tickSpacing: 0,
        created: false,
      };
      const pool = new SolanaBookPool(record, source, clock);
      let slot = at.slot;
      const reading = (addresses: readonly string[]): SlotReading => ({
        moment: { slot: slot++, unixTime: at.unixTime },
        askedAt: clock.time,
        known: new Map(addresses.map((each) => [each, known.get(each) ?? null])),
      });
      while (pool.take(reading(pool.addresses)) === 'more') expect(pool.quotable).toBe(false);
      expect({ seed, venue, quotable: pool.quotable }).toEqual({ seed, venue, quotable: true });
      expect(pool.aIsToken0).toBe(hexOf(identity.mintA) === token0);
      const { version } = pool;
      expect(pool.take(reading(pool.addresses))).toBe('same');
      expect(pool.version).toBe(version);
      const lacking = pool.addresses.slice(1).find(() => seeded.chance(0.3)) ?? pool.addresses.at(-1)!;
      const whole = reading(pool.addresses);
      expect(pool.take(reading(pool.addresses.filter((each) => each !== lacking)))).toBe('more');
      expect(pool.quotable).toBe(false);
      torn++;
      expect(pool.take(reading(pool.addresses))).toBe('changed');
      expect([pool.quotable, pool.take(whole)]).toEqual([true, 'older']);
      clock.time = 101;
      expect(pool.quotable).toBe(false);
      pool.take(reading(pool.addresses));
      expect(pool.quotable).toBe(true);
      pool.distrust();
      expect(pool.quotable).toBe(false);
    }
  }
  expect(torn).toBeGreaterThan(20);
});
