import type { ChainFamily } from '#libs/chain/chains/chain-manifest.js';
import type { CostClass } from '#libs/protocol/accounts/prices.js';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Methods of DAS that read many assets or trades. */
const OF_DAS = words(`
  getAssetBatch getAssets getAssetsByOwner getAssetsByCreator getAssetsByAuthority getAssetsByGroup searchAssets
  getAssetSignatures getSignaturesForAsset`);

/** Methods whose answer grows with what is in a block, an account or a range of blocks, or that run transactions in a row. */
const OF_NODES: Readonly<Record<ChainFamily, readonly string[]>> = {
  evm: words('eth_createAccessList eth_getBlockReceipts eth_getLogs eth_getProof eth_simulateV1'),
  solana: words(`
    getBlock getBlockProduction getBlocks getBlocksWithLimit getClusterNodes getInflationReward getLargestAccounts
    getLeaderSchedule getMultipleAccounts getProgramAccounts getSignaturesForAddress getTokenAccountsByDelegate
    getTokenAccountsByOwner getTokenLargestAccounts getVoteAccounts`),
};

/** By family, the methods that cost what a list does. Every other call costs what a read does, sending and refused ones included. */
export const listMethods: Readonly<Record<ChainFamily, ReadonlySet<string>>> = {
  evm: new Set([...OF_DAS, ...OF_NODES.evm]),
  solana: new Set([...OF_DAS, ...OF_NODES.solana]),
};

/** What one call of a request costs. */
export const costOf = (family: ChainFamily, method: string): CostClass =>
  listMethods[family].has(method) ? 'list' : 'read';
