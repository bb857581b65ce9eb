import type { Hex } from '#libs/core/ids.js';
import type { AuthorityRole } from '#libs/protocol/blocks.js';
import { keyedProjection } from '../keyed-projection.js';

/**
 * Who may still change a token, and what it takes of transfers, where the chain states both: on Solana. Of each right whether
 * the log named it, and the address that has it, empty where none has it any more.
 */
export interface TokenRights {
  token: Hex;
  mintKnown: number;
  mint: Hex;
  freezeKnown: number;
  freeze: Hex;
  metadataKnown: number;
  metadata: Hex;
  feeKnown: number;
  /** What the token takes of every transfer, in basis points. */
  transferFeeBps: number;
}

declare module '#libs/protocol/facts.js' {
  interface FactsBlock {
    tokenRights?: TokenRights[];
  }
  interface FactsRetract {
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
  table: 'token_rights',
  fewRows: true,
  key: [{ name: 'token', kind: 'id', column: 'id' }],
  values: [
    { name: 'mintKnown', kind: 'unsigned', column: 'uint8' },
    { name: 'mint', kind: 'id', column: 'id' },
    { name: 'freezeKnown', kind: 'unsigned', column: 'uint8' },
    { name: 'freeze', kind: 'id', column: 'id' },
    { name: 'metadataKnown', kind: 'unsigned', column: 'uint8' },
    { name: 'metadata', kind: 'id', column: 'id' },
    { name: 'feeKnown', kind: 'unsigned', column: 'uint8' },
    { name: 'transferFeeBps', kind: 'unsigned', column: 'uint32' },
  ],
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
