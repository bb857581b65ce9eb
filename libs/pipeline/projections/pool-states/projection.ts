import { POOL_TRUST_NAMES } from '#libs/protocol/codec/pool-trust.js';
import type { Projection } from '../projection.js';
import type { SectionSpec } from '../section.js';
import { columnsNamed, contentOf, type JournalColumn } from '../table.js';
import { readPoolStates, writePoolStates } from './codec.js';

const section: SectionSpec = {
  name: 'pool-states',
  version: 1,
  groups: ['block', 'retract'],
  member: 'poolStates',
  layout: 'rows',
  fields: [
    { name: 'pool', kind: 'id' },
    { name: 'reserve0', kind: 'amount' },
    { name: 'reserve1', kind: 'amount' },
    { name: 'standing', kind: 'code', values: POOL_TRUST_NAMES },
    {
      name: 'concentrated',
      kind: 'optional',
      fields: [
        { name: 'sqrtPriceX96', kind: 'amount' },
        { name: 'tick', kind: 'integer' },
        { name: 'liquidity', kind: 'amount' },
        { name: 'ticksComplete', kind: 'flag' },
        { name: 'ticks', kind: 'ticks' },
      ],
    },
  ],
  write: writePoolStates,
  read: readPoolStates,
};

const columns: JournalColumn[] = [
  { name: 'pool', type: 'id', from: 'pool' },
  { name: 'reserve0', type: 'int256', from: 'reserve0' },
  { name: 'reserve1', type: 'int256', from: 'reserve1' },
  { name: 'concentrated', type: 'bool', from: 'concentrated' },
  { name: 'sqrt_price_x96', type: 'uint256', from: 'concentrated.sqrtPriceX96' },
  { name: 'tick', type: 'int32', from: 'concentrated.tick' },
  { name: 'liquidity', type: 'uint256', from: 'concentrated.liquidity' },
  { name: 'ticks', type: 'ticks', from: 'concentrated.ticks' },
  { name: 'ticks_complete', type: 'bool', from: 'concentrated.ticksComplete' },
  { name: 'anchored', type: 'bool', from: 'standing' },
  { name: 'set_apart', type: 'word', from: 'standing' },
];

const keyed = contentOf(
  columnsNamed(columns, [
    ...['reserve0', 'reserve1', 'concentrated', 'sqrt_price_x96', 'tick', 'liquidity', 'anchored', 'set_apart'],
  ]),
);

/** The state of a pool after each block that changed it, with the ticks that changed. */
export const poolStates: Projection = {
  name: 'pool-states',
  sections: [section],
  journals: [
    {
      name: 'pool_states',
      writtenFrom: section,
      columns,
      orderBy: ['pool', 'seq'],
      outcome: (database, condition) => ({
        pool_states: `
          SELECT (hex(pool), argMax((${keyed}), seq)) AS content FROM ${database}.pool_states
          WHERE ${condition} AND ${knownPool(database, condition)} GROUP BY pool`,
        pool_ticks: poolTicks(database, condition),
      }),
    },
  ],
};

/** A retraction takes a pool's rows with it when the pool is unknown again; the state it may leave is no outcome. */
function knownPool(database: string, condition: string): string {
  return `pool IN (SELECT pool FROM ${database}.pools WHERE ${condition})`;
}

/** The ticks of every pool, replayed from the last complete list on; a tick with no gross liquidity is gone. */
function poolTicks(database: string, condition: string): string {
  return `
    SELECT (hex(pool), index, argMax((gross, net), seq)) AS content
    FROM (
      SELECT pool, seq, entry.1 AS index, entry.2 AS gross, entry.3 AS net
      FROM ${database}.pool_states ARRAY JOIN ticks AS entry
      WHERE ${condition} AND ${knownPool(database, condition)}
    ) AS changes
    LEFT JOIN (
      SELECT pool, max(seq) AS complete_seq FROM ${database}.pool_states WHERE ticks_complete AND ${condition} GROUP BY pool
    ) AS complete USING (pool)
    WHERE seq >= complete_seq
    GROUP BY pool, index
    HAVING argMax(gross, seq) > 0`;
}
