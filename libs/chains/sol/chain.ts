import type { ChainManifest } from '../chain-manifest.js';
import { standardPriceRules } from '../price-rules.js';
import { solanaIds } from '../solana/ids.js';
import { WRAPPED_SOL } from '../solana/programs.js';

const id = (address: string): string => {
  const found = solanaIds.parseAddress(address);
  if (found === null) throw new RangeError(`${address} is no address`);
  return found;
};

/**
 * Solana. A height is a slot; a slot without a block is left out. Blocks are read when a supermajority has voted for them
 * and are final some 32 slots later. Stablecoins are the mints that their issuers publish.
 */
export const sol: ChainManifest = {
  slug: 'sol',
  aliases: ['solana'],
  formerIds: [1399811149],
  networkId: 101,
  chainId: null,
  family: 'solana',
  name: 'Solana',
  nativeCurrency: { name: 'Solana', symbol: 'SOL', decimals: 9 },
  wrappedNative: { token: id(WRAPPED_SOL), symbol: 'WSOL', decimals: 9 },
  stables: [
    { token: id('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v'), symbol: 'USDC', decimals: 6 },
    { token: id('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'), symbol: 'USDT', decimals: 6 },
  ],
  blockTimeMs: 400,
  finality: { source: 'finalized-tag', tailWindowSeconds: 60 },
  priceRules: standardPriceRules,
  ids: solanaIds,
  venues: [],
  launchpads: [],
};
