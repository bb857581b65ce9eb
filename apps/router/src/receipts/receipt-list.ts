import type { Hex } from '#libs/core/ids.js';
import { type QuoteReceipt, type ReceiptState, receiptDifference } from '#libs/protocol/receipts.js';
import { compareAge } from './chain-receipts.js';

export interface ReceiptFilter {
  /** null: of every account. */
  account: string | null;
  /** Slugs; null: of every chain. */
  chains: ReadonlySet<string> | null;
  wallet: Hex | null;
  state: ReceiptState | null;
}

/** A place in the list: the receipts after it are older. */
export interface ReceiptPlace {
  builtAt: number;
  id: string;
}

export interface ReceiptPage {
  receipts: QuoteReceipt[];
  /** null: the list ends here. */
  next: ReceiptPlace | null;
  /** Of all receipts that the filter takes, whatever the page. */
  summary: ReceiptSummary;
}

/** Differences in hundredths of a basis point; null while none is executed. */
export interface ReceiptSummary {
  count: number;
  executed: number;
  medianDifference: number | null;
  worstDifference: number | null;
}

/** Ids of every receipt from the oldest to the newest, whose order never changes: state is looked up. */
export class ReceiptOrder {
  private sorted: QuoteReceipt[] = [];
  private readonly known = new Set<string>();
  private stale = false;

  add(receipt: QuoteReceipt): void {
    if (this.known.has(receipt.id)) return;
    this.known.add(receipt.id);
    const newest = this.sorted[this.sorted.length - 1];
    if (newest !== undefined && compareAge(receipt, newest) < 0) this.stale = true;
    this.sorted.push(receipt);
  }

  remove(id: string): void {
    if (this.known.delete(id)) this.stale = true;
  }

  *newestFirst(): Iterable<string> {
    if (this.stale) {
      this.sorted = this.sorted.filter(({ id }) => this.known.has(id)).sort(compareAge);
      this.stale = false;
    }
    for (let i = this.sorted.length - 1; i >= 0; i--) yield this.sorted[i]!.id;
  }
}

/** One page and the summary in one pass from the newest to the oldest. */
export function pageOf(
  newestFirst: Iterable<QuoteReceipt>,
  filter: ReceiptFilter,
  limit: number,
  after: ReceiptPlace | null,
): ReceiptPage {
  const receipts: QuoteReceipt[] = [];
  const differences: number[] = [];
  let count = 0;
  let executed = 0;
  let more = false;
  for (const receipt of newestFirst) {
    if (filter.account !== null && receipt.account !== filter.account) continue;
    if (filter.chains !== null && !filter.chains.has(receipt.chain)) continue;
    if (filter.wallet !== null && receipt.wallet !== filter.wallet) continue;
    if (filter.state !== null && receipt.state !== filter.state) continue;
    count++;
    if (receipt.executed !== null) {
      executed++;
      const difference = receiptDifference(receipt, 'quote');
      if (difference !== null) differences.push(Number(difference));
    }
    if (after !== null && !isBefore(receipt, after)) continue;
    if (receipts.length < limit) receipts.push(receipt);
    else more = true;
  }
  const last = receipts[receipts.length - 1];
  return {
    receipts,
    next: more && last !== undefined ? { builtAt: last.builtAt, id: last.id } : null,
    summary: { count, executed, ...summarize(differences) },
  };
}

function summarize(differences: number[]): { medianDifference: number | null; worstDifference: number | null } {
  if (differences.length === 0) return { medianDifference: null, worstDifference: null };
  const sorted = Float64Array.from(differences).sort();
  const half = sorted.length >>> 1;
  const median = sorted.length % 2 === 1 ? sorted[half]! : Math.trunc((sorted[half - 1]! + sorted[half]!) / 2);
  return { medianDifference: median, worstDifference: sorted[0]! };
}

const isBefore = (receipt: QuoteReceipt, place: ReceiptPlace): boolean =>
  receipt.builtAt < place.builtAt || (receipt.builtAt === place.builtAt && receipt.id < place.id);
