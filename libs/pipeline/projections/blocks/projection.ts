import type { Projection } from '../projection.js';
import { contentOf, type JournalColumn, placeColumns } from '../table.js';
import { proofSection } from './proof-section.js';

const identity: readonly JournalColumn[] = [
  { name: 'hash', type: 'id', from: 'hash' },
  { name: 'parent', type: 'id', from: 'parentHash' },
];

/** The chain itself: every block, and every retraction. Both are written from the head of a group. */
export const blocks: Projection = {
  name: 'blocks',
  sections: [proofSection],
  journals: [
    {
      name: 'blocks',
      writtenFrom: 'block',
      // The proof is empty where the source did not say.
      columns: [...identity, { name: 'proof', type: 'word', from: 'proof' }],
      orderBy: ['block', 'seq'],
      // How a block was checked is not part of the chain: two ways to the same blocks may differ in it.
      outcome: (database, condition) => ({
        blocks: `
          SELECT (${contentOf([...placeColumns.filter(({ name }) => name !== 'seq'), ...identity])}) AS content
          FROM ${database}.blocks WHERE ${condition}`,
      }),
    },
    {
      name: 'retractions',
      writtenFrom: 'retract',
      columns: [
        { name: 'hash', type: 'id', from: 'hash' },
        { name: 'from_seq', type: 'uint64', from: 'fromSeq' },
      ],
      orderBy: ['seq'],
      outcome: null,
      outlivesRetraction: true,
    },
  ],
};
