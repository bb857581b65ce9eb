import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';

/** What a token is to be, its fields already judged. */
export interface CreateOrder {
  readonly chain: ChainSpec;
  readonly creator: Hex;
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
  /** Address of its picture. */
  readonly image: string;
  /** Of `twitter`, `telegram` and `website` those that it has. */
  readonly links: Readonly<Record<string, string>>;
  /** Where its metadata will be: the fields above as one file. */
  readonly uri: string;
  /** In base units of the chain's coin; 0: no first buy. */
  readonly initialBuy: bigint;
  readonly slippageBps: number;
  /** The mint whose key the caller has; null: one is made where the launchpad needs it. */
  readonly mint: Hex | null;
}

/** What a program keeps of a token when it makes it. */
export type NamedToken = Pick<CreateOrder, 'creator' | 'name' | 'symbol' | 'uri'>;

/** What a builder answers: of the launchpad alone. */
export type BuiltLaunch = Omit<LaunchCreated, 'chain' | 'platform' | 'metadataUri' | 'warnings'>;

/**
 * Builds creates of one launchpad on one family of chains, over the node that the caller named. Invariant: what is answered
 * was simulated whole at that node's head with the creator's own state. It never signs and never sends.
 */
interface LaunchBuilder<Endpoint> {
  /** Of the one list of launchpads. */
  readonly platform: string;
  /** The most that a first buy may be; without it: any amount of the coin. */
  readonly mostBuy?: bigint;
  build(endpoint: Endpoint, order: CreateOrder, signal: AbortSignal): Promise<BuiltLaunch>;
}

export type EvmLaunchBuilder = LaunchBuilder<RpcEndpoint>;
export type SolanaLaunchBuilder = LaunchBuilder<SolanaEndpoint>;

/** A launchpad that can have no builder, and what in its own contract is the reason. */
export interface UnwiredLaunchpad {
  readonly platform: string;
  readonly reason: string;
}
