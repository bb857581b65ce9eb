import type { IdFormat } from '#libs/core/ids.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';

/** Name and symbol of a token as searches compare them. */
export interface TokenWords {
  readonly symbol: string;
  readonly name: string;
  /** The words of the name that are not the whole of it. */
  readonly parts: readonly string[];
  /** Which pairs of letters the words have: a token that lacks most pairs of a text is not like it. */
  readonly pairs: readonly [number, number];
}

/** Records outlive the markets that show them. */
const known = new WeakMap<TokenRecord, TokenWords>();

export function wordsOf(record: TokenRecord): TokenWords {
  let words = known.get(record);
  if (words === undefined) {
    const symbol = folded(record.symbol ?? '');
    const name = folded(record.name ?? '');
    const parts = name.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '' && part !== name);
    words = { symbol, name, parts, pairs: pairsOf([symbol, name]) };
    known.set(record, words);
  }
  return words;
}

const addresses = new WeakMap<TokenRecord, string>();

/** The address of a token as searches compare it: base58 is too dear to be written again for each of them. */
export function addressWordOf(record: TokenRecord, { formatAddress }: Pick<IdFormat, 'formatAddress'>): string {
  let word = addresses.get(record);
  if (word === undefined) {
    word = formatAddress(record.token).toLowerCase();
    addresses.set(record, word);
  }
  return word;
}

/** One spelling: lower case, without marks over letters, wide forms as plain ones, without a leading `$`. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .trim()
    .replace(/^\$(?=.)/, '');

/** The pairs of neighbouring letters of texts, as 64 bits. */
export function pairsOf(texts: readonly string[]): readonly [number, number] {
  const bits: [number, number] = [0, 0];
  for (const text of texts) {
    for (let at = 0; at + 1 < text.length; at++) {
      const hash = Math.imul(text.charCodeAt(at) * 31 + text.charCodeAt(at + 1), 0x9e37_79b1) >>> 26;
      bits[hash >> 5] = bits[hash >> 5]! | (1 << (hash & 31));
    }
  }
  return bits;
}

/** Letters of other alphabets that look like Latin ones. */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  ...{
    а: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    ғ: 'f',
    һ: 'h',
    н: 'h',
    і: 'i',
    ј: 'j',
    к: 'k',
    ӏ: 'l',
    м: 'm',
    о: 'o',
    р: 'p',
  },
  ...{
    ԛ: 'q',
    ѕ: 's',
    т: 't',
    у: 'y',
    х: 'x',
    α: 'a',
    β: 'b',
    ε: 'e',
    η: 'h',
    ι: 'i',
    κ: 'k',
    μ: 'm',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
  },
  ...{ τ: 't', υ: 'u', χ: 'x', ζ: 'z', ı: 'i' },
};

/** How a symbol looks: what a reader takes for the same gives the same. */
export const looksOf = (symbol: string): string =>
  [...folded(symbol)]
    .map((letter) => LOOKS_LIKE[letter] ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '');
