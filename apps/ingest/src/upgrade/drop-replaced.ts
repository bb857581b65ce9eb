import { rm } from 'node:fs/promises';
import { type EpochRecords, sameServed, versionName } from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { ChainTables } from '#libs/pipeline/sink/sink-tables.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';
import { blocksTopic, factsTopic, poolsTopic } from '#libs/protocol/topics.js';
import type { StatePlace } from '../project/project-stage.js';
import type { UpgradeRecords } from './upgrade-records.js';

export interface DropDeps {
  log: EventLog;
  tables: ChainTables;
  chain: string;
  place(epoch: number, foldVersion: number): StatePlace;
  records: UpgradeRecords;
  keepMs: number;
  logger?: { info(fields: object, message: string): void };
}

/**
 * Removes what was replaced once it was kept long enough. Invariant: nothing that is served, built or derived from by one
 * of these goes; the record that names a version goes last, so that a drop that was cut short is repeated.
 */
export class DropReplaced {
  constructor(private readonly deps: DropDeps) {}

  async dropDue({ served, building, replaced }: EpochRecords, pointer: Pointer, now: number): Promise<void> {
    const { log, tables, chain, place, records, keepMs, logger } = this.deps;
    for (const old of replaced) {
      if (now - old.at < keepMs || sameServed(old, served) || old.generation === pointer.generation) continue;
      await records.assertLease();
      if (old.generation > 0) await tables.generation(old.generation).drop();
      const { epoch, foldVersion } = old;
      const topics = [factsTopic(chain, epoch, foldVersion), poolsTopic(chain, epoch, foldVersion)];
      const isUsed =
        epoch === served?.epoch ||
        epoch === building?.epoch ||
        replaced.some((other) => other !== old && other.epoch === epoch);
      if (!isUsed) topics.push(blocksTopic(chain, epoch));
      await log.dropTopics(topics);
      const { home, oldSnapshotsDir } = place(epoch, foldVersion);
      await home.remove();
      if (oldSnapshotsDir !== undefined) await rm(oldSnapshotsDir, { recursive: true, force: true });
      await records.forget(old);
      logger?.info({ chain, version: versionName(old) }, 'upgrade: what was replaced is dropped');
    }
  }
}
