import { setTimeout as delay } from 'node:timers/promises';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { sameAnswer } from '#libs/chain/chains/solana/rpc/block-digest.js';
import { isMissing, type SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { RecentAnswer, RecentAnswers } from '../recent-answers.js';
import type { BlockReader } from './block-reader.js';

export interface UncheckedBlocksDeps {
  readonly rpc: SolanaPool;
  readonly reader: BlockReader;
  readonly recent: RecentAnswers;
  /** Another node that can be asked now. */
  readonly otherThan: (node: number) => SolanaEndpoint | null;
  /** Pause before the other nodes are tried again; it grows up to thirty-two times of it. */
  readonly pauseMs: number;
  /** Slots of one list. */
  readonly slotsPerList: number;
  readonly onConfirmed: (slot: number) => void;
  readonly onDispute: (dispute: Dispute) => void;
  readonly onFailure: (error: unknown) => void;
}

/** A published answer that another node contradicts, or that is to be compared with all others. */
export interface Dispute {
  readonly answer: RecentAnswer;
  /** Something else speaks against it. */
  readonly suspect: boolean;
}

interface Unchecked extends Dispute {
  /** The first of the slots below that hold no block in the words of its node; null where the whole block is compared. */
  readonly gapFrom: number | null;
  /** Answers of other nodes that said nothing of it. */
  vain: number;
}

/** The newest ones are kept, as many as are known of each node. */
const MOST = 1_000;
const LONGEST_PAUSE = 32;
/** After so many answers that say nothing of a block, no more is expected. */
const MOST_VAIN = 8;

/**
 * Published blocks that no other node has spoken about yet: skipped slots below blocks of history, and whole blocks whose turn
 * came while no other node answered. Invariant: a block stays here until another node answers for it, says that it
 * does not have it, or the block is retracted. Lists of slots settle many gaps with one question.
 */
export class UncheckedBlocks {
  private readonly blocks = new Map<number, Unchecked>();
  private working = false;

  constructor(private readonly deps: UncheckedBlocksDeps) {}

  /** The slots between a block and its parent hold no block in the words of its node alone. */
  addGap(answer: RecentAnswer, parentSlot: number): void {
    const gapFrom = parentSlot + 1;
    if (gapFrom < answer.height) this.add({ answer, gapFrom, suspect: false, vain: 0 });
  }

  addBlock(answer: RecentAnswer, suspect: boolean): void {
    this.add({ answer, gapFrom: null, suspect, vain: 0 });
  }

  /** Works in its own time until nothing is left. */
  start(signal: AbortSignal): void {
    if (this.working || this.blocks.size === 0) return;
    this.working = true;
    void this.work(signal);
  }

  private add(unchecked: Unchecked): void {
    const { height, digest } = unchecked.answer;
    const { rpc } = this.deps;
    if (digest === '' || rpc.usable.length < 2) return;
    const known = this.blocks.get(height);
    // The whole block shows its gap, too.
    if (known?.gapFrom === null && unchecked.gapFrom !== null && known.answer.digest === digest) return;
    this.blocks.delete(height);
    this.blocks.set(height, unchecked);
    if (this.blocks.size > MOST) this.blocks.delete(this.blocks.keys().next().value!);
  }

  private async work(signal: AbortSignal): Promise<void> {
    try {
      for (let pause = 1; this.blocks.size > 0; ) {
        const before = this.blocks.size;
        for (const unchecked of [...this.blocks.values()]) await this.check(unchecked, signal);
        pause = this.blocks.size < before ? 1 : Math.min(2 * pause, LONGEST_PAUSE);
        if (this.blocks.size > 0) await delay(this.deps.pauseMs * pause, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) this.deps.onFailure(error);
    } finally {
      this.working = false;
    }
  }

  private async check(unchecked: Unchecked, signal: AbortSignal): Promise<void> {
    const { answer, gapFrom } = unchecked;
    // Settled together with another one meanwhile.
    if (this.blocks.get(answer.height) !== unchecked) return;
    if (this.deps.recent.at(answer.height)?.digest !== answer.digest) return this.settled(unchecked);
    const other = this.deps.otherThan(answer.node);
    if (other === null) return;
    try {
      await this.deps.rpc.on(
        other,
        (node) => (gapFrom === null ? this.compare(node, unchecked, signal) : this.checkGaps(node, unchecked, signal)),
        signal,
      );
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (isMissing(error)) this.inVain(unchecked);
    }
  }

  private async compare(node: SolanaEndpoint, unchecked: Unchecked, signal: AbortSignal): Promise<void> {
    const { answer } = unchecked;
    const told = await this.deps.reader.read(node, answer.height, signal);
    this.settled(unchecked);
    if (sameAnswer(told.digest, answer.digest)) this.deps.onConfirmed(answer.height);
    else this.deps.onDispute(unchecked);
  }

  /** All gaps within reach of one list, of blocks that come from other nodes than this one. */
  private async checkGaps(node: SolanaEndpoint, { answer, gapFrom }: Unchecked, signal: AbortSignal): Promise<void> {
    const from = gapFrom!;
    const last = Math.max(answer.height, from + this.deps.slotsPerList - 1);
    const gaps = [...this.blocks.values()].filter(
      (each) =>
        each.gapFrom !== null && each.gapFrom >= from && each.answer.height <= last && each.answer.node !== node.index,
    );
    const to = Math.max(...gaps.map((each) => each.answer.height));
    const slots = new Set(await node.blocksIn(from, to, signal));
    for (const gap of gaps) {
      // A node that has not come to the block says nothing of the slots below it.
      if (!slots.has(gap.answer.height)) this.inVain(gap);
      else {
        this.settled(gap);
        let filled = false;
        for (let slot = gap.gapFrom!; slot < gap.answer.height; slot++) filled ||= slots.has(slot);
        if (filled) this.deps.onDispute(gap);
      }
    }
  }

  private inVain(unchecked: Unchecked): void {
    if (++unchecked.vain >= MOST_VAIN) this.settled(unchecked);
  }

  private settled(unchecked: Unchecked): void {
    const { height } = unchecked.answer;
    if (this.blocks.get(height) === unchecked) this.blocks.delete(height);
  }
}
