import { readTokens, writeTokens } from '#libs/protocol/codec/registry-records.js';
import type { Projection } from '../projection.js';
import { removedIds } from '../removed-ids.js';
import type { SectionSpec } from '../section.js';

const section: SectionSpec = {
  name: 'tokens',
  version: 1,
  groups: ['block'],
  member: 'tokens',
  layout: 'rows',
  fields: [
    { name: 'token', kind: 'id' },
    { name: 'decimals', kind: 'decimalsOrNull' },
    { name: 'symbol', kind: 'textOrNull' },
    { name: 'name', kind: 'textOrNull' },
    { name: 'totalSupply', kind: 'amountOrNull' },
  ],
  write: writeTokens,
  read: readTokens,
};

const removed = removedIds('removed-tokens', 'removedTokens');

const restored: SectionSpec = {
  ...{ ...section, name: 'restored-tokens', groups: ['retract'], member: 'restoredTokens', absentIfEmpty: true },
};

/** Tokens as they became known, and with more that became known of them later: the newest row of a token holds. */
export const tokens: Projection = {
  name: 'tokens',
  sections: [section, removed, restored],
  journals: [
    {
      name: 'tokens',
      writtenFrom: section,
      columns: [
        { name: 'token', type: 'id', from: 'token' },
        { name: 'decimals', type: 'uint8OrNull', from: 'decimals' },
        { name: 'symbol', type: 'textOrNull', from: 'symbol' },
        { name: 'name', type: 'textOrNull', from: 'name' },
        { name: 'total_supply', type: 'uint256OrNull', from: 'totalSupply' },
      ],
      orderBy: ['token', 'seq'],
    },
  ],
};
