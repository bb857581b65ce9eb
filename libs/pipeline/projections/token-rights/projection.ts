import type { AuthorityRole } from '#libs/protocol/blocks.js';
import type { RowOf } from '../keyed-form.js';
import { keyedProjection } from '../keyed-projection.js';

/**
 * Who may still change a token, and what it takes of transfers, where the chain states both: on Solana. Of each right whether
 * the log named it, and the address that has it, empty where none has it any more.
 */
export type TokenRights = RowOf<typeof fields>;

const fields = {
  key: { token: 'id' },
  values: {
    mintKnown: 'uint8',
    mint: 'id',
    freezeKnown: 'uint8',
    freeze: 'id',
    metadataKnown: 'uint8',
    metadata: 'id',
    feeKnown: 'uint8',
    /** What the token takes of every transfer, in basis points. */
    transferFeeBps: 'uint32',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    tokenRights?: TokenRights[];
  }
}

const known: Readonly<Record<AuthorityRole, 'mintKnown' | 'freezeKnown' | 'metadataKnown'>> = {
  mint: 'mintKnown',
  freeze: 'freezeKnown',
  metadata: 'metadataKnown',
};

/** The last that was said of each right. */
export const tokenRights = keyedProjection<TokenRights>({
  name: 'token-rights',
  version: 1,
  member: 'tokenRights',
  fewRows: true,
  fields,
  fold(_, rows, { group }) {
    for (const event of group.events) {
      if (event.kind === 'authority') {
        const { token, role, authority } = event;
        rows.set({ ...rows.get({ token }), [known[role]]: 1, [role]: authority ?? '' });
      } else if (event.kind === 'metadata') {
        const { token, transferFeeBps } = event;
        rows.set({ ...rows.get({ token }), feeKnown: 1, transferFeeBps });
      }
    }
  },
  *touches({ events }) {
    for (const event of events)
      if (event.kind === 'authority' || event.kind === 'metadata') yield { token: event.token };
  },
});
