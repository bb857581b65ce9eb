import type { ChainIdentity } from './chain-spec.js';

/** Names and ids of the chains that every door recognises, in the order in which errors and lists name them. */
export const knownChains: readonly ChainIdentity[] = [
  {
    ...{ slug: 'sol', aliases: ['solana'], formerIds: [1399811149] },
    ...{ networkId: 101, chainId: null, family: 'solana', name: 'Solana' },
  },
  { slug: 'eth', aliases: ['ethereum'], networkId: 1, chainId: 1, family: 'evm', name: 'Ethereum' },
  { slug: 'bsc', aliases: ['bnb'], networkId: 56, chainId: 56, family: 'evm', name: 'BNB Smart Chain' },
  { slug: 'base', aliases: [], networkId: 8453, chainId: 8453, family: 'evm', name: 'Base' },
  { slug: 'chaind', aliases: [], networkId: 4663, chainId: 4663, family: 'evm', name: 'Chain D' },
];
