import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';

/**
 * How one node of a fleet differs from an honest one that answers everything. A behaviour is data: a name, what such a node
 * cannot answer however often it is asked, what it costs to ask it, and rules that change its answers.
 */
export type Family = 'evm' | 'solana';

// biome-ignore lint/suspicious/noExplicitAny: any JSON, as it came over the wire
export type Json = any;

export interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly Json[];
}

/** One HTTP request to a node. */
export interface Request {
  readonly calls: readonly Call[];
  /** Whether the calls came as a list. */
  readonly list: boolean;
  /** How many requests came before it. */
  readonly nth: number;
  /** Blocks that the machine which answers it is behind. */
  lag: number;
}

/** An error object of JSON-RPC. */
export interface Refusal {
  readonly code?: number;
  readonly message: string;
  readonly data?: unknown;
}

/** In place of the answer to one call. */
export type Answer = { readonly error: Refusal } | { readonly result: Json };

/** In place of the answer to a request: bytes, no answer at all, or an end of the connection. */
export type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string | Buffer }
  | 'silence'
  | 'reset'
  | 'cut';

/** What rules see of their node. */
export interface NodeView {
  readonly family: Family;
  readonly seed: number;
  readonly random: SeededRandom;
  /** Newest block of the honest node when the node started: places in its history are shares of it. */
  readonly startHead: number;
  /** Newest block of the honest node now. */
  head(): Promise<number>;
  /** What the honest node answers to a call. */
  ask(method: string, params: readonly Json[]): Promise<Answer>;
  /** Height of a block that is named by its hash; null where there is none. */
  heightOf(hash: string): Promise<number | null>;
  /** Counts how often a behaviour has struck. */
  struck(): void;
}

/** Hooks around an honest answer. Each is called in the order of the node's behaviours; the first that answers decides. */
export interface Rule {
  onRequest?(request: Request): Reply | null | Promise<Reply | null>;
  onCall?(call: Call, request: Request): Answer | null | Promise<Answer | null>;
  /** Another question in place of this one. */
  asks?(call: Call, request: Request): Call | Promise<Call>;
  onResult?(call: Call, result: Json, request: Request): Json | Promise<Json>;
  /** The objects that answer the calls, in their order. */
  onAnswers?(answers: Json[], request: Request): Json[];
  onText?(text: string, request: Request): Reply | null | Promise<Reply | null>;
}

/** What is asked of nodes, as far as it decides whether a log can be written. */
export type Capability = 'blocks' | 'logs' | 'receipts' | 'state' | 'slots';

/** Part of the chain from which on and up to which it is answered, in shares of its length; null: never. */
export type Span = readonly [from: number, to: number] | null;

export type Spans = Partial<Record<Capability, Span>>;

/**
 * What a false answer is caught by: `counts` by what every block says of itself (bloom, indices of its logs, parents),
 * `roots` by the receipts of the block alone, which are looked at in samples; `peers` by a second node alone.
 */
export type Proof = 'counts' | 'roots' | 'peers';

interface FalseAnswers {
  readonly about: readonly Capability[];
  readonly caughtBy: Proof;
}

export interface Behaviour {
  readonly name: string;
  readonly family: Family | 'both';
  /** What is answered of the chain in the end; a capability that is not named is complete. */
  readonly only?: Spans;
  /** Newest block that the node ever speaks of, as a share of the chain; absent: the honest node's. */
  readonly newest?: number;
  readonly falsifies?: FalseAnswers;
  /** Most calls of a list, blocks of a range and share of requests that are served: what it costs to ask such a node. */
  readonly cost?: { readonly list?: number; readonly range?: number; readonly served?: number };
  readonly rule: (node: NodeView) => Rule;
}
