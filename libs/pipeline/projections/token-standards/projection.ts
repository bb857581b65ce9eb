import type { RowOf } from '../keyed-form.js';
import { keyedProjection } from '../keyed-projection.js';

/** What a token is made by, where the chain states it: on Solana. */
export type TokenStandard = RowOf<typeof fields>;

const fields = {
  key: { token: 'id' },
  values: {
    /** Token program, e.g. `token-2022`. */
    standard: 'word',
    /** Names of its extensions as the chain's nodes show them, ascending, with commas between them. */
    extensions: 'word',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    tokenStandards?: TokenStandard[];
  }
}

/** The last that was said of each token. */
export const tokenStandards = keyedProjection<TokenStandard>({
  name: 'token-standards',
  version: 1,
  member: 'tokenStandards',
  fields,
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
