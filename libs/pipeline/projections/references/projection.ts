import type { Projection } from '../projection.js';
import type { SectionSpec } from '../section.js';
import { contentOf, type JournalColumn } from '../table.js';
import { readReferences, writeReferences } from './codec.js';

const section: SectionSpec = {
  name: 'references',
  version: 1,
  groups: ['block', 'retract'],
  member: 'references',
  layout: 'rows',
  fields: [
    { name: 'token', kind: 'id' },
    { name: 'usd', kind: 'amountOrNull' },
  ],
  write: writeReferences,
  read: readReferences,
};

const columns: JournalColumn[] = [
  { name: 'token', type: 'id', from: 'token' },
  { name: 'usd', type: 'priceE36', from: 'usd' },
];

/** USD prices of the coin and the stables. A group that changes one of them has them all. */
export const references: Projection = {
  name: 'references',
  sections: [section],
  journals: [
    {
      name: 'reference_prices',
      writtenFrom: section,
      columns,
      orderBy: ['seq', 'token'],
      outcome: (database, condition) => ({
        reference_prices: `
          SELECT (${contentOf(columns)}) AS content FROM ${database}.reference_prices
          WHERE usd IS NOT NULL AND ${condition}
            AND seq = (SELECT max(seq) FROM ${database}.reference_prices WHERE ${condition})`,
      }),
    },
  ],
};
