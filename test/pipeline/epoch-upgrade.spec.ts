import { LiveProject } from '#apps/ingest/src/project/live-project.js';
import { LiveSink } from '#apps/ingest/src/sink/live-sink.js';
import { caughtUp, type RunningStage, SourceHarness, seed } from '#apps/ingest/src/source/test/harness.js';
import { expectLog } from '#apps/ingest/src/source/test/log-checks.js';
import { UpgradeStage } from '#apps/ingest/src/upgrade/upgrade-stage.js';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { heapPlaces } from '#libs/devkit/testing/heap-places.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { readEpochRecords } from '#libs/pipeline/epochs/served-epoch.js';
import type { Stage } from '#libs/platform/stage.js';
import { epochsTopic } from '#libs/protocol/topics.js';
import { MemoryChainTables } from './memory-tables.js';

const FOLD = 7; // as the harness names it

/** The program before a venue was added: its decoders have a lower version. */
const older: ChainSpec = { ...eth, venues: eth.venues.filter(({ venue }) => venue !== 'uniswap-v4') };
const newer: ChainSpec = eth;

class Killed extends Error {}

/** A state whose commit was cut off says so from then on, with the kill as its cause. */
const wasKilled = (error: unknown): boolean =>
  error instanceof Killed || (error instanceof Error && wasKilled(error.cause));

/** A version of the program over one log and one set of tables; its fold, sink and upgrade die now and then. */
class Program {
  private readonly stop = new AbortController();
  private readonly running: Promise<void>[] = [];
  private failure: Error | null = null;
  readonly source: RunningStage;

  constructor(
    harness: SourceHarness,
    tables: MemoryChainTables,
    url: string,
    chain: ChainSpec,
    private readonly random: SeededRandom,
  ) {
    this.source = harness.start([url], { chain });
    const { log } = harness;
    const place = heapPlaces();
    const steps = async (): Promise<void> => {
      if (this.random.chance(0.002)) throw new Killed();
    };
    const shared = { log, chain: 'eth', foldVersion: FOLD, steps, pollMs: 5, commits: { everyBlocks: 20 } };
    const stages: (() => Stage)[] = [
      () => new LiveProject({ ...shared, place }),
      () => new LiveSink({ ...shared, tables, minIntervalMs: 0 }),
      () => new UpgradeStage({ ...shared, place, tables, minIntervalMs: 0 }),
    ];
    for (const make of stages) this.running.push(this.keep(make));
  }

  /** Throws what ended a stage for good. */
  check(): void {
    if (this.failure !== null) throw this.failure;
  }

  private async keep(make: () => Stage): Promise<void> {
    while (!this.stop.signal.aborted) {
      try {
        await make().run(this.stop.signal);
      } catch (error) {
        // What it was in the middle of is cut off; a stage that another one took over from starts again as well.
        if (wasKilled(error) || (error as { code?: string }).code === 'fenced') continue;
        this.failure ??= error as Error;
        return;
      }
    }
  }

  async end(): Promise<void> {
    this.stop.abort();
    await Promise.all([...this.running, this.source.stop()]);
    this.check();
  }
}

describe(`another version of the decoders (long) (seed ${seed})`, () => {
  let harness: SourceHarness;
  beforeEach(async () => {
    harness = await SourceHarness.open();
  });
  let program: Program | null = null;
  afterEach(async () => {
    await program?.end().catch(() => undefined); // a failure of the test is shown already
    await harness.close();
  });

  it('is read into an epoch of its own, served when it reaches as far, and neither version builds twice', async () => {
    const chain = new ChainBuilder({ seed, transactions: [0, 3] });
    chain.mine(150);
    const rpc = await harness.serve(chain);
    const tables = new MemoryChainTables('eth');
    await harness.log.ensureTopics([epochsTopic]);
    const random = new SeededRandom(seed);
    let served = -1;
    const seen = new Set<string>();

    /** What readers see never goes back and always begins where it began. */
    const look = (): void => {
      const pointer = tables.current;
      const checkpoint = pointer && tables.generation(pointer.generation).newest;
      if (!checkpoint || checkpoint.height < 0) return;
      expect(checkpoint.height).toBeGreaterThanOrEqual(served);
      served = checkpoint.height;
      const blocks = tables.generation(pointer.generation).visible('blocks', checkpoint);
      expect(blocks.map(({ block }) => block)).toEqual(Array.from({ length: served + 1 }, (_, height) => height));
      seen.add(`e${pointer.epoch} g${pointer.generation}`);
    };
    const servesHead = async (epoch: number): Promise<void> => {
      const isServed = async (): Promise<boolean> => {
        look();
        program?.check();
        const records = await readEpochRecords(harness.log, 'eth');
        const there = tables.current?.epoch === epoch && records.served?.epoch === epoch && records.flip === null;
        return there && served === chain.head.number;
      };
      await until(`the head of epoch ${epoch}`, isServed, { everyMs: 2 });
    };
    const run = (program: ChainSpec) => new Program(harness, tables, rpc.url, program, random);

    program = run(older);
    await servesHead(1);
    await program.end();

    program = run(newer);
    for (let i = 0; i < 5; i++) {
      chain.mine(1);
      await caughtUp(harness, program.source, chain);
      look();
    }
    await servesHead(2);
    chain.mine(2);
    await servesHead(2);
    await program.end();
    expectLog(await harness.groups(2), chain);
    const ofNewer = await harness.groups(2);

    program = run(older);
    chain.mine(3);
    await servesHead(1);
    await program.end();
    expect(await harness.groups(2)).toEqual(ofNewer);
    expectLog(await harness.groups(1), chain);

    program = run(newer);
    chain.mine(3);
    await servesHead(2);
    await program.end();
    expectLog(await harness.groups(2), chain);
    expect([...seen]).toEqual(['e1 g1', 'e2 g2']);
    expect(await tables.generations()).toEqual([1, 2]);
    const topics = (await harness.log.describe()).map(({ name }) => name).filter((name) => name.startsWith('blocks.'));
    expect(topics).toEqual(['blocks.eth.e1', 'blocks.eth.e2']);
  });
});
