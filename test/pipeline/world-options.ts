import type { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import type { SequencedWriter } from '#apps/ingest/src/sequenced-writer.js';
import type { HeapHome } from '#libs/devkit/testing/heap-home.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import type { Session } from '#libs/serve/reader/session.js';
import type { TailBuffer } from '#libs/serve/reader/tail-buffer.js';
import type { ChunkJoiner } from './chunk-joiners.js';
import type { LogProtections, MemoryLog } from './memory-log.js';
import type { StoreProtections } from './memory-tables.js';
import type { ReaderOptions } from './watched-reader.js';

/** Methods of a reader's tail that a run may replace. */
export type TailMethods = Pick<TailBuffer, 'adopt' | 'push'>;

/** The same of a reader's session: `due` is the checkpoint that is adopted next. */
export interface ReaderMethods {
  readonly tail?: Partial<TailMethods>;
  readonly session?: { due?(this: Session): Checkpoint | undefined };
}

/** What an intervention in the middle of a run may look at and change. */
export interface RunningWorld {
  readonly log: MemoryLog;
  readonly home: HeapHome;
  readonly publishedSeq: number;
}

/** One world: its history, its faults, and which rule is switched off in it. */
export interface WorldOptions {
  seed: number;
  history: BlocksGroup[];
  log?: Partial<LogProtections>;
  store?: Partial<StoreProtections>;
  /** Chance per turn of a kill, of leaving a zombie behind, of losing an append's answer. */
  faults: { kill: number; zombie: number; lostAnswer: number; age: number };
  /** A replay into the next generation, next to the live sink from the middle of the run on. */
  replay?: boolean;
  /** A replay may flip to a generation that is behind the live one (rule 21 off). */
  flipBehind?: boolean;
  /** Replaced writer of the source, to switch rule 2 off. */
  writer?: typeof SequencedWriter;
  /** Replaced fold stage, to switch a rule of the fold off. */
  project?: typeof ProjectStage;
  /** Writer id of a builder of another epoch that runs at the same time (rule 3). */
  builderId?: string;
  /** Replaced home of the fold's state, to switch one of its rules off. */
  home?: (log: MemoryLog) => HeapHome;
  /** Groups are kept in chunks and joined so; an append may then break off in its middle (rule 4). */
  chunks?: () => ChunkJoiner;
  /** A reader of tables and tail, with clients that follow it (rule 20). */
  reader?: ReaderOptions;
  /** The sink is paused for a while. */
  sinkRests?: boolean;
  /** Methods of the reader's tail to replace, and of its session. */
  tail?: ReaderMethods['tail'];
  session?: ReaderMethods['session'];
  /** Once, in the middle of the run; the fold is then killed and starts again (rules 11, 12). */
  halfway?: (world: RunningWorld) => Promise<void>;
  /** The epoch may end early: a retraction reaches below what is kept (rule 12). */
  mayEnd?: boolean;
  /** Changes the content of `facts` without the fold's knowledge while everything rests (rule 6). */
  tamper?: (log: MemoryLog) => void;
}
