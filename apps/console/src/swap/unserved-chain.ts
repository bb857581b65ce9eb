import type { ChainBody } from '#libs/serve/contract/rest/chain-body.js';
import { isNamed } from '../state/chain-name.js';
import type { SwapPair } from '../state/route.js';

/** The chain that a pair names, or without a pair the only kind of chain there is, when the router does not serve it. */
export function unservedChain(rows: readonly ChainBody[], pair: SwapPair | null): ChainBody | null {
  if (pair !== null) return rows.find((row) => isNamed(row, pair.chain) && row.family !== 'evm') ?? null;
  const served = rows.filter(({ head }) => head !== null);
  return served.every(({ family }) => family !== 'evm') ? (served[0] ?? null) : null;
}
