/** From where on a node has something. */
export interface Reach {
  /** The lowest height at or above the wished one that it has; null where it has not even the newest. */
  readonly oldest: number | null;
  /** In its own words, of the highest height that it lacks; null where it lacks none that was asked for. */
  readonly sentence: string | null;
  /** The search did not end in time: there may be more below. */
  readonly unfinished: boolean;
}

/**
 * The border below which a node has nothing any more: nodes that drop their past drop it from the beginning. `serves` answers the
 * sentence of a refusal or null.
 */
export async function oldestServed(
  from: number,
  head: number,
  serves: (height: number) => Promise<string | null>,
  timeLeft: () => boolean,
): Promise<Reach> {
  let sentence = await serves(from);
  if (sentence === null) return { oldest: from, sentence: null, unfinished: false };
  const atHead = await serves(head);
  if (atHead !== null) return { oldest: null, sentence: atHead, unfinished: false };
  let lacking = from;
  let served = head;
  while (served - lacking > 1 && timeLeft()) {
    const middle = Math.floor((served + lacking) / 2);
    const refused = await serves(middle);
    if (refused === null) served = middle;
    else {
      lacking = middle;
      sentence = refused;
    }
  }
  return { oldest: served, sentence, unfinished: served - lacking > 1 };
}
