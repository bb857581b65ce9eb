import type { Projection } from '../projection.js';
import { rowSection } from '../row-section.js';
import { contentOf } from '../table.js';

const { section, columns } = rowSection({ name: 'references', version: 1, member: 'references' }, [
  { name: 'token', kind: 'id', column: 'id' },
  { name: 'usd', kind: 'amountOrNull', column: 'priceE36' },
]);

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
