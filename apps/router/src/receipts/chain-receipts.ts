import { LogBrokenError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { FactsBlock, FactsGroup, FactsRetract, TradeFact } from '#libs/protocol/facts.js';
import type { FactsPosition, QuoteReceipt } from '#libs/protocol/receipts.js';
import { type OtherTokenOf, swapIn } from './executes.js';

/**
 * The receipts of one chain at one position of its facts. Invariant: a receipt's state is what the surviving blocks up to
 * the position say: a transaction settles the oldest open receipt it is the swap of, and no second one; a receipt that no
 * block up to its deadline holds is expired. Groups come in order; going back and taking the same groups again ends the
 * same. Values are replaced, never changed.
 */
export class ChainReceipts {
  private readonly byId = new Map<string, QuoteReceipt>();
  /** Open ones of each wallet, oldest first. */
  private readonly open = new Map<Hex, QuoteReceipt[]>();
  private readonly byTx = new Map<Hex, string>();
  /** Decided by a block that is not sealed yet. */
  private readonly unsealed = new Set<string>();
  private earliestDeadline = Number.POSITIVE_INFINITY;
  private at: FactsPosition | null = null;

  constructor(
    private readonly poolToken: OtherTokenOf,
    /** Called with every receipt whose value was replaced. */
    private readonly changed: (receipt: QuoteReceipt) => void,
  ) {}

  /** Null while no facts are followed. */
  get position(): FactsPosition | null {
    return this.at;
  }

  get size(): number {
    return this.byId.size;
  }

  get openCount(): number {
    let count = 0;
    for (const receipts of this.open.values()) count += receipts.length;
    return count;
  }

  /** No group that comes could change anything: none is open and every decision is sealed. */
  get settled(): boolean {
    return this.open.size === 0 && this.unsealed.size === 0;
  }

  get(id: string): QuoteReceipt | undefined {
    return this.byId.get(id);
  }

  values(): Iterable<QuoteReceipt> {
    return this.byId.values();
  }

  settledBy(tx: Hex): string | undefined {
    return this.byTx.get(tx);
  }

  /** Adds a receipt or replaces the one of its id. */
  put(receipt: QuoteReceipt): void {
    this.remove(receipt.id);
    this.byId.set(receipt.id, receipt);
    if (receipt.state === 'built') {
      const receipts = this.open.get(receipt.wallet);
      if (receipts === undefined) this.open.set(receipt.wallet, [receipt]);
      else {
        let place = receipts.length;
        while (place > 0 && compareAge(receipt, receipts[place - 1]!) < 0) place--;
        receipts.splice(place, 0, receipt);
      }
      this.earliestDeadline = Math.min(this.earliestDeadline, receipt.deadline);
    } else if (!receipt.final) this.unsealed.add(receipt.id);
    if (receipt.executed !== null) this.byTx.set(receipt.executed.tx, receipt.id);
  }

  remove(id: string): void {
    const receipt = this.byId.get(id);
    if (receipt === undefined) return;
    this.byId.delete(id);
    this.unsealed.delete(id);
    if (receipt.executed !== null && this.byTx.get(receipt.executed.tx) === id) this.byTx.delete(receipt.executed.tx);
    if (receipt.state !== 'built') return;
    const receipts = this.open.get(receipt.wallet)!.filter((other) => other !== receipt);
    if (receipts.length === 0) this.open.delete(receipt.wallet);
    else this.open.set(receipt.wallet, receipts);
  }

  /** The position, at most this one, after which groups have to be taken for every receipt to be right. */
  firstNeeded(upTo: FactsPosition): FactsPosition {
    let seq = upTo.seq;
    for (const receipt of this.openAndUnsealed()) seq = Math.min(seq, neededAfter(receipt, upTo));
    return { epoch: upTo.epoch, seq };
  }

  /** Goes to a position: what was decided after it is open again. The groups after it come next. */
  moveTo(position: FactsPosition): void {
    this.at = position;
    this.reopen(({ epoch, seq }) => epoch === position.epoch && seq > position.seq);
  }

  /** The next group of the facts; a gap is refused, a repeat ignored. */
  apply(facts: FactsGroup): void {
    const { at } = this;
    if (at === null || facts.epoch !== at.epoch || facts.seq > at.seq + 1) {
      throw new LogBrokenError(`receipts: facts ${facts.epoch}/${facts.seq} do not follow ${at?.epoch}/${at?.seq}`);
    }
    if (facts.seq <= at.seq) return;
    if (facts.kind === 'block') this.take(facts);
    else if (facts.kind === 'retract') this.retract(facts);
    else if (facts.kind === 'finalize') this.seal(facts.height);
    this.at = { epoch: facts.epoch, seq: facts.seq };
  }

  private take(block: FactsBlock): void {
    if (this.open.size === 0) return;
    for (const trades of this.swapsOfOpenWallets(block)) this.settle(block, trades);
    if (block.time > this.earliestDeadline) this.expire(block);
  }

  /** Transactions in their order, each with all of its swaps; one of Solana may have swaps of several wallets. */
  private swapsOfOpenWallets(block: FactsBlock): Iterable<TradeFact[]> {
    const swaps = new Map<string, TradeFact[]>();
    for (const trade of block.trades) {
      if (!this.open.has(trade.wallet)) continue;
      const key = trade.tx + trade.wallet;
      const trades = swaps.get(key);
      if (trades === undefined) swaps.set(key, [trade]);
      else trades.push(trade);
    }
    return swaps.values();
  }

  private settle(block: FactsBlock, trades: readonly TradeFact[]): void {
    const { tx, wallet } = trades[0]!;
    if (this.byTx.has(tx)) return;
    const swaps = { tx, trades, transfers: () => block.transfers.filter((transfer) => transfer.tx === tx) };
    for (const receipt of this.open.get(wallet) ?? []) {
      if (!mayHold(block, receipt) || isPast(block, receipt)) continue;
      const amounts = swapIn(receipt, swaps, this.poolToken);
      if (amounts === null) continue;
      const { epoch, seq, height, hash, time } = block;
      const executed = { tx, block: height, blockHash: hash, time, ...amounts };
      this.replace({ ...receipt, state: 'executed', executed, decidedAt: { epoch, seq, height } });
      return;
    }
  }

  private expire(block: FactsBlock): void {
    const { epoch, seq, height } = block;
    this.earliestDeadline = Number.POSITIVE_INFINITY;
    for (const receipt of [...this.open.values()].flat()) {
      if (isPast(block, receipt) && mayHold(block, receipt)) {
        this.replace({ ...receipt, state: 'expired', decidedAt: { epoch, seq, height } });
      } else this.earliestDeadline = Math.min(this.earliestDeadline, receipt.deadline);
    }
  }

  /** Of a decision in an earlier epoch only the height can tell. */
  private retract(facts: FactsRetract): void {
    this.reopen(({ epoch, seq, height }) =>
      epoch === facts.epoch ? seq >= facts.fromSeq && seq < facts.seq : height > facts.height,
    );
  }

  private seal(height: number): void {
    for (const id of this.unsealed) {
      const receipt = this.byId.get(id)!;
      if (receipt.decidedAt!.height <= height) this.replace({ ...receipt, final: true });
    }
  }

  private reopen(gone: (decided: NonNullable<QuoteReceipt['decidedAt']>) => boolean): void {
    for (const receipt of this.byId.values()) {
      if (receipt.decidedAt === null || !gone(receipt.decidedAt)) continue;
      this.replace({ ...receipt, state: 'built', executed: null, decidedAt: null, final: false });
    }
  }

  private replace(receipt: QuoteReceipt): void {
    this.put(receipt);
    this.changed(receipt);
  }

  private *openAndUnsealed(): Iterable<QuoteReceipt> {
    for (const receipts of this.open.values()) yield* receipts;
    for (const id of this.unsealed) yield this.byId.get(id)!;
  }
}

/**
 * The seq after which the groups that matter to a receipt begin, given where the facts are. Built in another epoch, or
 * before any group was known, it may be in one of the last groups, which is as far as is looked back.
 */
export function neededAfter(receipt: QuoteReceipt, at: FactsPosition): number {
  if (receipt.final) return at.seq;
  const from = receipt.decidedAt ?? receipt.builtAfter;
  if (from.epoch === at.epoch) return from.seq;
  return receipt.decidedAt === null ? Math.max(-1, at.seq - OTHER_EPOCH_GROUPS) : at.seq;
}

const OTHER_EPOCH_GROUPS = 256;

/** By the router's clock, then by id: the same on every router. */
export function compareAge(a: QuoteReceipt, b: QuoteReceipt): number {
  return a.builtAt - b.builtAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** A block that cannot hold the swap any more. */
const isPast = ({ time, height }: FactsBlock, { deadline, lastHeight }: QuoteReceipt): boolean =>
  time > deadline && height > lastHeight;

/** The swap of a build is in a later group than those known at the build; in a later epoch, above the build's block. */
function mayHold(block: FactsBlock, { builtAfter, buildBlock }: QuoteReceipt): boolean {
  return block.epoch === builtAfter.epoch ? block.seq > builtAfter.seq : block.height > buildBlock.number;
}
