import { UndecodableError } from '#libs/core/errors.js';
import { type Hex, isHex } from '#libs/core/ids.js';

/**
 * Values of the topic `quote-receipts`, keyed by `id`: what one build promised and, once the swap was seen on chain, what
 * it gave. The state is a function of the surviving chain and of the receipts alone, so that every router that follows
 * the facts finds the same; of two values of one receipt the one of the later `asOf` counts. No key: dropped.
 */
export interface QuoteReceipt {
  /** Of the build: a quote may be built more than once. */
  id: string;
  quoteId: string;
  /** Whose key built it; null: the router asked for no keys. */
  account: string | null;
  chain: string;
  wallet: Hex;
  /** Who gets the output. */
  recipient: Hex;
  /** As quoted: the native coin is eee…e. */
  inputMint: Hex;
  outputMint: Hex;
  /** Base units, as all amounts. */
  inAmount: bigint;
  /** Promised by the quote, at its block, before any tax the token takes itself. */
  quotedOut: bigint;
  /** Received in the build's simulation. */
  simulatedOut: bigint;
  /** What the transaction enforces on chain. */
  floor: bigint;
  slippageBps: number;
  venueId: string;
  /** Label of the venue, the `dex` of answers. */
  dex: string;
  /** Pools in order, at least one. */
  hops: Hex[];
  quoteBlock: ReceiptBlock;
  /** Block of the simulation. */
  buildBlock: ReceiptBlock;
  /** Unix ms, the router's clock. */
  builtAt: number;
  /** Unix ms. After it the chain refuses the swap. */
  deadline: number;
  /** Position in the facts at the build: the swap can only be in a later group. */
  builtAfter: FactsPosition;
  /** Position in the facts that this value was stated at. */
  asOf: FactsPosition;
  state: ReceiptState;
  /** Group that decided the state; null while built. */
  decidedAt: DecidedAt | null;
  /** The deciding block is sealed. */
  final: boolean;
  /** The swap as the chain has it; null unless executed. */
  executed: Execution | null;
}

export type ReceiptState = 'built' | 'executed' | 'expired';

export interface ReceiptBlock {
  number: number;
  hash: Hex;
}

export interface FactsPosition {
  epoch: number;
  seq: number;
}

export interface DecidedAt extends FactsPosition {
  height: number;
}

export interface Execution {
  tx: Hex;
  block: number;
  blockHash: Hex;
  /** Unix ms, the block's own. */
  time: number;
  /** What the last pool gave, before a tax that the token takes itself. */
  outAmount: bigint;
}

export function isLater(a: FactsPosition, b: FactsPosition): boolean {
  return a.epoch === b.epoch ? a.seq > b.seq : a.epoch > b.epoch;
}

/**
 * How far an amount is from another, in hundredths of a basis point, rounded towards zero; negative: less was received.
 * Null where nothing was promised.
 */
export function differenceHundredths(actual: bigint, promised: bigint): bigint | null {
  return promised === 0n ? null : ((actual - promised) * 1_000_000n) / promised;
}

