import type { Projection } from '../projection.js';
import type { SectionSpec } from '../section.js';
import { readTransfers, writeTransfers } from './codec.js';

const section: SectionSpec = {
  name: 'transfers',
  version: 1,
  groups: ['block'],
  member: 'transfers',
  layout: 'columns',
  fields: [
    { name: 'ordinal', kind: 'delta' },
    { name: 'tx', kind: 'id' },
    { name: 'token', kind: 'id' },
    { name: 'from', kind: 'id' },
    { name: 'to', kind: 'id' },
    { name: 'amount', kind: 'amount' },
  ],
  write: writeTransfers,
  read: readTransfers,
};

/** Every movement of a token between two wallets. */
export const transfers: Projection = {
  name: 'transfers',
  sections: [section],
  journals: [
    {
      name: 'transfers',
      writtenFrom: section,
      columns: [
        { name: 'ordinal', type: 'uint32', from: 'ordinal' },
        { name: 'tx', type: 'id', from: 'tx' },
        { name: 'token', type: 'id', from: 'token' },
        { name: 'from_wallet', type: 'id', from: 'from' },
        { name: 'to_wallet', type: 'id', from: 'to' },
        { name: 'amount', type: 'uint256', from: 'amount' },
      ],
      orderBy: ['token', 'block', 'ordinal'],
    },
  ],
};
