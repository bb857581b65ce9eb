import type { QueryValue } from '../store.js';

/** Groups [fromSeq, retractSeq − 1] were taken back by the group `retractSeq`. */
export interface RetractedRange {
  fromSeq: number;
  retractSeq: number;
}

/**
 * What one read sees of the tables: rows up to `seq` that were not retracted by then, candle versions up to `sealSeq`
 * for buckets that end at or before `sealedTime`. Two reads with the same view see the same, whatever is written.
 */
export interface View {
  seq: number;
  retracted: readonly RetractedRange[];
  sealSeq: number;
  sealedTime: number;
  /** Only blocks up to this height. */
  asOfBlock?: number;
}

/** Whether a view sees less of the rows up to a seq, which it sees, than one that ended there: some were retracted since. */
export const takenBack = ({ seq, retracted }: View, before: number): boolean =>
  retracted.some(({ fromSeq, retractSeq }) => fromSeq <= before && retractSeq > before && retractSeq <= seq);

/** A condition on a journal's rows with the parameters it needs. */
export interface Condition {
  sql: string;
  params: Record<string, QueryValue>;
}

/** More ranges than this are looked up in arrays instead of being compared one by one. */
const MOST_COMPARISONS = 8;

/** visible(row): at or below the view's seq, in no range retracted by then, not above `asOfBlock`. */
export function visible(view: View): Condition {
  const parts = ['seq <= {view_seq:Int64}'];
  const params: Record<string, QueryValue> = { view_seq: view.seq };
  const ranges = mergedRanges(view);
  if (ranges.length > MOST_COMPARISONS) {
    parts.push(
      'NOT arrayExists((first, last) -> seq >= first AND seq <= last, {gone_first:Array(UInt64)}, {gone_last:Array(UInt64)})',
    );
    params.gone_first = ranges.map(({ first }) => first);
    params.gone_last = ranges.map(({ last }) => last);
  } else {
    ranges.forEach(({ first, last }, index) => {
      parts.push(`(seq < {gone_first_${index}:UInt64} OR seq > {gone_last_${index}:UInt64})`);
      params[`gone_first_${index}`] = first;
      params[`gone_last_${index}`] = last;
    });
  }
  if (view.asOfBlock !== undefined) {
    parts.push('block <= {as_of_block:UInt64}');
    params.as_of_block = view.asOfBlock;
  }
  return { sql: `(${parts.join(' AND ')})`, params };
}

/** Disjoint ranges in ascending order; those of later groups do not count yet. */
function mergedRanges(view: View): { first: number; last: number }[] {
  const ranges = view.retracted
    .filter(({ fromSeq, retractSeq }) => retractSeq <= view.seq && fromSeq < retractSeq)
    .map(({ fromSeq, retractSeq }) => ({ first: fromSeq, last: retractSeq - 1 }))
    .sort((a, b) => a.first - b.first);
  const merged: { first: number; last: number }[] = [];
  for (const range of ranges) {
    const previous = merged[merged.length - 1];
    if (previous !== undefined && range.first <= previous.last + 1) previous.last = Math.max(previous.last, range.last);
    else merged.push(range);
  }
  return merged;
}
