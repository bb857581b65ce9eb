import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { spend, Turns } from '#libs/devkit/testing/turns.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { ChainFold } from '#libs/pipeline/fold/chain-fold.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import type { BlocksGroup, PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { ProjectStage } from './project-stage.js';
import { ChainUnderTest, EPOCH } from './test/chain-under-test.js';

const GROUPS = 40;
const POOLS = 400;

/** Takes longer for each group than a turn may, and notes the turn in which it does. */
class SlowProject extends ProjectStage {
  readonly seen: number[] = [];
  readonly turns = new Turns();

  protected override encode(facts: FactsGroup): Uint8Array {
    this.seen.push(this.turns.now);
    spend(5);
    return super.encode(facts);
  }
}

describe('a fold of much at once', () => {
  let dir = '';
  let log: EventLog;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tidepool-project-turns-'));
    log = await openEmbeddedLog({ dir });
  });
  afterAll(async () => {
    await log.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Follows a chain until its copies of the pools are published. */
  async function follow(chain: string, end: number): Promise<SlowProject> {
    const home = new HeapHome(foldSpaces);
    const stage = new SlowProject({ log, chain, epoch: EPOCH, foldVersion: 3, home });
    const stop = new AbortController();
    const running = stage.run(stop.signal);
    try {
      const isDone = (): boolean => (stage.status().detail as { poolsSeq: number }).poolsSeq === end;
      await until(isDone, { everyMs: 1, howFar: () => stage.status() });
    } finally {
      stop.abort();
      await running;
      stage.turns.end();
    }
    return stage;
  }

  it('gives others their turn after each group that takes long, also while it compares what facts hold', async () => {
    const chain = 'turns';
    const under = new ChainUnderTest(log, chain, randomHistory(7, { chain, groups: GROUPS, retractions: 0 }).groups);
    await under.append(GROUPS);
    for (const compared of [0, GROUPS]) {
      // Without a state to continue from, what is in facts is compared.
      const stage = await follow(chain, under.end);
      expect(stage.status().detail).toMatchObject({ compared });
      expect(stage.seen).toEqual([...new Set(stage.seen)]);
      expect(stage.seen).toHaveLength(GROUPS);
    }
  });

  it('gives others their turn while it publishes copies of many pools', async () => {
    const chain = 'copies';
    const { groups } = randomHistory(7, { chain, groups: 2, retractions: 0 });
    const block = groups.find((group) => group.kind === 'block' && group.pools.length > 0);
    if (block?.kind !== 'block') throw new Error('no block with a pool');
    const [pool] = block.pools;
    const pools = Array.from({ length: POOLS }, (_, at): PoolRecord => {
      return { ...pool!, pool: at.toString(16).padStart(pool!.pool.length, '0') };
    });
    const more: BlocksGroup = { ...block, pools: [...block.pools, ...pools] };
    const under = new ChainUnderTest(
      log,
      chain,
      groups.slice(0, block.seq + 1).map((group) => (group === block ? more : group)),
    );
    await under.append(block.seq + 1);
    const { pool: read } = ChainFold.prototype;
    const turns = new Turns();
    const seen = new Set<number>();
    try {
      ChainFold.prototype.pool = function (id) {
        seen.add(turns.now);
        spend(0.2);
        return read.call(this, id);
      };
      await follow(chain, under.end);
      // 80 ms and more of reading, of which a turn takes a little more than 10.
      expect(seen.size).toBeGreaterThanOrEqual(6);
    } finally {
      ChainFold.prototype.pool = read;
      turns.end();
    }
  });
});
