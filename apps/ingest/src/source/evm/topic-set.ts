import { TRANSFER_TOPIC } from '#libs/chain/chains/evm/erc20/transfer.js';
import type { EventDecoder, LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import { withoutPrefix } from '#libs/chain/chains/evm/words.js';
import { evmCurves, evmLaunchpads } from '#libs/chain/launchpads/evm-registry.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { PoolEventReader, VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import { poolEventTable } from '#libs/chain/market-ports/evm/venue-registry.js';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import { WRAP_TOPICS } from './coin-wraps.js';
import { KEPT_TOPICS, MOST_KEPT_BYTES } from './kept-events.js';

/** The venues of a chain and every topic that is asked for. Logs are fetched by topic, without an address filter. */
export class TopicSet {
  /** By venue name. */
  readonly sites: ReadonlyMap<string, VenueSite>;
  /** By the contract that makes (or holds) the venue's pools. */
  readonly factories: ReadonlyMap<Hex, VenueSite>;
  /** Topics that some pool of the venues emits. */
  readonly poolEvents: ReadonlyMap<string, PoolEventReader>;
  readonly creations: ReadonlySet<string>;
  readonly all: readonly string[];
  private readonly contractSites: readonly VenueSite[];
  private readonly wanted: ReadonlySet<string>;
  private readonly kept: ReadonlySet<string> = new Set(KEPT_TOPICS);

  /**
   * @param coin The chain's wrapped coin.
   * @param launches By contract, then by topic.
   */
  constructor(
    sites: readonly VenueSite[],
    readonly coin: Hex,
    private readonly launches: ReadonlyMap<Hex, Readonly<Record<string, EventDecoder>>> = new Map(),
  ) {
    const venues = sites.map(({ venue }) => venue);
    this.sites = new Map(sites.map((site) => [site.venue.venue, site]));
    this.factories = new Map(sites.map((site) => [site.factory, site]));
    this.poolEvents = poolEventTable(venues);
    this.creations = new Set(venues.flatMap(({ creations }) => Object.keys(creations)));
    const ofLaunches = [...launches.values()].flatMap((events) => Object.keys(events));
    this.wanted = new Set([
      TRANSFER_TOPIC,
      ...WRAP_TOPICS,
      ...this.creations,
      ...this.poolEvents.keys(),
      ...ofLaunches,
      ...KEPT_TOPICS,
    ]);
    this.all = [...this.wanted];
    this.contractSites = sites.filter(({ venue }) =>
      Object.values(venue.events).some(({ poolIn }) => poolIn === undefined),
    );
  }

  has(topic: string | undefined): boolean {
    return topic !== undefined && this.wanted.has(topic);
  }

  /** Whether a log that nothing decodes is kept as it is. */
  keeps({ topics, data }: LogInput): boolean {
    return this.kept.has(topics[0]!) && data.digits <= 2 * MOST_KEPT_BYTES;
  }

  /** The pool that a log of this reader is of. Where one contract speaks for all pools, only that contract is heard. */
  poolOf(log: LogInput, reader: PoolEventReader): Hex | null {
    if (reader.poolIn === undefined) return withoutPrefix(log.address);
    return this.speaker(log)?.venue.events[log.topics[0]!] === reader ? reader.poolIn(log) : null;
  }

  /** Reads what a launchpad's own contract announces; undefined for every other log. */
  launchOf(log: LogInput): EventDecoder | undefined {
    return this.launches.get(withoutPrefix(log.address))?.[log.topics[0]!];
  }

  /** Venues that an unknown pool may be of. */
  candidatesFor(log: LogInput, reader: PoolEventReader): readonly VenueSite[] {
    if (reader.poolIn !== undefined) return [this.speaker(log)!];
    return this.contractSites;
  }

  /** The pool that a factory of ours made with this log. */
  created(log: LogInput): PoolRecord | null {
    const site = this.speaker(log);
    return site?.venue.creations[log.topics[0]!]?.(log, site) ?? null;
  }

  private speaker(log: LogInput): VenueSite | undefined {
    return this.factories.get(withoutPrefix(log.address));
  }
}

/** `trustedHooks` may grow until the first block is decoded. */
export function topicSet(chain: ChainSpec, trustedHooks: ReadonlySet<Hex>): TopicSet {
  return new TopicSet(
    chain.venues.map(({ venue: name, factory, addresses }) => {
      const venue = evmVenues.get(name) ?? evmCurves.get(name);
      if (!venue) throw new TidepoolError('unknown_venue', `${chain.slug}: venue ${name} is not registered`);
      return { venue, factory, contracts: addresses, coin: chain.wrappedNative.token, trustedHooks };
    }),
    chain.wrappedNative.token,
    new Map(
      chain.launchContracts.map(({ launchpad, role, address }) => [
        address,
        evmLaunchpads.get(launchpad)!.steps!.contracts[role]!,
      ]),
    ),
  );
}
