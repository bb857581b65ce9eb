import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { oneSeedAsked, propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { decodeReceipt } from '#libs/protocol/receipt-codec.js';
import { isLater, type QuoteReceipt } from '#libs/protocol/receipts.js';
import { epochsTopic, factsTopic, quoteReceiptsTopic } from '#libs/protocol/topics.js';
import { poolToken } from '../evm/native-coin.js';
import { createReceiptKeeper, type ReceiptKeeper } from './receipt-keeper.js';
import { EvmBuilds } from './test/evm-builds.js';
import { naiveStates } from './test/naive-receipts.js';
import { ReceiptWorld, type WorldBuilds } from './test/receipt-world.js';
import { SolanaBuilds } from './test/solana-builds.js';

const ANY = { account: null, chains: null, wallet: null, state: null };
const silent = { warn: () => undefined };

/** A router: its keeper, running, and the groups that its pools have taken over. */
interface Router {
  keeper: ReceiptKeeper;
  end: AbortController;
  running: Promise<void>;
  told: number;
  /** How often it read the topic. */
  reads: number;
  /** Its appends fail: before anything is written, or after all of it is. */
  failing: 'never' | 'before' | 'after';
}

const families: Record<'evm' | 'solana', (random: SeededRandom) => WorldBuilds> = {
  evm: (random) => new EvmBuilds(random),
  solana: (random) => new SolanaBuilds(random),
};

class Bench {
  readonly dir = mkdtempSync(join(tmpdir(), 'tidepool-receipts-'));
  readonly world: ReceiptWorld;
  readonly builds: WorldBuilds;
  private readonly facts: ReturnType<typeof factsTopic>;
  readonly routers: Router[] = [];
  /** Every build, as the keeper that answered it made its receipt. */
  readonly built = new Map<string, QuoteReceipt>();
  log!: EventLog;
  private writer!: LogWriter;
  private clock = 1_700_000_000_000;
  private names = 0;
  private readonly lastStated = new Map<string, QuoteReceipt>();
  readonly problems: string[] = [];

  constructor(
    readonly random: SeededRandom,
    family: keyof typeof families,
  ) {
    this.builds = families[family](random);
    this.world = new ReceiptWorld(random, this.builds, 1);
    this.facts = factsTopic(this.world.chain, 1, 7);
  }

  async open(): Promise<void> {
    this.log = await openEmbeddedLog({ dir: this.dir });
    await this.log.ensureTopics([epochsTopic, this.facts, quoteReceiptsTopic]);
    this.writer = await this.log.openWriter('test');
    const served = Buffer.from(JSON.stringify({ epoch: 1, foldVersion: 7 }));
    await this.writer.append([{ topic: epochsTopic, key: this.world.chain, value: served }]);
    await this.appendFacts(this.world.groups[0]!);
  }

  async close(): Promise<void> {
    for (const router of [...this.routers]) await this.stop(router);
    await this.writer.close();
    await this.log.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  start(instance = `router-${this.names++}`): Router {
    const router = { told: this.world.groups.length, failing: 'never', reads: 0 } as Router;
    const keeper = createReceiptKeeper({
      poolToken,
      ...{ log: this.faulty(router), chains: [chainSpec(this.world.chain)!], logger: silent, instance },
      pollMs: this.random.pick([2, 15, 50]),
      now: () => this.clock,
    });
    const end = new AbortController();
    // What a supervisor does.
    const run = async () => {
      while (!end.signal.aborted) await keeper.run(end.signal).catch(() => delay(1));
    };
    Object.assign(router, { keeper, end, running: run() });
    this.routers.push(router);
    return router;
  }

  async stop(router: Router): Promise<void> {
    router.end.abort();
    await router.running;
    this.routers.splice(this.routers.indexOf(router), 1);
  }

  build(router: Router): string | null {
    // About the time of the chain: the deadline of a build may be by this clock.
    this.clock = Math.max(this.clock, this.world.head.time) + this.random.int(0, 2);
    const receipt = this.world.build();
    const id = router.keeper.add(this.world.chain, (...at) => receipt('demo', ...at));
    if (id !== null) this.built.set(id, this.rows(router).get(id)!);
    return id;
  }

  async grow(): Promise<void> {
    await this.appendFacts(this.world.grow());
  }

  /** The router's pools begin again from a newer copy: some groups are never reported. */
  skip(router: Router, most: number): number {
    const from = router.told;
    router.told = Math.min(from + most, this.world.groups.length);
    return router.told - from;
  }

  /** The router's pools take over some of the groups that they have not yet. */
  tell(router: Router, most = Number.POSITIVE_INFINITY): void {
    const { groups } = this.world;
    for (let n = 0; n < most && router.told < groups.length; n++) {
      router.keeper.onFacts(this.world.chain, groups[router.told++]!);
    }
  }

  rows(router: Router): Map<string, QuoteReceipt> {
    const { receipts } = router.keeper.list(ANY, Number.POSITIVE_INFINITY, null);
    return new Map(receipts.map((receipt) => [receipt.id, receipt]));
  }

  /** Until nothing is left to do. What was learnt late may be stated only after another group, so there are some more. */
  async quiet(): Promise<void> {
    for (const router of this.routers) router.failing = 'never';
    for (let round = 0; round < 40; round++) {
      await this.grow();
      for (const router of this.routers) this.tell(router);
      const begun = this.routers.map(({ reads }) => reads);
      const isAtRest = () => this.routers.every((router) => this.rests(router));
      const haveRead = () => this.routers.every(({ reads }, nth) => reads >= begun[nth]! + 40);
      await until('rest, or many reads of the topic', () => isAtRest() || haveRead());
      if (!isAtRest()) continue;
      // Each has the others' values once it read the topic again: two reads later the first one is taken over.
      const before = this.routers.map(({ reads }) => reads);
      await until('reads of the topic', () => this.routers.every(({ reads }, nth) => reads >= before[nth]! + 3));
      if (this.routers.every((router) => this.rests(router))) return;
    }
    throw new Error(`it does not come to rest: ${JSON.stringify(this.routers.map(({ keeper }) => keeper.status()))}`);
  }

  private rests({ keeper }: Router): boolean {
    const { unpublished, receipts, chains } = keeper.status();
    const { seq, following, inStep } = chains[0]!;
    const there = !following || (inStep && seq === this.world.groups.length - 1);
    return unpublished === 0 && receipts === this.built.size && there;
  }

  async topic(): Promise<Map<string, QuoteReceipt>> {
    const values = await this.log.readCompacted(quoteReceiptsTopic);
    return new Map([...values].map(([key, value]) => [key, decodeReceipt(value)]));
  }

  /** A router states a receipt's value again, or another one at a later place. */
  private stated(router: string, bytes: Uint8Array | null): void {
    if (bytes === null) return;
    const receipt = decodeReceipt(bytes);
    const key = `${router} ${receipt.id}`;
    const before = this.lastStated.get(key);
    this.lastStated.set(key, receipt);
    if (before === undefined || isLater(receipt.asOf, before.asOf)) return;
    const words = ({ asOf, ...rest }: QuoteReceipt) => JSON.stringify([asOf, stateOf({ ...rest, asOf })], bigintText);
    if (words(before) !== words(receipt)) this.problems.push(`${words(before)} then ${words(receipt)}`);
  }

  private async appendFacts(group: FactsGroup): Promise<void> {
    await this.writer.append([{ topic: this.facts, seq: group.seq, value: encodeFactsGroup(group) }]);
  }

  private faulty(router: Router): EventLog {
    const bench = this;
    return new Proxy(this.log, {
      get(log, name) {
        const value = log[name as keyof EventLog] as unknown;
        if (name === 'readKeyed') router.reads++;
        if (name !== 'openWriter') return typeof value === 'function' ? value.bind(log) : value;
        return async (writerId: string) => {
          const writer = await log.openWriter(writerId);
          const append: LogWriter['append'] = async (records) => {
            if (router.failing === 'before') throw new Error('the log does not answer');
            await writer.append(records);
            for (const record of records) if ('key' in record) bench.stated(writerId, record.value);
            if (router.failing === 'after') throw new Error('the answer was lost');
          };
          return { writerId, append, holdsLease: () => writer.holdsLease(), close: () => writer.close() };
        };
      },
    });
  }
}

async function withBench(
  family: keyof typeof families,
  seed: number,
  run: (bench: Bench, random: SeededRandom) => Promise<void>,
): Promise<void> {
  const random = new SeededRandom(seed);
  const bench = new Bench(random, family);
  await bench.open();
  try {
    await run(bench, random);
  } catch (error) {
    (error as Error).message = `TIDEPOOL_TEST_SEED=${seed}\n${(error as Error).message}`;
    throw error;
  } finally {
    await bench.close();
  }
}

const stateOf = ({ state, executed, decidedAt, final }: QuoteReceipt) => ({
  final,
  ...{ state, tx: executed?.tx ?? null, seq: decidedAt?.seq ?? null },
  ...{ paid: executed?.inAmount ?? null, out: executed?.outAmount ?? null },
});

const bigintText = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

const statesOf = (rows: Map<string, QuoteReceipt>) =>
  new Map([...rows].map(([id, row]) => [id, stateOf(row)] as const));
const sorted = <T>(map: Map<string, T>) => new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));

