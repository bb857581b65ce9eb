import { isDeepStrictEqual } from 'node:util';
import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { type PlainPools, poolsOfBook, poolsOfFold } from '#libs/devkit/testing/pools/book-state.js';
import { checkCopies, readCopies } from '#libs/devkit/testing/pools/copy-checks.js';
import { until } from '#libs/devkit/testing/until.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, epochsTopic, factsTopic, poolsTopic } from '#libs/protocol/topics.js';
import { createPoolFollower, type PoolFollower } from '#libs/routing/pools/pool-follower.js';
import { ProjectStage } from '../project-stage.js';

const FOLD = 3;
export const EPOCH = 1;

class Killed extends Error {}

/** One chain of a log: its blocks are appended bit by bit, its fold is killed and started again. */
export class ChainUnderTest {
  readonly states: PlainPools[] = [];
  readonly facts;
  readonly pools;
  private readonly home = new HeapHome(foldSpaces);
  private appended = 0;
  kills = 0;

  constructor(
    readonly log: EventLog,
    readonly chain: string,
    readonly groups: readonly BlocksGroup[],
  ) {
    runFold(groups, ({ fold }) => this.states.push(poolsOfFold(fold)));
    this.facts = factsTopic(chain, EPOCH, FOLD);
    this.pools = poolsTopic(chain, EPOCH, FOLD);
  }

  get end(): number {
    return this.appended - 1;
  }

  async append(count: number): Promise<void> {
    const topic = blocksTopic(this.chain, EPOCH);
    await this.log.ensureTopics([topic, epochsTopic]);
    const writer = await this.log.openWriter(`source.${this.chain}`);
    const next = this.groups.slice(this.appended, this.appended + count);
    const served = Buffer.from(JSON.stringify({ epoch: EPOCH, foldVersion: FOLD }));
    await writer.append([
      ...next.map((group) => ({ topic, seq: group.seq, value: encodeBlocksGroup(group) })),
      { topic: epochsTopic, key: this.chain, value: served },
    ]);
    await writer.close();
    this.appended += next.length;
  }

  /**
   * Runs the fold until the copies reach the end of blocks; with a number it is killed at that step instead. `more`
   * appends while the fold runs.
   */
  async fold(
    killAt = Number.POSITIVE_INFINITY,
    more: (copied: () => Promise<void>) => Promise<void> = (ready) => ready(),
  ) {
    let left = killAt;
    const steps = async (): Promise<void> => {
      if (left-- <= 0) throw new Killed();
    };
    const stage = new ProjectStage({
      ...{ log: this.log, chain: this.chain, epoch: EPOCH, foldVersion: FOLD, steps, home: this.home },
      ...{ commits: { everyBlocks: 15 }, fold: { objects: 20 } },
      poolCopies: { everyBlocks: 1, pauseMs: 0, chunkRecords: 3 },
    });
    const stop = new AbortController();
    const running = stage.run(stop.signal);
    let ended = false;
    running
      .catch(() => undefined)
      .finally(() => {
        ended = true;
      });
    const copied = (): boolean => {
      const { factsSeq, poolsSeq } = stage.status().detail as { factsSeq: number; poolsSeq: number };
      const missing = this.groups.slice(poolsSeq + 1, this.end + 1);
      return ended || (factsSeq === this.end && missing.every(({ kind }) => kind === 'finalize'));
    };
    await more(() => until(copied, { everyMs: 1, howFar: () => stage.status() }));
    stop.abort();
    await running.catch((error: unknown) => {
      // In the middle of a commit it is what made that fail.
      if (!(error instanceof Killed) && !((error as Error).cause instanceof Killed)) throw error;
      this.kills++;
    });
  }

  /** Seq of the block whose state a start of the fold continues from; 0 while there is none. */
  async committed(): Promise<number> {
    return (await this.home.kept()).committed?.seq ?? 0;
  }

  async check(): Promise<void> {
    const copies = await readCopies(this.log, this.pools);
    checkCopies(copies, this.states, (await this.log.lastGroup(this.facts))?.seq ?? -1);
  }

  /** A follower whose every book must be what the fold holds. */
  follow(): Following {
    return new Following(this);
  }
}

export class Following {
  readonly follower: PoolFollower;
  readonly seen: number[] = [];
  private readonly stop = new AbortController();
  private readonly running: Promise<void>;
  private failure: unknown = null;

  constructor(private readonly chain: ChainUnderTest) {
    this.follower = createPoolFollower({ chain: chain.chain, log: chain.log, pollMs: 20 });
    this.follower.onGroup((facts) => {
      this.seen.push(facts.seq);
      this.look();
    });
    this.running = this.follower.run(this.stop.signal);
    this.running.catch((error: unknown) => {
      this.failure = error;
    });
  }

  /** Compares the book as it is now. */
  look(): void {
    const book = this.follower.book()!;
    const expected = this.chain.states[book.seq] ?? [];
    // Jest's own comparison is too slow for every group of every follower.
    if (this.failure !== null || isDeepStrictEqual(poolsOfBook(book), expected)) return;
    this.failure = new Error(`the book differs from the fold at seq ${book.seq}`);
  }

  async reaches(seq: number): Promise<void> {
    const reached = () => this.failure !== null || (this.follower.book()?.seq ?? -1) >= seq;
    await until(reached, { everyMs: 1, howFar: () => ({ seq, status: this.follower.status() }) });
    this.look();
    if (this.failure !== null) throw this.failure;
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
    expect(this.follower.book()).toBeNull();
    if (this.failure !== null) throw this.failure;
  }
}
