/** What the height of a chain is called: answers name Solana `sol`, and it alone counts slots. */
export interface HeightWords {
  readonly one: string;
  readonly many: string;
}

const BLOCKS: HeightWords = { one: 'block', many: 'blocks' };
const SLOTS: HeightWords = { one: 'slot', many: 'slots' };

export const heightWords = (chain: string): HeightWords => (chain === 'sol' ? SLOTS : BLOCKS);

export const heights = (chain: string, count: number): string => heightWords(chain)[count === 1 ? 'one' : 'many'];

/** At the beginning of a sentence or a label. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
