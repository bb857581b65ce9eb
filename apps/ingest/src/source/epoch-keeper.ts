import { ownReference } from '#libs/chain/catalogue/own-reference.js';
import { type ChainSource, EpochBrokenError } from '#libs/chain/chains/source-port.js';
import {
  epochToBuild,
  freeEpoch,
  type OwnVersion,
  type WantedEpoch,
  wantedEpoch,
} from '#libs/pipeline/epochs/next-epoch.js';
import {
  type BuildingEpoch,
  buildingRecord,
  readEpochRecords,
  servedRecord,
} from '#libs/pipeline/epochs/served-epoch.js';
import type { Append } from '#libs/pipeline/event-log/log.js';
import type { ReferenceSet } from '#libs/protocol/blocks.js';
import { blocksTopic, epochsTopic } from '#libs/protocol/topics.js';
import { readEndedEpoch } from '../served-epoch.js';
import { Publisher, type PublisherDeps } from './publisher.js';

export interface OpenedEpoch {
  publisher: Publisher;
  /** Null when the served epoch is the one that this program would build. */
  wanted: WantedEpoch | null;
}

/**
 * Decides which epoch of a chain's log is written. Invariants: an epoch that was written by newer decoders is never
 * appended to; an epoch of another chain is served at once, since it replaces nothing of this one, every other is built
 * next to the served one; an epoch's first group and the record that names it are one append.
 */
export class EpochKeeper {
  constructor(
    private readonly deps: PublisherDeps,
    private readonly foldVersion: number,
  ) {}

  async open(source: ChainSource, startHeight: number | undefined, signal: AbortSignal): Promise<OpenedEpoch> {
    const { log, chain } = this.deps;
    await log.ensureTopics([epochsTopic]);
    const { served, building } = await readEpochRecords(log, chain.slug);
    const epoch = served?.epoch ?? 1;
    await log.ensureTopics([blocksTopic(chain.slug, epoch)]);
    const publisher = await Publisher.open(this.deps, epoch);
    if (publisher === null) return this.start(epoch, source, startHeight, 'first start', signal);
    try {
      const { reference } = publisher;
      const otherChain = await this.otherChain(reference, source, signal);
      if (otherChain !== null) {
        await publisher.close();
        return await this.start(await this.freeNumber(), source, startHeight, otherChain, signal);
      }
      // Blocks that were imported come without the record that names them.
      if (served === null) await publisher.appendKeyed(servedRecord(chain.slug, this.named(epoch)));
      const wanted = await this.wanted(publisher, source, startHeight, served?.foldVersion ?? this.foldVersion);
      if (wanted === null && building !== null) await publisher.appendKeyed(buildingRecord(chain.slug, null));
      return { publisher, wanted };
    } catch (error) {
      await publisher.close();
      throw error;
    }
  }

  /** The served epoch cannot hold the chain any more: nodes serve another chain, or one that forks too deep. */
  async broken(
    old: Publisher,
    source: ChainSource,
    startHeight: number | undefined,
    error: EpochBrokenError,
    signal: AbortSignal,
  ): Promise<OpenedEpoch> {
    const otherChain = await this.otherChain(old.reference, source, signal);
    if (otherChain === null) {
      return { publisher: old, wanted: { reason: error.message, continues: false, above: old.epoch } };
    }
    await old.close();
    return this.start(await this.freeNumber(), source, startHeight, otherChain, signal);
  }

  /** Number of the epoch to build next to the served one. */
  numberFor(
    wanted: WantedEpoch,
    served: Publisher,
    source: ChainSource,
    startHeight: number | undefined,
    cut: number | null,
  ): Promise<number> {
    const { log, chain } = this.deps;
    return epochToBuild(log, chain.slug, this.own(source, startHeight), served, wanted, cut);
  }

  /** Opens the epoch that is built, and says so. */
  async build(
    epoch: number,
    source: ChainSource,
    startHeight: number,
    about: Omit<BuildingEpoch, 'epoch' | 'startHeight'>,
    signal: AbortSignal,
  ): Promise<Publisher> {
    const { log, chain } = this.deps;
    await log.ensureTopics([blocksTopic(chain.slug, epoch)]);
    const known = await Publisher.open(this.deps, epoch);
    if (known === null) {
      const record = buildingRecord(chain.slug, { ...about, epoch, startHeight });
      return this.create(epoch, source, startHeight, about.reason, [record], signal);
    }
    await known.appendKeyed(buildingRecord(chain.slug, { ...about, epoch, startHeight: known.reference.startHeight }));
    return known;
  }

  /** An epoch that is served from its first group on. */
  private async start(
    epoch: number,
    source: ChainSource,
    startHeight: number | undefined,
    reason: string,
    signal: AbortSignal,
  ): Promise<OpenedEpoch> {
    const records = [servedRecord(this.deps.chain.slug, this.named(epoch)), buildingRecord(this.deps.chain.slug, null)];
    const publisher = await this.create(epoch, source, startHeight, reason, records, signal);
    return { publisher, wanted: null };
  }

  private async create(
    epoch: number,
    source: ChainSource,
    startHeight: number | undefined,
    reason: string,
    records: Append[],
    signal: AbortSignal,
  ): Promise<Publisher> {
    const { chain, observer } = this.deps;
    const start = await source.start(startHeight, signal);
    const { genesisHash, startHeight: first } = start;
    const { decoderVersion } = source;
    const place = { genesisHash, startHeight: first };
    const reference = { family: chain.family, ...place, ...ownReference(chain), decoderVersion };
    observer.epoch?.(epoch, reason);
    return Publisher.create(this.deps, epoch, start.base, reference, records);
  }

  /** What this program would build. */
  private own(source: ChainSource, startHeight: number | undefined): OwnVersion {
    const { decoderVersion } = source;
    const reference = { ...ownReference(this.deps.chain), decoderVersion };
    return { ...reference, foldVersion: this.foldVersion, startHeight: startHeight ?? null };
  }

  private async wanted(
    { epoch, reference }: Publisher,
    source: ChainSource,
    startHeight: number | undefined,
    foldVersion: number,
  ): Promise<WantedEpoch | null> {
    const { log, chain } = this.deps;
    const ended = await readEndedEpoch(log, chain.slug);
    const first = await log.firstGroup(blocksTopic(chain.slug, epoch));
    const served = { epoch, foldVersion, reference, firstSeq: first?.seq ?? 0 };
    return wantedEpoch(this.own(source, startHeight), served, ended);
  }

  private async otherChain(reference: ReferenceSet, source: ChainSource, signal: AbortSignal): Promise<string | null> {
    try {
      await source.checkGenesis(reference.genesisHash, signal);
      return null;
    } catch (error) {
      if (error instanceof EpochBrokenError) return error.message;
      throw error;
    }
  }

  private freeNumber(): Promise<number> {
    return freeEpoch(this.deps.log, this.deps.chain.slug);
  }

  private named(epoch: number): { epoch: number; foldVersion: number } {
    return { epoch, foldVersion: this.foldVersion };
  }
}
