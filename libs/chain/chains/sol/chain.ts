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
  exchanges: [
    {
      name: 'Binance',
      wallets: [id('5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9'), id('9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM')],
      sources: ['https://solscan.io/labels'],
    },
    {
      name: 'Coinbase',
      wallets: [
        id('H8sMJSCQxfKiFTCfDR3DUMLPwcRbM61LGFJ8N4dK3WjS'),
        id('2AQdpHJ2JpcEgPiATUXjQxA8QmafFegfQwSLWSprPicm'),
        id('GJRs4FwHtemZ5ZE9x3FNvJ8TMwitKTh21yxdRPqn7npE'),
      ],
      sources: ['https://solscan.io/labels'],
    },
    {
      name: 'Kraken',
      wallets: [id('FWznbcNXWQuHTawe9RxvQ2LdCENssh12dsznf4RiouN5')],
      sources: ['https://solscan.io/labels'],
    },
    {
      name: 'Bybit',
      wallets: [id('AC5RDfQFmDS1deWZos921JfqscXdByf8BKHs5ACWjtW2')],
      sources: ['https://solscan.io/labels'],
    },
  ],
};
