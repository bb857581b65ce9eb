import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { TailEntry, TailGroup } from '#libs/serve/reader/tail-buffer.js';
import type { TailListener } from '#libs/serve/reader/tail-listener.js';
import { ChainUnavailableError } from '#libs/serve/reader/unavailable.js';
import type { MemoryLog } from './memory-log.js';
import { type MemoryChainTables, type MemoryRow, type MemoryTables, tradeText, transferText } from './memory-tables.js';
import type { Process, Scheduler } from './scheduler.js';
import { compareTables } from './world-checks.js';

export interface ReaderOptions {
  /** Tables and tail of one answer are taken in one turn; off: a step is between them (rule 20). */
  oneTurn?: boolean;
  /** Bytes of facts that may wait above the checkpoint. */
  bound?: number;
  /** Off: the reader does not know the bound. */
  keepsBound?: boolean;
}

/** Facts that one batch of the log in memory may bring on top of the bound. */
const BATCH_GROUPS = 4;

/**
 * The real chain reader over the log and the tables in memory, with its users: requests that join tables and tail, and a
 * client that took one view and applies every group after it. What any of them shows must be what the surviving chain
 * gives at that seq.
 */
export class WatchedReader {
  readonly problems: string[] = [];
  private readonly reader: ChainReader;
  private readonly bound: number;
  private readonly slack: number;
  private client: FollowingClient | null = null;
  private process: Process | null = null;

  constructor(
    private readonly options: ReaderOptions,
    private readonly scheduler: Scheduler,
    log: MemoryLog,
    private readonly tables: MemoryChainTables,
    private readonly facts: readonly FactsGroup[],
  ) {
    this.bound = options.bound ?? Number.POSITIVE_INFINITY;
    this.slack = BATCH_GROUPS * Math.max(...facts.map((group) => encodeFactsGroup(group).byteLength));
    this.reader = new ChainReader({
      chain: chainSpec(facts[0]!.chain)!,
      log: log.connect(),
      source: {
        pointer: () => tables.readPointer(),
        checkpoint: ({ generation }) => tables.generation(generation).readCheckpoint(),
        // The view names the tables it reads; nothing here asks them through SQL.
        reads: ({ generation }) => tables.generation(generation) as unknown as MarketReads,
      },
      steps: (step) => this.step(step),
      pollMs: 100_000_000, // looks only at checkNow()
      maxTailBytes: options.keepsBound === false ? Number.POSITIVE_INFINITY : this.bound,
    });
  }

  private step: (name: string) => Promise<void> = () => Promise.resolve();

  start(): void {
    this.process = this.scheduler.spawn('reader', (steps, signal) => {
      this.step = steps;
      return this.reader.run(signal);
    });
  }

  async turn(): Promise<void> {
    const { scheduler } = this;
    if (this.process!.ended instanceof Error) this.problems.push(`reader: ${this.process!.ended.message}`);
    if (scheduler.chance(0.2)) this.reader.checkNow();
    if (scheduler.chance(0.15)) this.request();
    if (scheduler.chance(0.05)) this.register();
    const { tailBytes } = this.reader.status();
    if (tailBytes > this.bound + this.slack) {
      this.problems.push(`the tail holds ${tailBytes} bytes, ${this.bound} may wait`);
    }
    this.client?.check();
  }

  /** Lets the reader come to the end of the log, and looks at everything once more. */
  async rest(): Promise<void> {
    const last = this.facts.length - 1;
    for (let round = 0; round < 30 && !(this.reader.status().ready && this.reader.status().seq === last); round++) {
      this.reader.checkNow();
      await this.scheduler.drain();
    }
    const { ready, reason, seq } = this.reader.status();
    if (!ready || seq !== last) this.problems.push(`the reader rests at seq ${seq} of ${last}: ${reason}`);
    else await this.compare('at rest', this.reader.view());
    this.client?.check();
    this.client?.leave();
  }

  private view(): ChainView | null {
    try {
      return this.reader.view();
    } catch (error) {
      if (error instanceof ChainUnavailableError) return null;
      throw error;
    }
  }

