import { evmCurves, evmLaunchpads } from '#libs/chain/launchpads/evm-registry.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';
import type { ReferenceSet } from '#libs/protocol/blocks.js';

/** Of each family's own decoding; the EVM venues of a chain add their revisions. */
const EVM_DECODER_VERSION = 2;
const SOLANA_DECODER_VERSION = 2;

/** What this program decodes and prices a chain by: the part of an epoch's first group that does not come from a node. */
export type OwnReference = Pick<ReferenceSet, 'decoderVersion' | 'coin' | 'stables' | 'rules'>;

export function ownReference(chain: ChainSpec): OwnReference {
  const { wrappedNative, nativeCurrency, stables, priceRules } = chain;
  const coin = { token: wrappedNative.token, symbol: nativeCurrency.symbol, decimals: wrappedNative.decimals };
  return {
    decoderVersion: decoderVersion(chain),
    ...{ coin, stables: stables.map((stable) => stable.token), rules: priceRules },
  };
}

/** Version of the decoders: a change asks for a new epoch. It moves when a venue or launchpad is added or decodes otherwise. */
export function decoderVersion({ family, venues, launchpads }: ChainSpec): number {
  if (family === 'solana') return SOLANA_DECODER_VERSION;
  const ofVenues = venues.map(({ venue }) => (evmVenues.get(venue) ?? evmCurves.get(venue))?.revision ?? 0);
  const ofSteps = launchpads.map((name) => evmLaunchpads.get(name)?.steps?.revision ?? 0);
  return [...ofVenues, ...ofSteps].reduce((sum, revision) => sum + revision, EVM_DECODER_VERSION);
}
