import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { PublishedChain } from '#libs/chain/chains/source-port.js';
import { type RecentAnswer, RecentAnswers } from '../recent-answers.js';
import type { BlockReading } from './block-fetch.js';
import type { RawBlock } from './raw-block.js';
import { rawDigest } from './raw-digest.js';
import { fetchProven, fetchSingly } from './receipt-range.js';
import { needOfEachReceipt } from './receipts.js';

/** Blocks that are read again in one question. */
const AT_ONCE = 16;

/**
 * Nodes that contradicted the chain or left something out. Invariant: their newest blocks that receipts have not proven are read
 * again, elsewhere where there is another node, and what they gave wrong is named; until then nothing more of what a node gave
 * that contradicted the chain is published. Where no node gives receipts, what another node says of the block decides; where
 * there is none, nothing does, and reading continues. Lives in memory alone: blocks from before a start are not known.
 */
export class SuspectNodes {
  /** Nodes that gave logs which differ from the receipts: only what proves itself is taken from them. */
  readonly liars = new Set<number>();
  private readonly recent = new RecentAnswers();
  private readonly caught = new Set<number>();
  private readonly incomplete = new Set<number>();

  constructor(private readonly reading: BlockReading) {}

  get any(): boolean {
    return this.caught.size + this.incomplete.size > 0;
  }

  /** An answer of a node was refused. */
  failed({ kind }: RpcError, endpoint: RpcEndpoint): void {
    if (kind === 'inconsistent-response') this.caught.add(endpoint.index);
    if (kind === 'incomplete') this.incomplete.add(endpoint.index);
  }

  leftOut(endpoint: RpcEndpoint): void {
    this.incomplete.add(endpoint.index);
  }

  /** Whether a block waits until its node's blocks were read again. */
  holdsBack({ node, proof }: RawBlock): boolean {
    return proof !== 'full' && this.caught.has(node);
  }

  /** A block is about to be published. */
  publishes(raw: RawBlock): void {
    if (raw.proof !== 'full') this.recent.remember(raw.header.height, raw.node, rawDigest(raw));
  }

  /** The published chain ends at this height. */
  endsAt(height: number): void {
    this.recent.forgetFrom(height + 1);
  }

  /** Lowest published height that one of them gave wrong; null where none is. They are not suspect then any more. */
  async firstWrong(published: PublishedChain, signal: AbortSignal): Promise<number | null> {
    let lowest: number | null = null;
    for (const node of new Set([...this.caught, ...this.incomplete])) {
      const height = await this.firstWrongOf(published, node, signal);
      if (height === null) this.recent.forgetNode(node);
      else {
        this.liars.add(node);
        lowest = Math.min(height, lowest ?? height);
      }
      this.caught.delete(node);
      this.incomplete.delete(node);
    }
    if (lowest !== null) this.endsAt(lowest - 1);
    return lowest;
  }

  private async firstWrongOf(published: PublishedChain, node: number, signal: AbortSignal): Promise<number | null> {
    for (const run of runsOf(this.recent.of(node))) {
      const blocks = await this.blocksAgain(run[0]!.height, run.at(-1)!.height, node, signal);
      if (blocks === null) continue;
      for (const [n, { height, digest }] of run.entries()) {
        const ref = await published.refAt(height);
        // Where the chain has another block by now, the way to it is that of every reorganization.
        if (ref?.hash === blocks[n]!.header.hash && rawDigest(blocks[n]!) !== digest) return height;
      }
    }
    return null;
  }

  /** Consecutive blocks with the proof of their receipts, or as another node than this one has them; else null. */
  private async blocksAgain(
    from: number,
    to: number,
    suspect: number,
    signal: AbortSignal,
  ): Promise<readonly RawBlock[] | null> {
    const { reading } = this;
    const { rpc } = reading;
    const read = (endpoint: RpcEndpoint) => fetchProven(endpoint, from, to, reading, signal);
    try {
      return await rpc.use(read, signal, needOfEachReceipt(from));
    } catch (error) {
      if (!(error instanceof RpcError) || !error.saysLack) throw error;
    }
    for (const other of rpc.usable) {
      if (other.index === suspect) continue;
      try {
        return await rpc.on(other, (endpoint) => fetchSingly(endpoint, from, to, reading, signal), signal);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      }
    }
    return null;
  }
}

/** Answers of consecutive heights together. */
function runsOf(answers: readonly RecentAnswer[]): RecentAnswer[][] {
  const runs: RecentAnswer[][] = [];
  for (const answer of answers) {
    const run = runs.at(-1);
    if (run !== undefined && run.length < AT_ONCE && run.at(-1)!.height + 1 === answer.height) run.push(answer);
    else runs.push([answer]);
  }
  return runs;
}
