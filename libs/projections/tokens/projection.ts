import type { Projection } from '../projection.js';
import type { SectionSpec } from '../section.js';

const section: SectionSpec = {
  member: 'tokens',
  layout: 'rows',
  fields: [
    { name: 'token', kind: 'id' },
    { name: 'decimals', kind: 'decimalsOrNull' },
    { name: 'symbol', kind: 'textOrNull' },
    { name: 'name', kind: 'textOrNull' },
    { name: 'totalSupply', kind: 'amountOrNull' },
  ],
};

/** Tokens as they became known. */
export const tokens: Projection = {
  name: 'tokens',
  sections: [section],
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
