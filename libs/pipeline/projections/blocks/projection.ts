import type { Projection } from '../projection.js';

/** The chain itself: every block, and every retraction. Both are written from the head of a group. */
export const blocks: Projection = {
  name: 'blocks',
  journals: [
    {
      name: 'blocks',
      writtenFrom: 'block',
      columns: [
        { name: 'hash', type: 'id', from: 'hash' },
        { name: 'parent', type: 'id', from: 'parentHash' },
      ],
      orderBy: ['block', 'seq'],
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
