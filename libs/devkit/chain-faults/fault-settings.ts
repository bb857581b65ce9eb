/**
 * Everything a fault RPC can do wrong. All of it is off by default and may be changed while the server runs.
 * A rate is a probability between 0 and 1; it is drawn from a generator seeded with `seed`.
 */
export interface FaultSettings {
  seed: number;
  /** Only requests of these methods meet the transport faults below; null: all. */
  methods: string[] | null;

  // Transport, drawn once for each HTTP request or WebSocket message.
  /** HTTP 429 with Retry-After (on a WebSocket: -32005). */
  rateLimitRate: number;
  /** 200 with JSON-RPC error -32005. */
  rpcRateLimitRate: number;
  retryAfterSeconds: number;
  /** The connection is cut in the middle of the answer. */
  cutRate: number;
  /** No answer ever comes. */
  dropRate: number;
  /** The answer ends in the middle of its JSON, with a proper HTTP end. */
  truncateRate: number;
  /** JSON-RPC error -32000 "internal error". */
  errorRate: number;
  delayRate: number;
  delayMs: number;
  /** A batch answer or a WebSocket message appears twice. */
  duplicateRate: number;
  /** A WebSocket notification is swallowed. */
  dropNotificationRate: number;

  // Staleness.
  /** The node's head is this many blocks behind. */
  lagBlocks: number;
  /** With this probability one answer comes from a node that is `headDownBlocks` further behind. */
  headDownRate: number;
  headDownBlocks: number;
  /** A block that exists is answered with null. */
  nullBlockRate: number;

  // Tampering, drawn per block.
  /** Every method tampers with the same block in the same way, every time. */
  consistentTampering: boolean;
  /** One log is missing. */
  dropLogRate: number;
  /** All logs are missing. */
  emptyLogsRate: number;
  /** One log's data is changed. */
  alterLogRate: number;
  /** One log appears twice. */
  duplicateLogRate: number;
  /** Type that every block's first receipt names instead of its own; null: none. */
  receiptType: string | null;
  /** The header's bloom is changed, its hash is not. */
  wrongBloomRate: number;

  // Reorgs and limits.
  /** A logs subscription gets `removed: true` for logs of dropped blocks. */
  removedOnReorg: boolean;
  finalityDepth: number;
  safeDepth: number;
  /** Blocks back from the head for which eth_call has state; null: all. */
  stateDepth: number | null;
  /** Blocks below it are not served any more, but for the first; null: all are. */
  oldestBlock: number | null;
  /** Most blocks in an eth_getLogs range; null: no limit. */
  maxLogRange: number | null;
  /** Most logs in an eth_getLogs answer; null: no limit. */
  maxLogResults: number | null;
  /** Whose words a refused eth_getLogs range uses. */
  limitErrors: 'infura' | 'alchemy' | 'quicknode' | 'plain';
  /** Methods the node does not know (-32601). */
  missingMethods: string[];
}

export const NO_FAULTS: Readonly<FaultSettings> = {
  seed: 1,
  methods: null,
  rateLimitRate: 0,
  rpcRateLimitRate: 0,
  retryAfterSeconds: 1,
  cutRate: 0,
  dropRate: 0,
  truncateRate: 0,
  errorRate: 0,
  delayRate: 0,
  delayMs: 0,
  duplicateRate: 0,
  dropNotificationRate: 0,
  lagBlocks: 0,
  headDownRate: 0,
  headDownBlocks: 3,
  nullBlockRate: 0,
  consistentTampering: false,
  receiptType: null,
  dropLogRate: 0,
  emptyLogsRate: 0,
  alterLogRate: 0,
  duplicateLogRate: 0,
  wrongBloomRate: 0,
  removedOnReorg: true,
  finalityDepth: 64,
  safeDepth: 32,
  stateDepth: null,
  oldestBlock: null,
  maxLogRange: null,
  maxLogResults: null,
  limitErrors: 'infura',
  missingMethods: [],
};
