import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { isBurnWallet } from '#libs/pipeline/projections/token-amounts.js';
import type { PoolKind } from '#libs/protocol/blocks.js';
import type { HolderKind } from '#libs/serve/contract/rest/holder-body.js';
import type { ChainView } from './chain-view.js';

/**
 * What each holder is, by the first rule that holds: a burn address; a pool or a launchpad's curve that is indexed, or the contract
 * that holds all pools of a venue; a wallet that an exchange is known to use; a contract or program of a venue or launchpad,
 * or an address for which there can be no key; else a wallet.
 */
export async function readHolderKinds(view: ChainView, holders: readonly Hex[]): Promise<Map<Hex, HolderKind>> {
  const pools = await readPoolKinds(view, holders);
  const { chain } = view;
  return new Map(holders.map((holder) => [holder, kindOf(chain, holder, pools.get(holder))]));
}

function kindOf(chain: ChainSpec, holder: Hex, pool: PoolKind | undefined): HolderKind {
  if (isBurnWallet(holder)) return 'burn';
  if (pool !== undefined) return pool === 'curve' ? 'curve' : 'pool';
  if (chain.venues.some(({ factory }) => factory === holder)) return 'pool';
  if (chain.exchanges?.some(({ wallets }) => wallets.includes(holder))) return 'exchange';
  const ofVenue = chain.venues.some(({ addresses }) => Object.values(addresses).includes(holder));
  return ofVenue || !chain.ids.mayHaveKey(holder) ? 'program' : 'wallet';
}

async function readPoolKinds(view: ChainView, ids: readonly Hex[]): Promise<Map<Hex, PoolKind>> {
  const kinds = new Map<Hex, PoolKind>();
  if (ids.length === 0) return kinds;
  for (const { pool, kind } of await view.reads.poolRecords(view.tables, ids)) kinds.set(pool, kind);
  const wanted = new Set(ids);
  for (const { facts } of view.groups) {
    if (facts.kind !== 'block') continue;
    for (const { pool, kind } of facts.pools) if (wanted.has(pool)) kinds.set(pool, kind);
  }
  return kinds;
}
