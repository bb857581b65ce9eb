/** JSON-RPC shapes of EVM nodes, as far as the local chains serve them. All values are 0x-prefixed lower-case hex. */
export type Data = string;

export interface RpcLog {
  address: Data;
  topics: Data[];
  data: Data;
  blockHash: Data;
  blockNumber: Data;
  blockTimestamp: Data;
  transactionHash: Data;
  transactionIndex: Data;
  logIndex: Data;
  removed: boolean;
}

export interface RpcTransaction {
  type: Data;
  chainId: Data;
  nonce: Data;
  gas: Data;
  maxFeePerGas: Data;
  maxPriorityFeePerGas: Data;
  to: Data | null;
  value: Data;
  accessList: { address: Data; storageKeys: Data[] }[];
  input: Data;
  r: Data;
  s: Data;
  yParity: Data;
  v: Data;
  hash: Data;
  blockHash: Data;
  blockNumber: Data;
  transactionIndex: Data;
  from: Data;
  gasPrice: Data;
}

export interface RpcReceipt {
  type: Data;
  status: Data;
  cumulativeGasUsed: Data;
  depositNonce?: Data;
  depositReceiptVersion?: Data;
  logs: RpcLog[];
  logsBloom: Data;
  transactionHash: Data;
  transactionIndex: Data;
  blockHash: Data;
  blockNumber: Data;
  gasUsed: Data;
  effectiveGasPrice: Data;
  from: Data;
  to: Data | null;
  contractAddress: Data | null;
}

export interface RpcHeader {
  hash: Data;
  parentHash: Data;
  sha3Uncles: Data;
  miner: Data;
  stateRoot: Data;
  transactionsRoot: Data;
  receiptsRoot: Data;
  logsBloom: Data;
  difficulty: Data;
  number: Data;
  gasLimit: Data;
  gasUsed: Data;
  timestamp: Data;
  extraData: Data;
  mixHash: Data;
  nonce: Data;
  baseFeePerGas: Data;
  withdrawalsRoot: Data;
  blobGasUsed: Data;
  excessBlobGas: Data;
  parentBeaconBlockRoot: Data;
  requestsHash?: Data;
}

export function quantityText(value: number | bigint): Data {
  return `0x${value.toString(16)}`;
}
