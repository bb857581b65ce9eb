import type { TransactionError } from './svm-errors.js';

/** JSON-RPC errors with the codes and sentences of real nodes. */
export class SolanaRpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export const invalidParams = (why: string): SolanaRpcError =>
  new SolanaRpcError(-32602, why.startsWith('Invalid') ? why : `Invalid params: ${why}`);

export const methodNotFound = (): SolanaRpcError => new SolanaRpcError(-32601, 'Method not found');

export const blockCleanedUp = (slot: number, first: number): SolanaRpcError =>
  new SolanaRpcError(-32001, `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`);

export const preflightFailed = (sentence: string, data: object): SolanaRpcError =>
  new SolanaRpcError(-32002, `Transaction simulation failed: ${sentence}`, data);

export const signatureFailed = (): SolanaRpcError =>
  new SolanaRpcError(-32003, 'Transaction signature verification failure');

export const blockNotAvailable = (slot: number): SolanaRpcError =>
  new SolanaRpcError(-32004, `Block not available for slot ${slot}`);

/** `code` -32007: a node that looks in its own ledger; -32009: one that asks a long-term store. */
export const slotSkipped = (slot: number, code: -32007 | -32009): SolanaRpcError =>
  new SolanaRpcError(
    code,
    code === -32007
      ? `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`
      : `Slot ${slot} was skipped, or missing in long-term storage`,
  );

export const versionUnsupported = (version: number): SolanaRpcError =>
  new SolanaRpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with ` +
      `the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );

export const minContextSlot = (slot: number): SolanaRpcError =>
  new SolanaRpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: slot });

export function statusOf(err: TransactionError | null): object {
  return err === null ? { Ok: null } : { Err: err };
}