describe.each(['evm', 'solana'] as const)('receipts of %s', (family) => {
  const seen = { executed: 0, expired: 0, built: 0, undone: 0, restarts: 0, skipped: 0 };

  it.each(propertySeeds(scaled(60, 6)))(
    'are what the surviving chain says, whatever happened (seed %i)',
    async (seed) => {
      await withBench(family, seed, async (bench, random) => {
        const routers = random.pick([1, 2, 3]);
        for (let n = 0; n < routers; n++) bench.start();
        const executedOnce = new Set<string>();
        for (let step = 0; step < 120; step++) {
          const router = random.pick(bench.routers);
          const roll = random.next();
          if (roll < 0.3) bench.build(router);
          else if (roll < 0.6) await bench.grow();
          else if (roll < 0.8) bench.tell(router, random.int(1, 6));
          else if (roll < 0.83) seen.skipped += bench.skip(router, random.int(1, 6));
          else if (roll < 0.84) router.failing = random.pick(['never', 'never', 'before', 'after'] as const);
          else if (roll < 0.87) {
            // An orderly end, or one like a kill: then the log does not get the last states.
            router.failing = 'never';
            await until('everything saved', () => router.keeper.status().unsaved === 0);
            router.failing = random.pick(['never', 'before'] as const);
            await bench.stop(router);
            seen.restarts++;
            for (let gap = random.int(0, 5); gap > 0; gap--) await bench.grow();
            bench.start();
          } else await delay(random.int(0, 12));
          for (const [id, row] of bench.rows(router)) if (row.state === 'executed') executedOnce.add(id);
        }
        await bench.quiet();
        const { blocks, groups } = bench.world;
        const naive = sorted(naiveStates([...bench.built.values()], blocks, groups, bench.builds.coin));
        for (const router of bench.routers) expect(sorted(statesOf(bench.rows(router)))).toEqual(naive);
        expect(sorted(statesOf(await bench.topic()))).toEqual(naive);
        for (const [id, { state }] of naive) {
          seen[state as 'built']++;
          if (state !== 'executed' && executedOnce.has(id)) seen.undone++;
        }
      });
    },
  );

  it('met all that can happen in these histories', () => {
    if (oneSeedAsked) return;
    for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true]);
  });
});
