import type { FactsGroup } from '#libs/protocol/facts.js';
import {
  type Checkpoint,
  checkpointView,
  emptyCheckpoint,
  readCheckpoint,
  writeCheckpoint,
} from '../market/checkpoint.js';
import type { MarketTables } from '../market/market-tables.js';
import { purgeRetracted } from '../market/purge.js';
import { sealCandles } from '../market/seal.js';
import type { View } from '../market/view.js';
import { encodeTables } from './row-encoder.js';

/**
 * Writes groups into tables in the order in which a sink does: rows, then the checkpoint that makes them visible; seals
 * of what is final; deletion of what was retracted.
 */
export class TableWriter {
  checkpoint: Checkpoint;

  constructor(readonly tables: MarketTables) {
    this.checkpoint = emptyCheckpoint({ generation: tables.generation, epoch: 1, foldVersion: 1 });
  }

  get view(): View {
    return checkpointView(this.checkpoint);
  }

  async write(groups: FactsGroup[], repeat = false): Promise<void> {
    const token = `${groups[0]!.seq}-${groups.at(-1)!.seq}`;
    for (const batch of encodeTables(groups)) {
      await this.tables.insert(batch, token);
      if (repeat) await this.tables.insert(batch, token);
    }
    for (const group of groups) this.advance(group);
    await this.save({ step: 0 });
  }

  /** Seals up to the sealed block, or up to a time of the caller's choice. */
  async seal(toTime = this.checkpoint.sealedBlockTime): Promise<void> {
    const { sealedTime: fromTime, seq: sealSeq } = this.checkpoint;
    if (toTime <= fromTime) return;
    await sealCandles(this.tables, { fromTime, toTime, sealSeq, view: this.view });
    await this.save({ sealSeq, sealedTime: toTime });
  }

  async purge(): Promise<void> {
    const { retracted } = this.checkpoint;
    if (retracted.length === 0) return;
    const purgedSeq = Math.max(...retracted.map(({ retractSeq }) => retractSeq));
    await this.save({ purgedSeq, state: 'purging' });
    await purgeRetracted(this.tables, retracted);
    await this.save({ retracted: [], state: 'live' });
  }

  private async save(change: Partial<Checkpoint>): Promise<void> {
    this.checkpoint = { ...this.checkpoint, step: this.checkpoint.step + 1, ...change };
    await writeCheckpoint(this.tables, this.checkpoint);
    const read = await readCheckpoint(this.tables.store, this.tables);
    if (JSON.stringify(read) !== JSON.stringify({ ...read, ...this.checkpoint })) {
      throw new Error(`wrote ${JSON.stringify(this.checkpoint)}, read ${JSON.stringify(read)}`);
    }
  }

  private advance(group: FactsGroup): void {
    const next = { ...this.checkpoint, seq: group.seq };
    if (group.kind === 'finalize') {
      next.sealedHeight = Math.max(next.sealedHeight, group.height);
      next.sealedBlockTime = Math.max(next.sealedBlockTime, group.time);
    } else {
      const { height, hash, parentHash, time } = group;
      Object.assign(next, { height, hash, parentHash, time, proof: group.kind === 'epoch' ? undefined : group.proof });
    }
    if (group.kind === 'retract') {
      next.retracted = [...next.retracted, { fromSeq: group.fromSeq, retractSeq: group.seq }];
      if (group.height < next.sealedHeight) {
        next.sealedHeight = group.height;
        next.sealedBlockTime = Math.min(next.sealedBlockTime, group.time);
        next.sealedTime = Math.min(next.sealedTime, group.time);
      }
    }
    this.checkpoint = next;
  }
}