export function encodeReceipt(receipt: QuoteReceipt): Uint8Array {
  const text = JSON.stringify({ version: RECEIPT_VERSION, ...receipt }, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return Buffer.from(text, 'utf8');
}

/** Strict: whatever this program would not have written is an UndecodableError. */
export function decodeReceipt(bytes: Uint8Array): QuoteReceipt {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw undecodable((error as Error).message);
  }
  const from = fieldsOf(value, 'the value');
  if (from.version !== RECEIPT_VERSION) throw undecodable(`version ${String(from.version).slice(0, 20)}`);
  const { state } = from;
  if (state !== 'built' && state !== 'executed' && state !== 'expired') throw undecodable('state');
  if (typeof from.final !== 'boolean') throw undecodable('final');
  const receipt: QuoteReceipt = {
    id: textIn(from, 'id'),
    quoteId: textIn(from, 'quoteId'),
    account: accountIn(from),
    chain: textIn(from, 'chain'),
    wallet: hexIn(from, 'wallet', 20),
    recipient: hexIn(from, 'recipient', 20),
    inputMint: hexIn(from, 'inputMint', 20),
    outputMint: hexIn(from, 'outputMint', 20),
    inAmount: amountIn(from, 'inAmount'),
    quotedOut: amountIn(from, 'quotedOut'),
    simulatedOut: amountIn(from, 'simulatedOut'),
    floor: amountIn(from, 'floor'),
    slippageBps: wholeIn(from, 'slippageBps'),
    venueId: textIn(from, 'venueId'),
    dex: textIn(from, 'dex'),
    hops: hopsIn(from),
    quoteBlock: blockIn(from, 'quoteBlock'),
    buildBlock: blockIn(from, 'buildBlock'),
    builtAt: wholeIn(from, 'builtAt'),
    deadline: wholeIn(from, 'deadline'),
    builtAfter: positionIn(from, 'builtAfter'),
    asOf: positionIn(from, 'asOf'),
    state,
    decidedAt: decidedIn(from),
    final: from.final,
    executed: executionIn(from),
  };
  if ((receipt.decidedAt === null) !== (state === 'built')) throw undecodable('decidedAt does not go with the state');
  if ((receipt.executed === null) !== (state !== 'executed')) throw undecodable('executed does not go with the state');
  return receipt;
}

const RECEIPT_VERSION = 1;
const ONLY_ACCOUNT = 'demo';
const MAX_UINT256 = 2n ** 256n - 1n;

type Fields = Record<string, unknown>;

const undecodable = (reason: string) => new UndecodableError('quote receipt', reason);

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw undecodable(`${name} is no object`);
  return value as Fields;
}

function textIn(from: Fields, name: string): string {
  const value = from[name];
  if (typeof value !== 'string' || value === '' || value.length > 200) throw undecodable(name);
  return value;
}

/** Values that were written before accounts were: the demo account was the only one. */
function accountIn(from: Fields): string | null {
  if (from.account === null) return null;
  return from.account === undefined ? ONLY_ACCOUNT : textIn(from, 'account');
}

function hexIn(from: Fields, name: string, bytes: number): Hex {
  const value = from[name];
  if (typeof value !== 'string' || !isHex(value, bytes)) throw undecodable(name);
  return value;
}

function amountIn(from: Fields, name: string): bigint {
  const value = from[name];
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value)) throw undecodable(name);
  const amount = BigInt(value);
  if (amount > MAX_UINT256) throw undecodable(name);
  return amount;
}

function wholeIn(from: Fields, name: string, least = 0): number {
  const value = from[name];
  if (!Number.isSafeInteger(value) || (value as number) < least) throw undecodable(name);
  return value as number;
}

function hopsIn(from: Fields): Hex[] {
  const { hops } = from;
  if (!Array.isArray(hops) || hops.length === 0) throw undecodable('hops');
  for (const pool of hops) if (typeof pool !== 'string' || !isHex(pool, 20)) throw undecodable('hops');
  return hops as Hex[];
}

function blockIn(from: Fields, name: string): ReceiptBlock {
  const block = fieldsOf(from[name], name);
  return { number: wholeIn(block, 'number'), hash: hexIn(block, 'hash', 32) };
}

/** Seq −1 is the position before the first group of an epoch. */
function positionIn(from: Fields, name: string): FactsPosition {
  const position = fieldsOf(from[name], name);
  return { epoch: wholeIn(position, 'epoch'), seq: wholeIn(position, 'seq', -1) };
}

function decidedIn(from: Fields): DecidedAt | null {
  if (from.decidedAt === null) return null;
  return { ...positionIn(from, 'decidedAt'), height: wholeIn(fieldsOf(from.decidedAt, 'decidedAt'), 'height') };
}

function executionIn(from: Fields): Execution | null {
  if (from.executed === null) return null;
  const executed = fieldsOf(from.executed, 'executed');
  return {
    tx: hexIn(executed, 'tx', 32),
    block: wholeIn(executed, 'block'),
    blockHash: hexIn(executed, 'blockHash', 32),
    time: wholeIn(executed, 'time'),
    outAmount: amountIn(executed, 'outAmount'),
  };
}
