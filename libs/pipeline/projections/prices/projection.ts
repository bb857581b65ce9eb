import type { Projection } from '../projection.js';
import type { SectionSpec } from '../section.js';
import { contentOf, type JournalColumn } from '../table.js';
import { readPrices, writePrices } from './codec.js';

const section: SectionSpec = {
  name: 'prices',
  version: 1,
  groups: ['block', 'retract'],
  member: 'prices',
  layout: 'rows',
  fields: [
    { name: 'token', kind: 'id' },
    { name: 'pool', kind: 'idOrNull' },
    { name: 'quote', kind: 'idOrNull' },
    { name: 'spot', kind: 'amountOrNull' },
    { name: 'level', kind: 'byte' },
  ],
  write: writePrices,
  read: readPrices,
};

const columns: JournalColumn[] = [
  { name: 'token', type: 'id', from: 'token' },
  { name: 'pool', type: 'idOrNull', from: 'pool' },
  { name: 'quote', type: 'idOrNull', from: 'quote' },
  { name: 'spot', type: 'priceE36', from: 'spot' },
  { name: 'level', type: 'uint8', from: 'level' },
];

/** The spot of a token after each block that changed it. A row without a spot ends the price; it is no outcome. */
export const prices: Projection = {
  name: 'prices',
  sections: [section],
  journals: [
    {
      name: 'prices',
      writtenFrom: section,
      columns,
      orderBy: ['token', 'seq'],
      outcome: (database, condition) => ({
        prices: `
          SELECT content FROM (
            SELECT argMax((${contentOf(columns)}), seq) AS content, argMax(spot IS NULL, seq) AS unpriced
            FROM ${database}.prices WHERE ${condition} GROUP BY token)
          WHERE NOT unpriced`,
      }),
    },
  ],
};
