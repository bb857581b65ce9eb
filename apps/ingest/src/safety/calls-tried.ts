import { encodeAddress, encodeUint } from '#libs/chain/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';

/** Whom and what a call names. */
export interface CallSubjects {
  /** An account that holds the token. */
  readonly holder: Hex;
  /** One that has nothing. */
  readonly receiver: Hex;
  /** More than there is of the token. */
  readonly plenty: bigint;
}

const words = (...values: (bigint | number | Hex)[]): Hex =>
  values.map((value) => (typeof value === 'string' ? encodeAddress(value) : encodeUint(value))).join('');

/**
 * Arguments that a function of unknown parameters is called with. Call data may be longer than what a function reads, so that
 * each of these fits many: an account and a flag, an account and an amount, an amount, flags, rates, lists of accounts.
 */
export function argumentsTried({ holder, receiver, plenty }: CallSubjects): Hex[] {
  return [
    words(holder, 1, 1, 1, 1, 1),
    words(receiver, plenty, 1, 1, 1, 1),
    words(receiver, 1_000_000, 1, 1, 1, 1),
    words(plenty, receiver, 1, 1, 1, 1),
    words(1, 1, 1, 1, 1, 1),
    words(0, 0, 0, 0, 0, 0),
    words(3, 4, 0, 0, 0, 0),
    words(0x20, 1, holder),
    words(0x40, 1, 1, holder),
    words(holder, 0, 0, 0, 0, 0),
  ];
}

/** With which a function that only reads answers; a list of none fits none of them. */
export const readsTried = (subjects: CallSubjects): Hex[] =>
  argumentsTried(subjects).filter((_, n) => n === 0 || n === 4);
