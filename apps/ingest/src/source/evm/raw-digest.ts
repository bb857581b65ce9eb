import { randomInt } from 'node:crypto';
import type { HexText } from '#libs/chain/chains/evm/hex-text.js';
import { GenerationCache } from '#libs/core/generation-cache.js';
import { viewOf } from '#libs/core/text-interner.js';
import type { RawBlock } from './raw-block.js';

/** They are not known outside of the process: an answer cannot be made to have the digest of another. */
const SEEDS = [randomInt(2 ** 31), randomInt(2 ** 31), randomInt(2 ** 31)] as const;

/** Addresses and topics repeat from log to log. */
const texts = new GenerationCache<string, number>(20_000, (text) => {
  let hash: number = SEEDS[2];
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
});

/**
 * Of all that a block is built from, for comparison within this process: two answers about one block with one digest say the
 * same. Not a cryptographic hash: it is taken of every block of history.
 */
export function rawDigest({ header, logs, senders }: RawBlock): string {
  let [a, b]: [number, number] = [SEEDS[0], SEEDS[1]];
  const add = (value: number): void => {
    a = Math.imul(a ^ value, 0x85ebca6b);
    a ^= a >>> 13;
    b = Math.imul(b + value, 0xc2b2ae35);
    b ^= b >>> 16;
  };
  let last = -1;
  logs.each(({ logIndex, transactionIndex, address, topics, data }) => {
    add(logIndex);
    add(texts.get(address));
    for (const topic of topics) add(texts.get(topic));
    addDigits(data, add);
    if (transactionIndex === last) return;
    last = transactionIndex;
    add(transactionIndex);
    add(texts.get(senders.get(transactionIndex) ?? ''));
  });
  return `${header.hash}:${a}:${b}`;
}

function addDigits({ bytes, start, digits }: HexText, add: (value: number) => void): void {
  add(digits);
  const view = viewOf(bytes);
  const end = start + digits;
  let at = start;
  // In lower case: nodes write digits in either.
  for (; at + 4 <= end; at += 4) add(view.getInt32(at, true) | 0x20202020);
  for (; at < end; at++) add(bytes[at]! | 0x20);
}
