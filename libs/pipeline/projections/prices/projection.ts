import type { Projection } from '../projection.js';
import { rowSection } from '../row-section.js';
import { contentOf } from '../table.js';

const { section, columns } = rowSection({ name: 'prices', version: 2, member: 'prices' }, [
  { name: 'token', kind: 'id', column: 'id' },
  { name: 'pool', kind: 'idOrNull', column: 'idOrNull' },
  { name: 'quote', kind: 'idOrNull', column: 'idOrNull' },
  { name: 'spot', kind: 'amountOrNull', column: 'priceE36' },
  { name: 'level', kind: 'byte', column: 'uint8' },
  { name: 'backing', kind: 'textOrNull', column: 'textOrNull' },
]);

/** What backs the price of a token after each block that changed it. A row without a spot ends the price; it is no outcome. */
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
