import { familyOf } from '../state/families.js';

/** What the height of a chain is called: chains of Solana's family count slots. */
export interface HeightWords {
  readonly one: string;
  readonly many: string;
}

const BLOCKS: HeightWords = { one: 'block', many: 'blocks' };
const SLOTS: HeightWords = { one: 'slot', many: 'slots' };

export const heightWords = (chain: string): HeightWords => (familyOf(chain) === 'solana' ? SLOTS : BLOCKS);

export const heights = (chain: string, count: number): string => heightWords(chain)[count === 1 ? 'one' : 'many'];

/** At the beginning of a sentence or a label. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
