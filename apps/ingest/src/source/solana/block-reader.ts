import { LRUCache } from 'lru-cache';
import type { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { type BlockBalances, blockBalances } from '#libs/chain/chains/solana/block-balances.js';
import { type BlockDigest, digestOf, sameAnswer } from '#libs/chain/chains/solana/rpc/block-digest.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { NodeBlock } from '#libs/chain/chains/solana/rpc/node-block.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';

/** A block as one node answered it, with what it takes to hold it against the blocks before and against other nodes. */
export interface ReadBlock {
  readonly block: NodeBlock;
  /** Bytes of the whole answer. */
  readonly bytes: number;
  /** Number of the node, or FEED. */
  readonly node: number;
  readonly digest: BlockDigest;
  readonly balances: BlockBalances;
}

/** Reads one block of a node, and checks what can be checked before it is published. */
export type ReadOne = (endpoint: SolanaEndpoint, slot: number) => Promise<ReadBlock>;

/** The number of what is pushed: it belongs to none of the nodes that answer questions. */
export const FEED = -1;

export const describeBlock = (block: NodeBlock, bytes: number, node: number): ReadBlock => ({
  ...{ block, bytes, node, digest: digestOf(block) },
  balances: blockBalances(block.transactions),
});

/** Whether the balances in a block contradict each other. Without all outcomes nothing can be said. */
export const isBroken = ({ block, balances }: ReadBlock): boolean => balances.broken !== null && !block.incomplete;

export interface BlockReaderOptions {
  /** What no node completes or clears of a contradiction is taken as it is. */
  takeIncomplete: boolean;
  /** A node answered another block than the one that is on the chain. */
  onLie: (node: number, reason: string) => void;
  onDoubt: (slot: number, reason: string, taken: boolean) => void;
}

/** The answers of nodes for a block that contradicts itself. */
interface Doubt {
  readonly told: Map<number, BlockDigest>;
  times: number;
}

/** An answer that contradicts itself is asked for so often of each node before the operator's word counts. */
const TIMES_A_NODE = 4;
const MOST_DOUBTS = 1_000;

/**
 * Reads blocks of nodes. An answer whose balances contradict each other is not taken of one node: another one has to answer
 * the same, and where it answers a block without contradiction, the first answer was false. Where no other node answers, lamports are
 * taken on trust, since votes move them unseen; token balances wait for the operator's word.
 */
export class BlockReader {
  private readonly doubts = new LRUCache<string, Doubt>({ max: MOST_DOUBTS });

  constructor(
    private readonly rpc: SolanaPool,
    private readonly options: BlockReaderOptions,
  ) {}

  /** `inconsistent-response` for a block that contradicts itself in the words of this node alone. */
  async read(endpoint: SolanaEndpoint, slot: number, signal: AbortSignal): Promise<ReadBlock> {
    const { block, bytes } = await endpoint.block(slot, signal, this.options.takeIncomplete);
    const read = describeBlock(block, bytes, endpoint.index);
    const key = `${slot}:${block.hash}`;
    const doubt = this.doubts.get(key);
    if (!isBroken(read)) {
      for (const [node, digest] of doubt?.told ?? []) {
        if (sameAnswer(digest, read.digest)) continue;
        this.options.onLie(node, `block ${slot} contradicts itself, and another node has it without contradiction`);
      }
      this.doubts.delete(key);
      return read;
    }
    const refusal = this.refuse(endpoint, read, doubt);
    if (refusal !== null) throw refusal;
    return read;
  }

  private refuse(endpoint: SolanaEndpoint, read: ReadBlock, known: Doubt | undefined): RpcError | null {
    const { node, digest, block } = read;
    const { kind, account, index } = read.balances.broken!;
    const nodes = this.rpc.usable.length;
    const reason = `${kind} of ${account} before transaction ${index} of block ${block.slot} are not what was left`;
    if (nodes === 1 && kind === 'lamports') return this.takes(block.slot, reason);
    const doubt = known ?? { told: new Map<number, BlockDigest>(), times: 0 };
    this.doubts.set(`${block.slot}:${block.hash}`, doubt);
    for (const [other, said] of doubt.told) if (other !== node && sameAnswer(said, digest)) return null;
    doubt.told.set(node, digest);
    doubt.times++;
    if (doubt.times >= TIMES_A_NODE * nodes) {
      if (this.options.takeIncomplete || kind === 'lamports') return this.takes(block.slot, reason);
      this.options.onDoubt(block.slot, reason, false);
    }
    return endpoint.error('inconsistent-response', reason);
  }

  private takes(slot: number, reason: string): null {
    this.options.onDoubt(slot, reason, true);
    return null;
  }
}
