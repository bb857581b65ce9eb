/**
 * What a store's own clock says of requests: each was decided between the time it said before it was sent and the time
 * after it was answered. Every bound here holds for whatever moment in between.
 */
export interface TimedAnswer {
  readonly before: number;
  readonly after: number;
  readonly admitted: boolean;
  /** Of the rate: the calls of a batch; 1 without it. */
  readonly requests?: number;
}

const requestsOf = ({ requests = 1 }: TimedAnswer): number => requests;
const sumOf = (answers: readonly TimedAnswer[]): number => answers.reduce((sum, each) => sum + requestsOf(each), 0);

export interface Stretch {
  readonly first: TimedAnswer;
  readonly last: TimedAnswer;
}

/** By how many requests the worst window is above the rate times its length and two seconds; at most 0 where none is. */
export function worstExcess(answers: readonly TimedAnswer[], rate: number): number {
  const admitted = answers.filter((answer) => answer.admitted);
  const byEnd = [...admitted].sort((a, b) => a.after - b.after);
  const starts = [...admitted].sort((a, b) => a.before - b.before);
  let worst = Number.NEGATIVE_INFINITY;
  for (const { before: from } of starts) {
    let inside = 0;
    for (const each of byEnd) {
      if (each.before < from) continue;
      inside += requestsOf(each);
      worst = Math.max(worst, inside - rate * ((each.after - from) / 1_000 + 2));
    }
  }
  return worst;
}

/**
 * A stretch of refusals at least so long, of which each follows the one before within `gapMs`: a refused request found
 * two seconds' worth owed, so that in less than two seconds the account cannot have been without a debt.
 */
export function saturatedStretch(answers: readonly TimedAnswer[], lengthMs: number, gapMs: number): Stretch | null {
  const refused = answers.filter(({ admitted }) => !admitted).sort((a, b) => a.before - b.before);
  let first = refused[0];
  let before = first;
  for (const each of refused.slice(1)) {
    if (each.after - before!.before > gapMs) first = each;
    else if (each.before - first!.after >= lengthMs) return { first: first!, last: each };
    before = each;
  }
  return null;
}

/** Requests that were surely, and that may have been, let in during a stretch; how long it was at least and at most. */
export function admittedWithin(answers: readonly TimedAnswer[], { first, last }: Stretch) {
  const admitted = answers.filter((answer) => answer.admitted);
  return {
    least: sumOf(admitted.filter(({ before, after }) => before >= first.after && after <= last.before)),
    most: sumOf(admitted.filter(({ before, after }) => after >= first.before && before <= last.after)),
    shortMs: last.before - first.after,
    longMs: last.after - first.before,
  };
}
