import { POOL_KINDS, readPools, writePools } from '#libs/protocol/codec/registry-records.js';
import type { Projection } from '../projection.js';
import { removedIds } from '../removed-ids.js';
import type { SectionSpec } from '../section.js';

const section: SectionSpec = {
  name: 'pools',
  version: 1,
  groups: ['block'],
  member: 'pools',
  layout: 'rows',
  fields: [
    { name: 'pool', kind: 'id' },
    { name: 'venue', kind: 'label' },
    { name: 'kind', kind: 'code', values: POOL_KINDS },
    { name: 'token0', kind: 'id' },
    { name: 'token1', kind: 'id' },
    { name: 'feePpm', kind: 'unsigned' },
    { name: 'tickSpacing', kind: 'unsigned' },
    { name: 'created', kind: 'flag' },
  ],
  write: writePools,
  read: readPools,
};

const removed = removedIds('removed-pools', 'removedPools');

/** Pools as they became known; in the copy twice, once for each of their tokens. */
export const pools: Projection = {
  name: 'pools',
  sections: [section, removed],
  journals: [
    {
      name: 'pools',
      writtenFrom: section,
      columns: [
        { name: 'pool', type: 'id', from: 'pool' },
        { name: 'venue', type: 'word', from: 'venue' },
        { name: 'kind', type: 'word', from: 'kind' },
        { name: 'token0', type: 'id', from: 'token0' },
        { name: 'token1', type: 'id', from: 'token1' },
        { name: 'fee_ppm', type: 'uint32', from: 'feePpm' },
        { name: 'tick_spacing', type: 'int32', from: 'tickSpacing' },
        { name: 'created', type: 'bool', from: 'created' },
      ],
      orderBy: ['pool', 'seq'],
      copies: [
        {
          name: 'pools_by_token',
          added: [{ name: 'token', type: 'id' }],
          orderBy: ['token', 'pool', 'seq'],
          rows: 2,
        },
      ],
    },
  ],
};