  /** An answer takes time: what it was begun with must still fit together when it is put together. */
  private request(): void {
    this.scheduler.spawn('request', async (steps) => {
      if (this.options.oneTurn !== false) {
        const view = this.view();
        await steps('request.between');
        if (view !== null) await this.compare('request', view);
        return;
      }
      const tables = this.tables.generation((await this.tables.readPointer())!.generation);
      const checkpoint = await tables.readCheckpoint();
      await steps('request.between');
      const view = this.view();
      if (view === null || checkpoint === null) return;
      const { seq, retracted, sealSeq, sealedTime } = checkpoint;
      await this.compare('request', { ...view, tables: { seq, retracted, sealSeq, sealedTime } });
    });
  }

  private register(): void {
    const view = this.view();
    const { newest } = view === null ? { newest: null } : (view.reads as unknown as MemoryTables);
    if (view === null || (newest?.purgedSeq ?? -1) > view.pin.seq) return; // a view that would be refused now
    this.client?.leave();
    const rows = seenBy(view).visible('trades', checkpointOf(view));
    this.client = new FollowingClient(this.reader, view.pin.seq, rows, this.facts, this.problems);
  }

  private async compare(who: string, view: ChainView): Promise<void> {
    const tables = view.reads as unknown as MemoryTables;
    const purgedSeq = (await tables.readCheckpoint())?.purgedSeq ?? -1;
    if (purgedSeq > view.pin.seq) return; // a pin that would be refused now
    const problems = compareTables(seenBy(view), checkpointOf(view), this.facts.slice(0, view.pin.seq + 1));
    for (const problem of problems) this.problems.push(`${who} at seq ${view.pin.seq}: ${problem}`);
  }
}

const checkpointOf = (view: ChainView): Checkpoint => view.tables as unknown as Checkpoint;

/** The tables of a view with the groups of its tail on top. */
function seenBy(view: ChainView): MemoryTables {
  const tables = view.reads as unknown as MemoryTables;
  const visible: MemoryTables['visible'] = (table, at) => {
    const retracted = at.retracted.filter(({ retractSeq }) => retractSeq <= view.pin.seq);
    return [...tables.visible(table, { ...at, retracted }), ...view.groups.flatMap((group) => rowsOf(group, table))];
  };
  return Object.assign(Object.create(tables) as MemoryTables, { visible });
}

function rowsOf({ facts }: TailGroup, table: string): MemoryRow[] {
  if (facts.kind !== 'block') return [];
  const place = { seq: facts.seq, block: facts.height, time: facts.time };
  if (table === 'trades') return facts.trades.map((trade) => ({ ...place, text: tradeText(facts.hash, trade), trade }));
  if (table === 'transfers') {
    return facts.transfers.map((transfer) => ({ ...place, text: transferText(facts.hash, transfer), trade: null }));
  }
  return [{ ...place, text: `${facts.height} ${facts.hash}`, trade: null }];
}

/** Took the trades of one view and was registered in the same turn; applies every group since. */
class FollowingClient implements TailListener {
  private readonly leaving: () => void;
  private following = false;

  constructor(
    reader: ChainReader,
    private seq: number,
    private rows: Pick<MemoryRow, 'seq' | 'text'>[],
    private readonly facts: readonly FactsGroup[],
    private readonly problems: string[],
  ) {
    this.leaving = reader.listen(this);
    this.following = true;
  }

  onGroup({ seq, group, retracts }: TailEntry): void {
    this.seq = seq;
    if (retracts) this.rows = this.rows.filter((row) => row.seq < retracts.fromSeq);
    else if (group !== null) this.rows.push(...rowsOf(group, 'trades'));
  }

  /** The first is said at the registration itself; a later one asks for a fresh view, so this client is done. */
  onReset(): void {
    if (this.following) this.leave();
  }

  onAvailable(): void {}

  leave(): void {
    this.following = false;
    this.leaving();
  }

  check(): void {
    if (!this.following) return;
    const view = { visible: () => this.rows, name: 'a client', candles: () => [] } as unknown as MemoryTables;
    const expected = this.facts.slice(0, this.seq + 1);
    const wrong = compareTables(view, {} as Checkpoint, expected).filter((problem) => problem.startsWith('trades'));
    for (const problem of wrong) this.problems.push(`client at seq ${this.seq}: ${problem}`);
  }
}
