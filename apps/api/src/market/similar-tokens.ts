import { forEachYielding } from '#libs/core/for-each-yielding.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import { type ListedToken, listedIn } from './listed-token.js';
import { pairsOf, type TokenWords, wordsOf } from './token-words.js';

/** Texts shorter than this are like too many others. */
const LEAST_LETTERS = 4;
/** From here on two letters may differ. */
const LONG = 8;

export interface SimilarToken {
  token: ListedToken;
  /** Letters that are wrong, missing, too many or swapped with their neighbour. */
  distance: number;
}

/** Tokens of which symbol, name or a word of the name is the text with a letter or two wrong. */
export async function similarTokens(markets: readonly Market[], text: string): Promise<SimilarToken[]> {
  if (text.length < LEAST_LETTERS) return [];
  const most = text.length < LONG ? 1 : 2;
  const pairs = pairsOf([text]);
  // A wrong letter changes two pairs, two that are swapped change three.
  const least = count(pairs) - 3 * most;
  const found: SimilarToken[] = [];
  await forEachYielding(listedIn(markets), (token) => {
    const words = wordsOf(token.listed.record);
    if (count([words.pairs[0] & pairs[0], words.pairs[1] & pairs[1]]) < least) return;
    const distance = distanceTo(words, text, most);
    if (distance !== null) found.push({ token, distance });
  });
  return found;
}

function distanceTo({ symbol, name, parts }: TokenWords, text: string, most: number): number | null {
  let best: number | null = null;
  for (const word of [symbol, name, ...parts]) {
    if (Math.abs(word.length - text.length) > most) continue;
    const distance = editDistance(word, text);
    if (distance <= most && (best === null || distance < best)) best = distance;
  }
  return best;
}

/** Letters changed, added, left out or swapped with their neighbour, at least, to make one text of the other. */
export function editDistance(a: string, b: string): number {
  let twoBefore: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(before[column]! + 1, current[column - 1]! + 1, before[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, twoBefore[column - 2]! + 1);
      current.push(cost);
    }
    [twoBefore, before] = [before, current];
  }
  return before[b.length]!;
}

function count([low, high]: readonly [number, number]): number {
  let bits = 0;
  for (let word = low; word !== 0; word &= word - 1) bits++;
  for (let word = high; word !== 0; word &= word - 1) bits++;
  return bits;
}
