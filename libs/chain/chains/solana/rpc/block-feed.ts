import type { SocketProblem } from '../../rpc/subscription-socket.js';
import type { NodeBlock } from './node-block.js';

/**
 * The port of whatever announces the head of a Solana chain as it moves: a WebSocket of a node, a stream of a Geyser plugin.
 * A feed is only ever faster than asking: its reader asks a node for whatever a feed leaves out, and judges by parent hash
 * what it gives. Invariant: between two `gap`s, blocks that are confirmed meanwhile are all announced; around a gap any may
 * be missing.
 */
export interface BlockFeed {
  /** What is announced, until the signal aborts. A feed that cannot keep up drops and says `gap`. Called once. */
  blocks(signal: AbortSignal): AsyncIterable<RawBlockPush>;
  /** Whether whole blocks are pushed at present, or slots alone, or nothing: then its reader has to poll at full pace. */
  readonly live: 'blocks' | 'slots' | null;
  /** Addresses of the configuration that this feed speaks to. */
  readonly urls: readonly string[];
  /** What is wrong with one of them, as its last connection showed; null when nothing is. */
  problemOf(url: string): SocketProblem | null;
  close(): void;
}

export type RawBlockPush =
  /** A confirmed block with its transactions; `observedAt` in Unix ms. */
  | { readonly kind: 'block'; readonly block: NodeBlock; readonly observedAt: number }
  /** The chain came to this slot: whether a block is in it is for the reader to ask. */
  | { readonly kind: 'slot'; readonly slot: number }
  /** Blocks may have been missed up to here: a subscription begins, was lost or could not keep up. */
  | { readonly kind: 'gap' };
