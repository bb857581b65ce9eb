import type { ContractCall } from '#libs/chain/chains/evm/contract-reader.js';
import type { EventDecoder, LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolAnchor, PoolRecord } from '#libs/protocol/blocks.js';
import type { VenueRouting } from './venue-routing.js';

/**
 * The port of an EVM venue: everything that is particular to one exchange protocol. A folder of libs/chain/venues exports one
 * value of it; addresses come from the chain (`VenueSite`). Nothing outside the folder asks which venue it is.
 */
export interface EvmVenueModule {
  /** Folder name and PoolRecord.venue. */
  readonly venue: string;
  /** The `dex` of answers. */
  readonly label: string;
  /** Other spellings of the label that are accepted on input. */
  readonly aliases: readonly string[];
  /** What `tidepool decode` calls its swaps. */
  readonly protocol: string;
  /** Counts the changes of what it decodes since its chains first had it, itself included for a venue that came later. */
  readonly revision: number;
  /** Events of the factory that make a pool, by topic 0. */
  readonly creations: Readonly<Record<string, CreationDecoder>>;
  /** Events of its pools, by topic 0. */
  readonly events: Readonly<Record<string, PoolEventReader>>;
  readonly probe: PoolProbe;
  readonly anchor: PoolAnchorPlan;
  /** What the swap router knows of it; null: market data only, never routed. */
  readonly routing: VenueRouting | null;
}

/** A venue on one chain: where its contracts are. */
export interface VenueSite {
  readonly venue: EvmVenueModule;
  /** The contract that makes its pools, or that holds all of them. */
  readonly factory: Hex;
  /** Its other contracts, by the names that the venue gives them. */
  readonly contracts: Readonly<Record<string, Hex>>;
  /** The chain's wrapped coin: a pool of the coin itself is recorded as a pool of it. */
  readonly coin: Hex;
  /** Hook contracts of registered launchpads whose code on the chain is the pinned one. */
  readonly trustedHooks: ReadonlySet<Hex>;
}

/** Decodes a factory's creation event into the pool it made; null: same topic, another shape. */
export type CreationDecoder = (log: LogInput, site: VenueSite) => PoolRecord | null;

/** How one event of pools is read. Forks of a protocol share the very same reader. */
export interface PoolEventReader {
  /** The protocol whose contracts emit it. */
  readonly protocol: string;
  readonly decode: EventDecoder;
  /**
   * The id of the pool, where one contract (the factory) speaks for all pools of the venue; null: another shape. Left out
   * where each pool is a contract of its own: then the emitter is the pool.
   */
  readonly poolIn?: (log: LogInput) => Hex | null;
}

/**
 * First sight of a pool whose creation is not in the log. What a contract says about itself is a claim: anyone can write
 * one that answers the same, so it counts only once it is confirmed.
 */
export interface PoolProbe {
  /** What is asked about the candidate. */
  calls(pool: Hex, site: VenueSite): ContractCall[];
  /** The pool that the answers describe; null: it is no pool of this venue. */
  claim(pool: Hex, site: VenueSite, answers: readonly (string | null)[]): PoolRecord | null;
  /** A call whose answer must be the pool's address; null: the claim proves itself. */
  confirmation(record: PoolRecord, site: VenueSite): ContractCall | null;
}

/** Reads a pool's whole state by view calls at one block, in two rounds. Pure: the caller makes the calls. */
export interface PoolAnchorPlan {
  /** Whether its events state the whole state (`reserves`): then the first one anchors it without a call. */
  readonly statedByEvents: boolean;
  /** First round: everything that can be asked without knowing the state. */
  calls(pool: PoolRecord, site: VenueSite): ContractCall[];
  /** Second round: what the first answers point at. */
  further(pool: PoolRecord, site: VenueSite, answers: readonly (string | null)[]): ContractCall[];
  /** The anchor, or null when an answer is missing: then the state is not what a pool of this venue has. */
  read(
    pool: PoolRecord,
    site: VenueSite,
    answers: readonly (string | null)[],
    further: readonly (string | null)[],
  ): PoolAnchor | null;
}
