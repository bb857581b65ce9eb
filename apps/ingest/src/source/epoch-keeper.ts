import { type ChainSource, EpochBrokenError } from '#libs/chains/source-port.js';
import type { Append } from '#libs/event-log/log.js';
import { type BuildingEpoch, buildingRecord, readEpochRecords, servedRecord } from '#libs/event-log/served-epoch.js';
import type { ReferenceSet } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup, encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, epochsTopic } from '#libs/protocol/topics.js';
import { readEndedEpoch } from '../served-epoch.js';
import { Publisher, type PublisherDeps } from './publisher.js';

/** Why another epoch is built next to the served one. */
export interface WantedEpoch {
  reason: string;
  /** Whether this program may append to the served epoch in the meantime. */
  continues: boolean;
  /** Only an epoch with a higher number can hold the chain. */
  above: number;
}

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

  /** Number of the epoch to build: one that fits and was begun before, or a new one. */
  async numberFor(wanted: WantedEpoch, served: Publisher, source: ChainSource, startHeight: number): Promise<number> {
    const { log, chain } = this.deps;
    const isFit = (reference: ReferenceSet): boolean =>
      reference.genesisHash === served.reference.genesisHash &&
      reference.decoderVersion === source.decoderVersion &&
      reference.startHeight <= startHeight &&
      this.hasOwnRules(reference);
    const ended = await readEndedEpoch(log, chain.slug);
    for (const epoch of (await this.numbers()).toReversed()) {
      if (epoch === served.epoch || epoch <= wanted.above || epoch === ended?.epoch) continue;
      const first = await log.firstGroup(blocksTopic(chain.slug, epoch));
      const group = first && decodeBlocksGroup(first.value);
      if (group?.kind === 'epoch' && isFit(group.reference)) return epoch;
    }
    return this.freeNumber();
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
    const place = { genesisHash, startHeight: first, decoderVersion: source.decoderVersion };
    const reference = { family: chain.family, ...place, ...this.ownRules() };
    observer.epoch?.(epoch, reason);
    return Publisher.create(this.deps, epoch, start.base, reference, records);
  }

  /** What the fold prices by; it stands in the epoch's first group. */
  private ownRules(): Pick<ReferenceSet, 'coin' | 'stables' | 'rules'> {
    const { wrappedNative, nativeCurrency, stables, priceRules } = this.deps.chain;
    const coin = { token: wrappedNative.token, symbol: nativeCurrency.symbol, decimals: wrappedNative.decimals };
    return { coin, stables: stables.map((stable) => stable.token), rules: priceRules };
  }

  private hasOwnRules(reference: ReferenceSet): boolean {
    const { slug } = this.deps.chain;
    const none = { height: -1, hash: '', parentHash: '', time: 0 };
    const bytes = (as: ReferenceSet) =>
      encodeBlocksGroup({ kind: 'epoch', chain: slug, epoch: 1, seq: 0, ...none, reference: as });
    return Buffer.compare(bytes(reference), bytes({ ...reference, ...this.ownRules() })) === 0;
  }

  /** Why this program would build another epoch than the served one, or null. */
  private async wanted(
    { epoch, reference }: Publisher,
    source: ChainSource,
    startHeight: number | undefined,
    servedFold: number,
  ): Promise<WantedEpoch | null> {
    const { log, chain } = this.deps;
    const ended = await readEndedEpoch(log, chain.slug);
    if (ended?.epoch === epoch) return { reason: ended.reason, continues: false, above: epoch };
    const [own, there] = [source.decoderVersion, reference.decoderVersion];
    if (own !== there)
      return { reason: `decoders of version ${own} instead of ${there}`, continues: own > there, above: 0 };
    if (!this.hasOwnRules(reference)) return { reason: 'other price rules', continues: true, above: 0 };
    if (startHeight !== undefined && startHeight < reference.startHeight) {
      const reason = `start height ${startHeight} instead of ${reference.startHeight}`;
      return { reason, continues: true, above: epoch };
    }
    const first = await log.firstGroup(blocksTopic(chain.slug, epoch));
    if (servedFold !== this.foldVersion && first !== null && first.seq > 0) {
      const reason = `fold version ${this.foldVersion}, for which the beginning of the blocks is cut off`;
      return { reason, continues: true, above: epoch };
    }
    return null;
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

  /** Epochs of the chain that have a topic, in ascending order. */
  private async numbers(): Promise<number[]> {
    const { log, chain } = this.deps;
    const name = new RegExp(`^blocks\\.${chain.slug}\\.e(\\d+)$`);
    const found = (await log.describe()).flatMap((topic) => name.exec(topic.name)?.[1] ?? []);
    return found.map(Number).sort((a, b) => a - b);
  }

  private async freeNumber(): Promise<number> {
    const { log, chain } = this.deps;
    const { served, building, replaced } = await readEpochRecords(log, chain.slug);
    const named = [served, building, ...replaced].map((record) => record?.epoch ?? 0);
    return Math.max(0, ...(await this.numbers()), ...named) + 1;
  }

  private named(epoch: number): { epoch: number; foldVersion: number } {
    return { epoch, foldVersion: this.foldVersion };
  }
}
