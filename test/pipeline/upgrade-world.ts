import { setTimeout as delay } from 'node:timers/promises';
import { LiveProject } from '#apps/ingest/src/project/live-project.js';
import { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import { SequencedWriter } from '#apps/ingest/src/sequenced-writer.js';
import { LiveSink } from '#apps/ingest/src/sink/live-sink.js';
import { UpgradeStage } from '#apps/ingest/src/upgrade/upgrade-stage.js';
import { FencedError } from '#libs/core/errors.js';
import type { Steps } from '#libs/core/steps.js';
import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { servedRecord } from '#libs/pipeline/epochs/served-epoch.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import { decodeFactsGroup, encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { Stage } from '#libs/platform/stage.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { blocksTopic, epochsTopic, factsTopic } from '#libs/protocol/topics.js';
import { MemoryLog } from './memory-log.js';
import { MemoryChainTables } from './memory-tables.js';
import { type Process, Scheduler, settle } from './scheduler.js';
import { compareTables, foldAll } from './world-checks.js';

const EPOCH = 1;
const POLL_MS = 1;

/** A later fold with another rule: every trade's base amount is one more. */
function changed(facts: FactsGroup): FactsGroup {
  if (facts.kind !== 'block') return facts;
  return { ...facts, trades: facts.trades.map((trade) => ({ ...trade, baseAmount: trade.baseAmount + 1n })) };
}

class ChangedFold extends ProjectStage {
  protected override encode(facts: FactsGroup): Uint8Array {
    return encodeFactsGroup(changed(facts));
  }
}

/** A version of the program, as far as its fold goes. */
export interface Program {
  foldVersion: number;
  stage: typeof ProjectStage;
  expects(facts: FactsGroup[]): FactsGroup[];
}

export const before: Program = { foldVersion: 1, stage: ProjectStage, expects: (facts) => facts };
export const after: Program = { foldVersion: 2, stage: ChangedFold, expects: (facts) => facts.map(changed) };

type Role = 'source' | 'project' | 'sink' | 'upgrade';

/**
 * The real fold, sink and upgrade of two program versions over one log and one store in memory, with kills at any step.
 * Whatever is served is compared with what the version that it claims to be gives, and never goes back.
 */
export class UpgradeWorld {
  readonly problems: string[] = [];
  readonly log = new MemoryLog();
  readonly tables: MemoryChainTables;
  readonly scheduler: Scheduler;
  readonly chain: string;
  private readonly homes = new Map<string, HeapHome>();
  private readonly running = new Map<Role, Process>();
  private readonly killed: Process[] = [];
  private readonly encoded: { seq: number; value: Uint8Array }[];
  private readonly facts: FactsGroup[];
  private program: Program = before;
  private limit = 0;
  private servedSeq = -1;
  kills = 0;

  constructor(
    seed: number,
    history: BlocksGroup[],
    private readonly keepReplacedMs = 3_600_000,
  ) {
    this.chain = history[0]!.chain;
    this.scheduler = new Scheduler(seed);
    this.tables = new MemoryChainTables(this.chain);
    this.encoded = history.map((group) => ({ seq: group.seq, value: encodeBlocksGroup(group) }));
    this.facts = foldAll(history);
  }

  get length(): number {
    return this.encoded.length;
  }

  /** The other version is installed: everything of the running one is gone. */
  install(program: Program): void {
    this.stopAll();
    this.program = program;
    for (const role of ['source', 'project', 'sink', 'upgrade'] as const) this.start(role);
  }

  stopAll(): void {
    for (const process of this.running.values()) this.kill(process);
    this.running.clear();
  }

  /** Ends everything, what was killed too: it still waits for time to pass. */
  async close(): Promise<void> {
    this.stopAll();
    for (const process of this.killed) process.stop();
    await settle();
  }

  private kill(process: Process): void {
    this.scheduler.kill(process);
    this.killed.push(process);
  }

  /** Blocks up to this many groups come from the chain. */
  grow(to: number): void {
    this.limit = Math.min(to, this.length);
  }

  /** Lets things happen, with kills, until `done`, or for so many turns. */
  async run(turns: number, kill: number, done: () => boolean = () => false): Promise<boolean> {
    for (let turn = 0; turn < turns; turn++) {
      if (done()) return true;
      if (this.scheduler.chance(kill)) this.killOne();
      this.restartEnded();
      if (!(await this.scheduler.advance())) await delay(POLL_MS);
      this.look();
    }
    return done();
  }

  async settle(): Promise<void> {
    const ended = await this.run(20_000, 0, () => this.atRest());
    if (!ended) this.problems.push(`does not come to rest: ${this.scheduler.trace.slice(-12).join(' | ')}`);
  }

  /** This program's version is served, to the end of the log. */
  private atRest(): boolean {
    const pointer = this.tables.current;
    if (pointer?.foldVersion !== this.program.foldVersion || this.servedNow() !== this.program.foldVersion)
      return false;
    return (this.tables.generation(pointer.generation).lastSeq ?? -1) === this.limit - 1;
  }

  servedNow(): number | null {
    const record = this.log.topic(epochsTopic.name).keyed.findLast(({ key }) => key === this.chain);
    return record?.value ? (JSON.parse(Buffer.from(record.value).toString()) as Program).foldVersion : null;
  }

  factsOf(foldVersion: number): FactsGroup[] {
    const { groups } = this.log.topic(factsTopic(this.chain, EPOCH, foldVersion).name);
    return groups.map(({ value }) => decodeFactsGroup(value));
  }

  expectedOf(program: Program, count: number): FactsGroup[] {
    return program.expects(this.facts.slice(0, count));
  }

  private killOne(): void {
    const victims = [...this.running].filter(([, process]) => process.ended === 'running' && process.at !== null);
    const [role, process] = victims[this.scheduler.pick(victims.length)] ?? [];
    if (role === undefined || process === undefined) return;
    this.kills++;
    this.kill(process);
    this.start(role);
  }

  private restartEnded(): void {
    for (const [role, process] of this.running) {
      if (process.ended === 'running') continue;
      if (process.ended instanceof Error && !(process.ended instanceof FencedError)) {
        this.problems.push(`${role}: ${process.ended.stack}`);
        this.running.delete(role);
      } else this.start(role);
    }
  }

  /** What readers see now. */
  private look(): void {
    const pointer = this.tables.current;
    if (pointer === null) return;
    const tables = this.tables.generation(pointer.generation);
    const checkpoint = tables.newest;
    if (checkpoint === null) return;
    if (checkpoint.seq < this.servedSeq) {
      this.problems.push(`readers went back from seq ${this.servedSeq} to ${checkpoint.seq}`);
    }
    const isNews = checkpoint.seq !== this.servedSeq;
    this.servedSeq = checkpoint.seq;
    if (!isNews || checkpoint.seq < 0 || this.scheduler.chance(0.7)) return;
    const program = pointer.foldVersion === 1 ? before : after;
    const expected = this.expectedOf(program, checkpoint.seq + 1);
    this.problems.push(...compareTables(tables, checkpoint, expected));
  }

  private start(role: Role): void {
    this.running.set(
      role,
      this.scheduler.spawn(role, (steps, signal, process) =>
        role === 'source' ? this.publish(steps, signal) : this.stageOf(role, steps, process).run(signal),
      ),
    );
  }

  private stageOf(role: Exclude<Role, 'source'>, steps: Steps, process: Process): Stage {
    const { chain } = this;
    const { foldVersion, stage } = this.program;
    // What is killed while it waits for time to pass would otherwise continue to its next step.
    const tables = process.port(this.tables);
    const log = process.port(this.log.connect());
    const fold = {
      place: (_: number, version: number) => ({ home: this.homeOf(version) }),
      commits: { everyBlocks: 5 },
    };
    const shared = { log, chain, steps, pollMs: POLL_MS, foldVersion, stage, ...fold };
    if (role === 'project') return new LiveProject(shared);
    if (role === 'sink')
      return new LiveSink({ log, chain, tables, steps, foldVersion, pollMs: POLL_MS, minIntervalMs: 0 });
    return new UpgradeStage({ ...shared, tables, minIntervalMs: 0, keepReplacedMs: this.keepReplacedMs });
  }

  homeOf(foldVersion: number): HeapHome {
    const name = `f${foldVersion}`;
    const home = this.homes.get(name) ?? new HeapHome(foldSpaces);
    this.homes.set(name, home);
    return home;
  }

  /** The source: fences, reads the last seq, publishes on from there, and names the first epoch. */
  private async publish(steps: Steps, signal: AbortSignal): Promise<void> {
    const topic = blocksTopic(this.chain, EPOCH);
    const writer = new SequencedWriter(this.log.connect(), 'source', topic, steps, 'source');
    let next = (await writer.open()) + 1;
    while (!signal.aborted) {
      if (next >= this.limit) {
        await delay(POLL_MS);
        await settle();
        continue;
      }
      const count = Math.min(1 + this.scheduler.pick(4), this.limit - next);
      const { foldVersion } = this.program;
      const served = next === 0 ? [servedRecord(this.chain, { epoch: EPOCH, foldVersion })] : [];
      const groups = this.encoded.slice(next, next + count);
      await writer.append(groups.map((group, index) => ({ ...group, alsoAppend: index === 0 ? served : [] })));
      next = writer.lastSeq + 1;
    }
  }
}
