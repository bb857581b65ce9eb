/** The largest size that a node takes of something. */
export interface Largest {
  /** 0: not even one. */
  readonly size: number;
  /** The smallest size that was refused, with the node's words; null where the largest that was tried was taken. */
  readonly refused: { readonly size: number; readonly sentence: string } | null;
}

/**
 * Finds it by trying: twice as much each time, then between what was taken and what was refused. `tryOut` answers the sentence of a
 * refusal or null. Stops early, with what is known, when the time is over.
 */
export async function largest(
  most: number,
  tryOut: (size: number) => Promise<string | null>,
  timeLeft: () => boolean,
): Promise<Largest> {
  let taken = 0;
  let refused: Largest['refused'] = null;
  for (let size = 1; timeLeft(); size = Math.min(most, size * 2)) {
    const sentence = await tryOut(size);
    if (sentence !== null) {
      refused = { size, sentence };
      break;
    }
    taken = size;
    if (size === most) break;
  }
  while (refused !== null && refused.size - taken > 1 && timeLeft()) {
    const middle = Math.floor((refused.size + taken) / 2);
    const sentence = await tryOut(middle);
    if (sentence === null) taken = middle;
    else refused = { size: middle, sentence };
  }
  return { size: taken, refused };
}
