import type { ChainFamily } from '#libs/chain/chains/chain-manifest.js';
import { methodNotFound, type RpcFault, shown } from './rpc-fault.js';

/** Questions, and the sending of what the caller signed. */
export type Treatment = 'read' | 'send';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The methods that are passed on. What is not listed is not served: a node may have methods that change it or tell of it. */
const served: Readonly<Record<ChainFamily, ReadonlyMap<string, Treatment>>> = {
  evm: methods({
    read: words(`
      eth_blobBaseFee eth_blockNumber eth_call eth_chainId eth_createAccessList eth_estimateGas eth_feeHistory eth_gasPrice
      eth_getBalance eth_getBlockByHash eth_getBlockByNumber eth_getBlockReceipts eth_getBlockTransactionCountByHash
      eth_getBlockTransactionCountByNumber eth_getCode eth_getLogs eth_getProof eth_getStorageAt
      eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex eth_getTransactionByHash
      eth_getTransactionCount eth_getTransactionReceipt eth_getUncleByBlockHashAndIndex
      eth_getUncleByBlockNumberAndIndex eth_getUncleCountByBlockHash eth_getUncleCountByBlockNumber
      eth_maxPriorityFeePerGas eth_protocolVersion eth_simulateV1 eth_syncing net_listening net_version web3_clientVersion
      web3_sha3`),
    send: words('eth_sendRawTransaction'),
  }),
  solana: methods({
    read: words(`
      getAccountInfo getBalance getBlock getBlockCommitment getBlockHeight getBlockProduction getBlockTime getBlocks
      getBlocksWithLimit getClusterNodes getEpochInfo getEpochSchedule getFeeForMessage getFirstAvailableBlock
      getGenesisHash getHealth getHighestSnapshotSlot getInflationGovernor getInflationRate getInflationReward
      getLargestAccounts getLatestBlockhash getLeaderSchedule getMaxRetransmitSlot getMaxShredInsertSlot
      getMinimumBalanceForRentExemption getMultipleAccounts getProgramAccounts getRecentPerformanceSamples
      getRecentPrioritizationFees getSignatureStatuses getSignaturesForAddress getSlot getSlotLeader getSlotLeaders
      getStakeMinimumDelegation getSupply getTokenAccountBalance getTokenAccountsByDelegate getTokenAccountsByOwner
      getTokenLargestAccounts getTokenSupply getTransaction getTransactionCount getVersion getVoteAccounts
      isBlockhashValid minimumLedgerSlot simulateTransaction`),
    send: words('sendTransaction'),
  }),
};

function methods(lists: Record<Treatment, readonly string[]>): ReadonlyMap<string, Treatment> {
  const pairs = Object.entries(lists) as [Treatment, readonly string[]][];
  return new Map(pairs.flatMap(([treatment, names]) => names.map((name) => [name, treatment] as const)));
}

/** Why a method is not served, where there is more to say than that. */
const reasons: readonly { readonly pattern: RegExp; readonly say: string }[] = [
  {
    pattern: /(subscribe|subscription)$/i,
    say: 'the gateway has no WebSocket; the live interface sends prices, trades and wallets as they change',
  },
  {
    pattern: /^eth_(newFilter|newBlockFilter|newPendingTransactionFilter|getFilter\w*|uninstallFilter)$/,
    say: 'a filter is kept by one node, and the gateway asks several; ask eth_getLogs',
  },
  {
    pattern: /^(eth_(sign\w*|sendTransaction|accounts|coinbase)|personal_\w+|wallet_\w+)$/,
    say: 'the gateway holds no keys; sign the transaction yourself and send it with eth_sendRawTransaction',
  },
  {
    pattern: /^(anvil|hardhat|evm|debug|admin|miner|engine|txpool|clique|les|dev|devnet|trace|ots|erigon)_/,
    say: 'methods that control or inspect a node are not passed on',
  },
  { pattern: /^getAssetProof/, say: 'compressed assets are not indexed' },
  { pattern: /^requestAirdrop$/, say: 'methods that control or inspect a node are not passed on' },
];

/** How a method is treated on chains of a family, or the refusal that its caller gets. */
export function treatmentOf(family: ChainFamily, method: string): Treatment | RpcFault {
  const treatment = served[family].get(method);
  if (treatment !== undefined) return treatment;
  const reason = reasons.find(({ pattern }) => pattern.test(method))?.say;
  // The words of nodes: clients tell by them that they have to do without, as ethers does without filters.
  const words = `the method ${shown(method)} does not exist/is not available`;
  return methodNotFound(reason === undefined ? words : `${words}: ${reason}`);
}
