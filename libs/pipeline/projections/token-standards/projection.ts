import type { Hex } from '#libs/core/ids.js';
import { keyedProjection } from '../keyed-projection.js';

/** What a token is made by, where the chain states it: on Solana. */
export interface TokenStandard {
  token: Hex;
  /** Token program, e.g. `token-2022`. */
  standard: string;
  /** Names of its extensions as the chain's nodes show them, ascending, with commas between them. */
  extensions: string;
}

declare module '#libs/protocol/facts.js' {
  interface FactsBlock {
    tokenStandards?: TokenStandard[];
  }
  interface FactsRetract {
    tokenStandards?: TokenStandard[];
  }
}

/** The last that was said of each token. */
export const tokenStandards = keyedProjection<TokenStandard>({
  name: 'token-standards',
  version: 1,
  member: 'tokenStandards',
  table: 'token_standards',
  key: [{ name: 'token', kind: 'id', column: 'id' }],
  values: [
    { name: 'standard', kind: 'label', column: 'word' },
    { name: 'extensions', kind: 'label', column: 'word' },
  ],
  fold(_, rows, { group }) {
    for (const event of group.events) {
      if (event.kind !== 'metadata') continue;
      const { token, standard, extensions } = event;
      rows.set({ token, standard, extensions: extensions.join(',') });
    }
  },
  *touches({ events }) {
    for (const event of events) if (event.kind === 'metadata') yield { token: event.token };
  },
});
