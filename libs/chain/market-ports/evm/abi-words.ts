import { encodeUint } from '#libs/chain/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';

/** The words of an ABI answer; null when it is no sequence of whole words. */
export function uintWords(answer: Hex): bigint[] | null {
  if (answer.length === 0 || answer.length % 64 !== 0) return null;
  const words: bigint[] = [];
  for (let at = 0; at < answer.length; at += 64) words.push(BigInt(`0x${answer.slice(at, at + 64)}`));
  return words;
}

/** Dynamic bytes: the length, then the bytes padded to whole words. */
export function encodeBytes(bytes: Hex): string {
  return encodeUint(bytes.length / 2) + bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
}
