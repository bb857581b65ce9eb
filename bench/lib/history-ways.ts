import type { HistoryWay } from '#apps/ingest/src/source/evm/history.js';

/** What a node lacks that each way of reading a history is made for: on a node with everything receipts come by the block. */
export const LACKS_OF_WAY: Readonly<Record<HistoryWay, string[]>> = {
  ranges: [],
  receipts: ['eth_getLogs'],
  addresses: [],
  transactions: ['eth_getLogs', 'eth_getBlockReceipts'],
};
