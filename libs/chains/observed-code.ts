import type { ExpectedCode } from './chain-spec.js';

/**
 * Runtime code that no package carries, as it stands on the real chains. Invariant: an entry exists only where several
 * projects that know nothing of each other pin the same hash for the same address; it is of the whole code, immutables
 * included. A wrong entry can only refuse a venue, never admit another code than the one it names.
 */
function observed(contract: string, chain: string, hash: string): ExpectedCode {
  return { source: `${contract} as it stands on ${chain}`, hash, immutables: [] };
}

export const ethereumWeth = observed(
  'WETH9',
  'Ethereum',
  'd0a06b12ac47863b5c7be4185c2deaad1c61557033f56c7d4ea74429cbb25e23',
);

export const baseWeth = observed(
  'the WETH9 predeploy',
  'Base',
  '8a3a1f6a9f9dce633117adee5b458245835a8645a8c8726a26382a4622508b1c',
);

/** A proxy: its own code stays when what is behind it changes. */
export const chaindWeth = observed(
  'WETH',
  'chain 4663',
  '5706be52f64875fee65a2cec0d80e47a23d8793cbe85d214b48445e2d05f5353',
);

/** Another build of UniswapV2Router02 than the package’s. */
export const chaindV2Router = observed(
  'UniswapV2Router02',
  'chain 4663',
  'bd55ea26b2f8d42a8ff151511cef92a326a9817686899fe96a8a8f81ee7fc55e',
);

export const bscWbnb = observed(
  'WBNB',
  'BNB Smart Chain',
  'b7d84205eaaf83ce7b3940c6beaad6d22790255e34a9a2b486aa8cdfff118fe6',
);

/** PancakeSwap’s sources give this very code when they are compiled with its own settings. */
export const bscQuoterV2 = observed(
  'PancakeSwap’s QuoterV2',
  'BNB Smart Chain',
  '2734833b7d2a656d4797f4a7d959314654749a7424ec473267613ff26424138a',
);
