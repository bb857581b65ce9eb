import { type ChainSource, EpochBrokenError } from '#libs/chains/source-port.js';
import type { Append } from '#libs/event-log/log.js';
import type { ReferenceSet } from '#libs/protocol/blocks.js';
import { blocksTopic, epochsTopic } from '#libs/protocol/topics.js';
import { readEndedEpoch, readServedEpoch, type ServedEpoch } from '../served-epoch.js';
import { Publisher, type PublisherDeps } from './publisher.js';

/**
 * Decides which epoch of a chain's log is written: the named one while it fits the chain and the configuration, else the
 * next. A new epoch's first group and the record that names it are one append, so no stage ever follows an empty epoch.
 */
export class EpochKeeper {
  constructor(
    private readonly deps: PublisherDeps,
    private readonly foldVersion: number,
  ) {}

  async open(source: ChainSource, startHeight: number | undefined, signal: AbortSignal): Promise<Publisher> {
    const { log, chain } = this.deps;
    await log.ensureTopics([epochsTopic]);
    const named = await readServedEpoch(log, chain.slug);
    const epoch = named?.epoch ?? 1;
    await log.ensureTopics([blocksTopic(chain.slug, epoch)]);
    const publisher = await Publisher.open(this.deps, epoch);
    if (publisher === null) return this.next(epoch, source, startHeight, 'first start', signal);
    try {
      const ended = await readEndedEpoch(log, chain.slug);
      const reason =
        ended?.epoch === epoch ? ended.reason : await this.misfit(publisher.reference, source, startHeight, signal);
      if (reason === null) {
        // Blocks that were imported come without the record that names them.
        if (named === null) await publisher.appendKeyed(this.record(epoch));
        return publisher;
      }
      await publisher.close();
      return await this.next(epoch + 1, source, startHeight, reason, signal);
    } catch (error) {
      await publisher.close();
      throw error;
    }
  }

  async next(
    epoch: number,
    source: ChainSource,
    startHeight: number | undefined,
    reason: string,
    signal: AbortSignal,
  ): Promise<Publisher> {
    const { chain, observer } = this.deps;
    const start = await source.start(startHeight, signal);
    const reference: ReferenceSet = {
      family: chain.family,
      genesisHash: start.genesisHash,
      startHeight: start.startHeight,
      decoderVersion: source.decoderVersion,
      coin: {
        token: chain.wrappedNative.token,
        symbol: chain.nativeCurrency.symbol,
        decimals: chain.wrappedNative.decimals,
      },
      stables: chain.stables.map((stable) => stable.token),
      rules: chain.priceRules,
    };
    observer.epoch?.(epoch, reason);
    return Publisher.create(this.deps, epoch, start.base, reference, [this.record(epoch)]);
  }

  /** Why the epoch cannot be continued, or null. */
  private async misfit(
    reference: ReferenceSet,
    source: ChainSource,
    startHeight: number | undefined,
    signal: AbortSignal,
  ): Promise<string | null> {
    if (startHeight !== undefined && startHeight < reference.startHeight) {
      return `start height ${startHeight} is below ${reference.startHeight}`;
    }
    if (reference.decoderVersion !== source.decoderVersion)
      return `decoders changed to version ${source.decoderVersion}`;
    try {
      await source.checkGenesis(reference.genesisHash, signal);
      return null;
    } catch (error) {
      if (error instanceof EpochBrokenError) return error.message;
      throw error;
    }
  }

  private record(epoch: number): Append {
    const record: ServedEpoch = { epoch, foldVersion: this.foldVersion };
    return { topic: epochsTopic, key: this.deps.chain.slug, value: Buffer.from(JSON.stringify(record)) };
  }
}
