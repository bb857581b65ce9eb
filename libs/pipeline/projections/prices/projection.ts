import type { PriceFact } from '#libs/protocol/facts.js';
import type { Projection } from '../projection.js';
import { type ColumnField, rowSection } from '../row-section.js';
import type { SectionSpec } from '../section.js';
import { contentOf } from '../table.js';

const first: readonly ColumnField[] = [
  { name: 'token', kind: 'id', column: 'id' },
  { name: 'pool', kind: 'idOrNull', column: 'idOrNull' },
  { name: 'quote', kind: 'idOrNull', column: 'idOrNull' },
  { name: 'spot', kind: 'amountOrNull', column: 'priceE36' },
  { name: 'level', kind: 'byte', column: 'uint8' },
];

const { section, columns } = rowSection({ name: 'prices', version: 2, member: 'prices' }, [
  ...first,
  { name: 'backing', kind: 'textOrNull', column: 'textOrNull' },
]);

const firstForm = rowSection({ name: 'prices', version: 1, member: 'prices' }, first).section;

/** Prices before fold version 9 had one pool, of which nothing but the spot is known. */
const earlier: SectionSpec = {
  ...firstForm,
  read: (input) => (firstForm.read(input) as PriceFact[]).map((price) => ({ ...price, backing: null })),
};

/** What backs the price of a token after each block that changed it. A row without a spot ends the price; it is no outcome. */
export const prices: Projection = {
  name: 'prices',
  sections: [section],
  earlier: [earlier],
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
