/** JSON-RPC answers as nodes send them: 0x-prefixed hex throughout. Only the fields that are read here. */
export interface RpcLog {
  address: string;
  topics: string[];
  data: string;
  blockNumber: string;
  blockHash: string;
  transactionHash: string;
  transactionIndex: string;
  logIndex: string;
  removed?: boolean;
}

export interface RpcTransaction {
  hash: string;
  from: string;
  transactionIndex?: string;
}

export interface RpcBlock {
  number: string;
  hash: string;
  parentHash: string;
  timestamp: string;
  logsBloom: string;
  receiptsRoot: string;
  transactions: (string | RpcTransaction)[];
}

export interface RpcReceipt {
  transactionHash: string;
  transactionIndex: string;
  blockHash: string;
  blockNumber: string;
  from: string;
  type?: string;
  status?: string;
  root?: string;
  cumulativeGasUsed: string;
  /** Deposits of the OP stack: the nonce since Regolith, the version since Canyon. */
  depositNonce?: string;
  depositReceiptVersion?: string;
  logsBloom: string;
  logs: RpcLog[];
}
