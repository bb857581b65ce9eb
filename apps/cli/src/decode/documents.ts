import type { LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import { MalformedTransactionError } from '#libs/chain/chains/solana/malformed.js';
import { isSolanaTransaction, readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { TidepoolError } from '#libs/core/errors.js';

/**
 * Finds the transactions inside whatever a node or a tool may have written: a receipt, a `{tx, receipt}` pair,
 * a block with receipts, a `getTransaction` answer, a JSON-RPC envelope, or an array of these. Anything else is an
 * error that names the place; nothing is guessed.
 */
export class NotATransactionError extends TidepoolError {
  constructor(path: string, reason: string) {
    super('not_a_transaction', `${path === '' ? 'document' : path}: ${reason}`);
  }
}

export interface ReceiptLog extends LogInput {
  logIndex: number;
}

/** What decodes: the logs of an EVM receipt or a whole Solana transaction. */
export type Found = { family: 'evm'; logs: ReceiptLog[] } | { family: 'solana'; transaction: SolanaTransaction };

type Json = Record<string, unknown>;

const MAX_DEPTH = 12;
const EXPECTED =
  'expected a receipt, {tx, receipt}, a block with receipts, a getTransaction answer or an array of these';

export function findTransactions(document: unknown): Found[] {
  const found: Found[] = [];
  visit(document, '', 0, found);
  return found;
}

function visit(value: unknown, path: string, depth: number, found: Found[]): void {
  if (depth > MAX_DEPTH) throw new NotATransactionError(path, `nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      visit(item, `${path}[${index}]`, depth + 1, found);
    });
    return;
  }
  if (!isObject(value)) throw new NotATransactionError(path, `${describe(value)}; ${EXPECTED}`);
  if (isEnvelope(value)) {
    visitEnvelope(value, path, depth, found);
  } else if (isObject(value.receipt)) {
    visit(value.receipt, member(path, 'receipt'), depth + 1, found);
  } else if (Array.isArray(value.receipts)) {
    visit(value.receipts, member(path, 'receipts'), depth + 1, found);
  } else if (Array.isArray(value.logs)) {
    found.push({
      family: 'evm',
      logs: value.logs.map((log, index) => readLog(log, `${member(path, 'logs')}[${index}]`)),
    });
  } else if (isSolanaTransaction(value)) {
    found.push({ family: 'solana', transaction: readSolana(value, path) });
  } else if (Array.isArray(value.transactions)) {
    visitBlock(value.transactions, path, depth, found);
  } else if (!isBareTransaction(value)) {
    throw new NotATransactionError(path, `not a transaction: ${EXPECTED}`);
  }
}

function readSolana(value: Json, path: string): SolanaTransaction {
  try {
    return readSolanaTransaction(value);
  } catch (error) {
    if (error instanceof MalformedTransactionError) throw new NotATransactionError(path, error.message);
    throw error;
  }
}

function visitEnvelope(envelope: Json, path: string, depth: number, found: Found[]): void {
  if (envelope.error !== undefined && envelope.error !== null) {
    const message = isObject(envelope.error) ? String(envelope.error.message ?? 'unknown') : String(envelope.error);
    throw new NotATransactionError(path, `the JSON-RPC answer is an error: ${message.slice(0, 200)}`);
  }
  if (envelope.result === undefined || envelope.result === null) {
    throw new NotATransactionError(path, 'the JSON-RPC answer is empty: the node does not know that transaction');
  }
  visit(envelope.result, member(path, 'result'), depth + 1, found);
}

/** A block carries receipts next to its transactions (handled before) or inside them; hashes alone decide nothing. */
function visitBlock(transactions: unknown[], path: string, depth: number, found: Found[]): void {
  transactions.forEach((transaction, index) => {
    const at = `${member(path, 'transactions')}[${index}]`;
    const withReceipt = isObject(transaction) && (isObject(transaction.receipt) || Array.isArray(transaction.logs));
    if (withReceipt || (isObject(transaction) && isSolanaTransaction(transaction))) {
      visit(transaction, at, depth + 1, found);
    } else {
      throw new NotATransactionError(at, 'a block without receipts: add them as "receipts" (eth_getBlockReceipts)');
    }
  });
}

function readLog(value: unknown, path: string): ReceiptLog {
  if (!isObject(value)) throw new NotATransactionError(path, `${describe(value)} where a log is expected`);
  const { address, topics } = value;
  const data = HexText.read(value.data);
  if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address)) {
    throw new NotATransactionError(member(path, 'address'), 'not an address');
  }
  if (!Array.isArray(topics) || topics.length > 4 || !topics.every(isTopic)) {
    throw new NotATransactionError(member(path, 'topics'), 'not a list of at most four 32-byte topics');
  }
  if (data === null || data.digits % 2 !== 0) {
    throw new NotATransactionError(member(path, 'data'), 'not a 0x-prefixed byte string');
  }
  return {
    address: address.toLowerCase(),
    topics: topics.map((topic: string) => topic.toLowerCase()),
    data,
    logIndex: readIndex(value.logIndex, member(path, 'logIndex')),
  };
}

function readIndex(value: unknown, path: string): number {
  const numeric = typeof value === 'string' && /^(0x[0-9a-fA-F]{1,12}|\d{1,15})$/.test(value) ? Number(value) : value;
  if (typeof numeric !== 'number' || !Number.isSafeInteger(numeric) || numeric < 0) {
    throw new NotATransactionError(path, 'not a log index');
  }
  return numeric;
}

const isTopic = (topic: unknown): topic is string => typeof topic === 'string' && /^0x[0-9a-fA-F]{64}$/.test(topic);

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEnvelope(value: Json): boolean {
  return 'result' in value || ('error' in value && ('jsonrpc' in value || 'id' in value));
}

/** eth_getTransactionByHash: a transaction, but without its logs nothing can be decoded from it. */
function isBareTransaction(value: Json): boolean {
  return isTopic(value.hash) && typeof value.from === 'string' && typeof value.input === 'string';
}

function describe(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

const member = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
