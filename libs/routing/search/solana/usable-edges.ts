import type { SolanaLink } from './search-direction.js';
import type { SolanaPoolEdge } from './solana-edge.js';

/** The pools of a link that one search may use, in the order of the link. */
export type UsableEdges = (link: SolanaLink) => readonly SolanaPoolEdge[];

/** Invariant: each link is looked through once; nothing else reads whether a pool may be used while the search lasts. */
export function usableEdges(allows: (edge: SolanaPoolEdge) => boolean): UsableEdges {
  const known = new Map<SolanaLink, readonly SolanaPoolEdge[]>();
  return (link) => {
    let edges = known.get(link);
    if (edges === undefined) {
      edges = link.edges.filter((edge) => allows(edge) && edge.usable());
      known.set(link, edges);
    }
    return edges;
  };
}
