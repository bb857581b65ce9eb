import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { BalanceLedger, type LedgerBreak } from '#libs/chain/chains/solana/block-balances.js';
import { sameAnswer } from '#libs/chain/chains/solana/rpc/block-digest.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { SourceObserver } from '#libs/chain/chains/source-port.js';
import type { RecentAnswers } from '../recent-answers.js';
import { answerOf } from './block-places.js';
import type { BlockReader, ReadBlock } from './block-reader.js';
import type { SecondOpinions } from './second-opinions.js';

export interface BalanceTrailDeps {
  readonly rpc: SolanaPool;
  readonly reader: BlockReader;
  readonly recent: RecentAnswers;
  readonly opinions: SecondOpinions;
  readonly observer: Pick<SourceObserver, 'doubtful'>;
  readonly takeIncomplete: boolean;
}

/** A block that names another balance than the blocks before left. */
export interface Misfit {
  readonly read: ReadBlock;
  readonly broken: LedgerBreak;
}

/**
 * Follows what token accounts hold from block to block, so that a transaction or block that was left out, or a balance that
 * was altered, shows when the account moves again. Then the block that does not fit and those back to where the account was
 * last named are compared with other nodes': what differs is an inconsistent answer, for this block or for a published one. Where every
 * node answers the same, the chain is so, and balances are followed from there again. With one node alone nothing more is published until it
 * tells otherwise or the operator lets such blocks be taken.
 */
export class BalanceTrail {
  private readonly ledger = new BalanceLedger();

  constructor(private readonly deps: BalanceTrailDeps) {}

  /** Takes the next block; where it does not fit, it is left and what is wrong is answered. */
  follow(read: ReadBlock): Misfit | null {
    // Of an incomplete block it is not known which accounts it moved.
    if (read.block.incomplete) {
      this.ledger.clear();
      return null;
    }
    const broken = this.ledger.check(read.balances);
    if (broken !== null) return { read, broken };
    this.ledger.take(read.block.slot, read.balances);
    return null;
  }

  clear(): void {
    this.ledger.clear();
  }

  /**
   * Finds out which block is wrong. A published slot that has to be retracted; null where the block is to be asked for again,
   * from nodes that are still trusted; `waits` where there is no other node to ask.
   */
  async settle(
    { read, broken }: Misfit,
    final: (slot: number) => boolean,
    signal: AbortSignal,
  ): Promise<number | 'waits' | null> {
    const { opinions, recent, observer } = this.deps;
    const { slot } = read.block;
    const answer = answerOf(read);
    const fits = (other: ReadBlock): boolean => this.ledger.check(other.balances) === null;
    const present = await opinions.judge({ answer, ownFits: false, fits, final: final(slot) }, signal);
    if (present.stands === false) return null;
    let confirmed = present.confirmedBy > 0;
    for (const earlier of recent.between(broken.since, slot - 1)) {
      const { stands, confirmedBy } = await opinions.judge(
        { answer: earlier, ownFits: false, final: final(earlier.height) },
        signal,
      );
      if (stands === false) return earlier.height;
      confirmed &&= confirmedBy > 0;
    }
    const reason = `tokens of ${broken.account} are not what block ${broken.since} left`;
    if (!confirmed) {
      const changed = await this.toldOtherwise(read.node, broken.since, slot, signal);
      if (changed !== null) return changed;
      if (!this.deps.takeIncomplete) return this.wait(read, reason);
    }
    this.ledger.clear();
    observer.doubtful?.(slot, reason, true);
    return null;
  }

  /** The first published block that its only node tells otherwise now. */
  private async toldOtherwise(node: number, from: number, to: number, signal: AbortSignal): Promise<number | null> {
    const { rpc, recent, reader } = this.deps;
    const endpoint = rpc.endpoints[node] ?? rpc.endpoints[0]!;
    for (const { height, digest } of recent.between(from, to - 1)) {
      try {
        const again = await rpc.on(endpoint, () => reader.read(endpoint, height, signal), signal);
        if (!sameAnswer(again.digest, digest)) return height;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      }
    }
    return null;
  }

  private wait({ node, block }: ReadBlock, reason: string): 'waits' {
    const { rpc, observer } = this.deps;
    const endpoint = rpc.endpoints[node];
    if (endpoint !== undefined)
      rpc.blame(endpoint, endpoint.error('inconsistent-response', `block ${block.slot}: ${reason}`));
    observer.doubtful?.(block.slot, reason, false);
    return 'waits';
  }
}
