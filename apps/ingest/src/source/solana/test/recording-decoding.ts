import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { movedBalances } from '#libs/chain/chains/solana/moved-balances.js';
import type { PublishedChain, SourceBlock } from '#libs/chain/chains/source-port.js';
import type { ChainEvent } from '#libs/protocol/blocks.js';
import type { PreparedBlocks, RawSolanaBlock, SolanaDecoding, SolanaDecodingKeeper } from '../raw-block.js';
import { movements, NOBODY } from '../transfers.js';

/**
 * Records every transaction with what it moved and nothing else, and checks on the way what a decoding may rely on: blocks come in order,
 * each after its `prepare`, and its own idea of the chain never differs from the log at a `load`.
 */
export class RecordingDecoding implements SolanaDecoding, SolanaDecodingKeeper {
  /** Lamports after each transaction of a block, by its slot: what the log's own records of a block do not show. */
  readonly amounts = new Map<number, string>();
  private slots: number[] = [];
  private readonly prepared = new WeakSet<RawSolanaBlock>();
  /** Slots of blocks that came marked as incomplete. */
  readonly incomplete: number[] = [];
  /** How the block of a slot was checked, the last time it was built. */
  readonly proofs = new Map<number, RawSolanaBlock['proof']>();

  async load(published: PublishedChain): Promise<SolanaDecoding> {
    this.slots = [published.head.height];
    return this;
  }

  ahead(): void {}

  async inStep(published: PublishedChain): Promise<void> {
    if (this.slots.at(-1) !== published.head.height) throw new Error('the decoding is not in step');
  }

  async save(): Promise<void> {}

  async close(): Promise<void> {}

  async prepare(blocks: readonly RawSolanaBlock[]): Promise<PreparedBlocks> {
    for (const block of blocks) this.prepared.add(block);
    return { answers: new Map() };
  }

  build(block: RawSolanaBlock): SourceBlock {
    const { slot, parentSlot, hash, parentHash, time, source, observedAt } = block;
    if (!this.prepared.has(block)) throw new Error(`block ${slot} was not prepared`);
    if (slot !== 0 && this.slots.at(-1) !== parentSlot) throw new Error(`block ${slot} after ${this.slots.at(-1)}`);
    this.slots.push(slot);
    const txs = block.transactions.map(({ index, tx }) => {
      return { id: hexOf(tx.signature, 64), index, sender: hexOf(tx.keys[0]!, 32) };
    });
    this.amounts.set(slot, block.transactions.map(({ tx }) => tx.lamportsAfter.join()).join(' '));
    const events: ChainEvent[] = [];
    for (const [n, { tx }] of block.transactions.entries()) {
      for (const changes of movedBalances(tx)) {
        const token = hexOf(changes.mint, 32);
        movements(changes, (loser, winner, amount) => {
          const from = loser === null ? NOBODY : hexOf(loser, 32);
          const to = winner === null ? NOBODY : hexOf(winner, 32);
          events.push({ kind: 'transfer', tx: n, ordinal: events.length, token, from, to, amount });
        });
      }
    }
    this.proofs.set(slot, block.proof);
    if (block.incomplete) this.incomplete.push(slot);
    const none = { tokens: [], pools: [], anchors: [] };
    return { height: slot, hash, parentHash, time, source, observedAt, txs, events, ...none };
  }

  rollback(slot: number): void {
    while (this.slots.length > 0 && this.slots.at(-1)! > slot) this.slots.pop();
    if (this.slots.length === 0) this.slots.push(slot);
  }
}

const hexOf = (text: string, bytes: 32 | 64): string =>
  (bytes === 32 ? solanaIds.parseAddress(text) : solanaIds.parseTx(text)) ?? '';
