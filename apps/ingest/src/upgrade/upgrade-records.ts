import { FencedError } from '#libs/core/errors.js';
import {
  acceptedCutRecord,
  type BuildRate,
  buildingRecord,
  buildRateRecord,
  type FactsVersion,
  flipRecord,
  forgetReplaced,
  type PendingFlip,
  replacedRecord,
  type ServedEpoch,
  servedRecord,
} from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';

/**
 * What an upgrade writes to `epochs`, under its own fence. Invariant: a flip is announced before the pointer row is
 * written and concluded after it, so that a start finds out from the row whether it took place.
 */
export class UpgradeRecords {
  private writer: LogWriter | null = null;

  constructor(
    private readonly log: EventLog,
    private readonly chain: string,
  ) {}

  async open(): Promise<void> {
    this.writer = await this.log.openWriter(`upgrade.${this.chain}`);
  }

  async close(): Promise<void> {
    const { writer } = this;
    this.writer = null;
    await writer?.close();
  }

  async announce(flip: PendingFlip): Promise<void> {
    await this.writer!.append([flipRecord(this.chain, flip)]);
  }

  async abandonFlip(): Promise<void> {
    await this.writer!.append([flipRecord(this.chain, null)]);
  }

  /** One append: readers of the log follow the pointer, and what was served is kept for a way back. */
  async conclude(
    to: PendingFlip,
    replaced: ServedEpoch,
    from: Pointer,
    at: number,
    rate: BuildRate | null = null,
  ): Promise<void> {
    const { chain } = this;
    const old = { epoch: replaced.epoch, foldVersion: replaced.foldVersion, generation: from.generation, at };
    await this.writer!.append([
      servedRecord(chain, to),
      replacedRecord(chain, old),
      forgetReplaced(chain, to),
      ...(to.epoch === replaced.epoch ? [] : [buildingRecord(chain, null), acceptedCutRecord(chain, null)]),
      ...(rate === null ? [] : [buildRateRecord(chain, to.epoch === replaced.epoch ? 'facts' : 'epoch', rate)]),
      flipRecord(chain, null),
    ]);
  }

  /** Throws when another process has taken over: it alone may remove anything. */
  async assertLease(): Promise<void> {
    if (!(await this.writer!.holdsLease())) throw new FencedError(`upgrade.${this.chain}`);
  }

  async forget(version: FactsVersion): Promise<void> {
    await this.writer!.append([forgetReplaced(this.chain, version)]);
  }
}
