import { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import { SequencedWriter } from '#apps/ingest/src/sequenced-writer.js';
import type { EndedEpoch } from '#apps/ingest/src/served-epoch.js';
import { FencedError } from '#libs/core/errors.js';
import type { Steps } from '#libs/core/steps.js';
import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import { replayTables } from '#libs/pipeline/sink/replay.js';
import { SinkStage } from '#libs/pipeline/sink/sink-stage.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { blocksTopic, epochsTopic, factsTopic } from '#libs/protocol/topics.js';
import { everyProtection, MemoryLog } from './memory-log.js';
import { allProtections, MemoryChainTables, type MemoryTables } from './memory-tables.js';
import { type Process, Scheduler } from './scheduler.js';
import { WatchedReader } from './watched-reader.js';
import { comparePools, compareTables, EPOCH, FOLD, factsIn, foldAll } from './world-checks.js';
import type { WorldOptions } from './world-options.js';

export type { WorldOptions } from './world-options.js';

interface Pinned {
  tables: MemoryTables;
  checkpoint: Checkpoint;
}

type Role = 'source' | 'project' | 'sink';

/**
 * The real fold and sink, and a source that publishes a given history, as processes over in-memory ports. A run applies
 * faults for as long as the history lasts and then lets everything come to rest.
 */
export class PipelineWorld {
  readonly scheduler: Scheduler;
  readonly log: MemoryLog;
  readonly tables: MemoryChainTables;
  readonly home: HeapHome;
  readonly fatal: string[] = [];
  private readonly running = new Map<Role, Process>();
  private readonly chain: string;
  private readonly facts: FactsGroup[];
  private readonly pins: Pinned[] = [];
  private servedSeq = -1;
  private generation = 1;
  private replaying: Process | null = null;
  private readonly reader: WatchedReader | null;
  private readonly encoded: { seq: number; value: Uint8Array }[];

  constructor(private readonly options: WorldOptions) {
    this.chain = options.history[0]!.chain;
    this.scheduler = new Scheduler(options.seed);
    this.facts = foldAll(options.history);
    this.log = new MemoryLog({ ...everyProtection, ...options.log }, options.chunks ?? null);
    this.log.tear = (chunks) => this.scheduler.pick(chunks);
    this.home = options.home?.(this.log) ?? new HeapHome(foldSpaces);
    this.tables = new MemoryChainTables(this.chain, { ...allProtections, ...options.store });
    this.reader = options.reader
      ? new WatchedReader(options.reader, this.scheduler, this.log, this.tables, this.facts)
      : null;
    this.encoded = options.history.map((group) => ({ seq: group.seq, value: encodeBlocksGroup(group) }));
  }

  async run(): Promise<void> {
    const { faults } = this.options;
    const { scheduler } = this;
    await this.tables.flipPointer({ generation: 1, epoch: EPOCH, foldVersion: FOLD, seq: -1 });
    this.log.fate = () => {
      if (!scheduler.chance(faults.lostAnswer)) return 'ok';
      if (scheduler.chance(0.5)) return 'applied-then-lost';
      return this.options.chunks ? 'torn' : 'lost';
    };
    this.reader?.start();
    for (const role of ['source', 'project', 'sink'] as const) this.start(role);
    for (let turn = 0; turn < 400; turn++) {
      const victims = [...this.running].filter(([, process]) => process.ended === 'running');
      const [role, process] = victims[scheduler.pick(victims.length)] ?? [];
      if (role !== undefined && process !== undefined && process.at !== null) {
        if (scheduler.chance(faults.kill)) {
          scheduler.kill(process);
          this.start(role);
        } else if (scheduler.chance(faults.zombie)) {
          scheduler.trace.push(`zombie ${process.name} at ${process.at}`);
          this.start(role);
        }
      }
      if (scheduler.chance(faults.age)) this.tables.generation(this.generation).ageTokens();
      await this.noteServed();
      if (scheduler.chance(0.1)) await this.look();
      await this.reader?.turn();
      if (turn === 150) await this.halfway();
      if (this.options.sinkRests && turn === 80) this.stopSink();
      if (this.options.sinkRests && turn === 240) this.start('sink');
      if (turn === 60 && this.options.replay) this.replaying = this.startReplay();
      if (this.options.builderId !== undefined && turn % 20 === 10) {
        await this.log.connect().openWriter(this.options.builderId);
      }
      this.followPointer();
      this.restartEnded();
      const moved = await scheduler.advance();
      if (!moved && this.complete()) break;
    }
    this.log.fate = () => 'ok';
    for (let round = 0; round < 50 && !this.complete(); round++) {
      this.restartEnded();
      await scheduler.drain();
    }
    if (this.options.tamper) {
      this.options.tamper(this.log);
      const project = this.running.get('project');
      if (project) scheduler.kill(project);
      this.start('project');
      await scheduler.drain();
      // It compares what it finds in turns of its own, as many as the machine needs: it is parked in none of them.
      await scheduler.untilEnded(this.running.get('project')!);
    }
    await this.endReplay();
    for (let round = 0; round < 50; round++) {
      this.followPointer();
      this.restartEnded();
      await scheduler.drain();
      if (this.complete()) break;
    }
    await this.look();
    await this.reader?.rest();
    for (const process of scheduler.living) process.stop();
    await scheduler.drain();
  }

  private stopSink(): void {
    const sink = this.running.get('sink');
    if (sink) this.scheduler.kill(sink);
    this.running.delete('sink');
  }

  private async halfway(): Promise<void> {
    if (!this.options.halfway) return;
    await this.options.halfway(this);
    const project = this.running.get('project');
    if (project) this.scheduler.kill(project);
    this.start('project');
  }

  /** Seq of the last group that the source has published; -1 before the first. */
  get publishedSeq(): number {
    return this.log.topic(blocksTopic(this.chain, EPOCH).name).groups.at(-1)?.seq ?? -1;
  }

  /** True when log and tables hold the whole history, or all that could be folded of an epoch that has ended. */
  complete(): boolean {
    const last = this.encoded.length - 1;
    const factsSeq = this.log.topic(factsTopic(this.chain, EPOCH, FOLD).name).groups.at(-1)?.seq ?? -1;
    const folded = this.ended === null ? last : factsSeq;
    const tablesSeq = this.tables.generation(this.generation).lastSeq ?? -1;
    return this.publishedSeq >= last && factsSeq >= folded && tablesSeq >= folded;
  }

  /** What the fold said when it could not continue; null while it can. */
  get ended(): string | null {
    const said = this.log.topic(epochsTopic.name).keyed.at(-1)?.value;
    return said ? (JSON.parse(Buffer.from(said).toString()) as EndedEpoch).reason : null;
  }

  /** What is wrong at rest, as sentences; empty when everything is as the surviving chain alone would have left it. */
  async problems(): Promise<string[]> {
    const problems = [...this.fatal, ...(this.reader?.problems ?? [])];
    if (!this.complete()) problems.push(`did not complete: ${this.scheduler.trace.slice(-12).join(' | ')}`);
    const { groups: blocks } = this.log.topic(blocksTopic(this.chain, EPOCH).name);
    if (!numbered(blocks, this.encoded.length)) problems.push('blocks: seqs are not 0..n once each');
    const { groups: facts } = this.log.topic(factsTopic(this.chain, EPOCH, FOLD).name);
    const folded = this.ended === null ? this.encoded.length : facts.length;
    if (!numbered(facts, folded)) problems.push('facts: seqs are not 0..n once each');
    if (this.ended !== null && this.options.mayEnd !== true) problems.push(`the epoch ended: ${this.ended}`);
    const expected = this.facts.slice(0, folded);
    const served = await this.served();
    if (served.checkpoint !== null) problems.push(...compareTables(served.tables, served.checkpoint, expected));
    if (this.complete()) problems.push(...comparePools(factsIn(this.log, this.chain).slice(0, folded), expected));
    return [...new Set(problems)];
  }

  /** Readers never go back, whichever generation they are served from. */
  private async noteServed(): Promise<void> {
    const seq = (await this.served()).checkpoint?.seq ?? -1;
    if (seq < this.servedSeq) this.fatal.push(`a reader went back from seq ${this.servedSeq} to ${seq}`);
    this.servedSeq = seq;
  }

  /** What a reader would see now, and what earlier readers pinned: both must be a state the chain really had. */
  private async look(): Promise<void> {
    const { tables, checkpoint } = await this.served();
    if (checkpoint === null) return;
    if (checkpoint.seq >= 0) this.compareView('now', tables, checkpoint);
    for (const pin of this.pins) {
      if (pin.tables === tables && pin.checkpoint.seq >= checkpoint.purgedSeq)
        this.compareView('pinned', tables, pin.checkpoint);
    }
    this.pins[this.pins.length < 8 ? this.pins.length : this.scheduler.pick(8)] = { tables, checkpoint };
  }

  private compareView(when: string, tables: MemoryTables, checkpoint: Checkpoint): void {
    const problems = compareTables(tables, checkpoint, this.facts.slice(0, checkpoint.seq + 1));
    for (const problem of problems) this.fatal.push(`${when}, seq ${checkpoint.seq}: ${problem}`);
  }

  /** As the live sink does: a flip moves it to the generation that is served now. */
  private followPointer(): void {
    const { generation } = this.tables.current!;
    if (generation === this.generation) return;
    this.generation = generation;
    this.running.get('sink')?.stop();
    this.start('sink');
  }

  private async served(): Promise<{ tables: MemoryTables; checkpoint: Checkpoint | null }> {
    const tables = this.tables.generation((await this.tables.readPointer())!.generation);
    return { tables, checkpoint: await tables.readCheckpoint() };
  }

  private start(role: Role): void {
    const connection = this.log.connect();
    const work = (steps: Steps, signal: AbortSignal): Promise<void> => {
      if (role === 'source') return this.publish(steps, signal);
      if (role === 'project') {
        const Project = this.options.project ?? ProjectStage;
        return new Project({
          log: connection,
          chain: this.chain,
          epoch: EPOCH,
          foldVersion: FOLD,
          home: this.home,
          steps,
          commits: { everyBlocks: 5 },
          fold: { objects: 30 },
        }).run(signal);
      }
      return new SinkStage({
        log: connection,
        tables: this.tables.generation(this.generation),
        chain: this.chain,
        epoch: EPOCH,
        foldVersion: FOLD,
        generation: this.generation,
        steps,
        minIntervalMs: 0,
        maxGroups: 1 + this.scheduler.pick(6),
        sealEveryMs: 1,
        purgeAfterMs: this.scheduler.chance(0.5) ? 0 : 3_600_000,
      }).run(signal);
    };
    this.running.set(role, this.scheduler.spawn(role, work));
  }

  /** The source: fences, reads the last seq, publishes on from there in small batches. */
  private async publish(steps: Steps, signal: AbortSignal): Promise<void> {
    const Writer = this.options.writer ?? SequencedWriter;
    const writer = new Writer(this.log.connect(), 'source', blocksTopic(this.chain, EPOCH), steps, 'source');
    let next = (await writer.open()) + 1;
    while (next < this.encoded.length && !signal.aborted) {
      const count = 1 + this.scheduler.pick(4);
      await writer.append(this.encoded.slice(next, next + count).map((group) => ({ ...group, alsoAppend: [] })));
      next = writer.lastSeq + 1;
    }
  }

  private restartEnded(): void {
    for (const [role, process] of this.running) {
      if (process.ended === 'running') continue;
      if (role === 'source' && process.ended === 'returned' && this.published()) continue;
      if (process.ended instanceof Error && isBroken(process.ended)) {
        this.fatal.push(`${role}: ${process.ended.message}`);
        this.running.delete(role);
        continue;
      }
      if (process.ended instanceof FencedError && !this.mayTakeOver())
        this.fatal.push(`${role}: ${process.ended.message}`);
      this.start(role);
    }
  }

  private published(): boolean {
    return this.publishedSeq >= this.encoded.length - 1;
  }

  /** Only kills, zombies and lost answers make a second writer of a stage. */
  private mayTakeOver(): boolean {
    const { kill, zombie, lostAnswer } = this.options.faults;
    return kill + zombie + lostAnswer > 0;
  }

  private startReplay(): Process {
    return this.scheduler.spawn('replay', async (steps, signal) => {
      const deps = { log: this.log.connect(), tables: this.tables, chain: this.chain, steps, signal };
      await replayTables({ ...deps, mayFlipBehind: this.options.flipBehind });
    });
  }

  /** Lets a replay come to its end; one that failed (a lost answer, say) is started again, as an operator would. */
  private async endReplay(): Promise<void> {
    for (let round = 0; this.replaying !== null && round < 20; round++) {
      await this.scheduler.drain();
      if (this.replaying.ended === 'returned') return;
      this.replaying = this.startReplay();
    }
    if (this.replaying !== null) this.fatal.push(`replay: ${String(this.replaying.ended)} at ${this.replaying.at}`);
  }
}

/** Failures that no restart cures. */
const BROKEN = ['log_broken', 'undecodable', 'bad_state', 'retract_out_of_reach'];
const isBroken = (error: Error): boolean => 'code' in error && BROKEN.includes((error as { code: string }).code);

const numbered = (groups: readonly { seq: number }[], count: number): boolean =>
  groups.length === count && groups.every(({ seq }, index) => seq === index);
