import type { PoolKind } from '#libs/protocol/blocks.js';
import type { LivePool } from '#libs/routing/pools/live-pool.js';
import { ConcentratedEdge } from './concentrated-edge.js';
import { ConstantProductEdge } from './constant-product-edge.js';
import type { PoolEdge } from './pool-edge.js';
import type { EdgeFactory } from './venue-graph.js';

/** What a hop over a kind of pools costs, compared with other kinds: a rank, not an amount. */
interface EdgeKind {
  readonly gasRank: number;
  edge(pool: LivePool, zeroForOne: boolean): PoolEdge;
}

/** The kinds of pools that routes lead over; a pool of another kind is in no graph. */
export const edgeKinds: Partial<Record<PoolKind, EdgeKind>> = {
  'constant-product': { gasRank: 0, edge: (pool, zeroForOne) => new ConstantProductEdge(pool, zeroForOne) },
  concentrated: { gasRank: 1, edge: (pool, zeroForOne) => new ConcentratedEdge(pool, zeroForOne) },
};

/** Edges over the contracts' pools, by their kind. */
export const contractEdge: EdgeFactory<PoolEdge> = (pool, zeroForOne) => edgeKinds[pool.kind]!.edge(pool, zeroForOne);
