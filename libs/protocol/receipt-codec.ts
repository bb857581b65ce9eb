import { bigintAsText } from '#libs/core/json-bigint.js';
import {
  amountIn,
  type Fields,
  fieldsOf,
  hexIn,
  listIn,
  oneOfIn,
  textIn,
  undecodable,
  wholeIn,
} from './receipt-fields.js';
import type { DecidedAt, Execution, FactsPosition, QuoteReceipt, ReceiptBlock, ReceiptLeg } from './receipts.js';

/**
 * A receipt as a value of the topic. Version 1 is that of EVM chains, as every program since the first one reads it; version 2
 * adds what only Solana has: legs, an exact output, the platform fee, and longer ids.
 */
const VERSION_OF_EVM = 1;
const VERSION_OF_SOLANA = 2;
const EVM_ADDRESS_DIGITS = 40;
const WHOLE_BPS = 10_000;
const ONLY_ACCOUNT = 'demo';

export function encodeReceipt(receipt: QuoteReceipt): Uint8Array {
  const isEvm = receipt.wallet.length === EVM_ADDRESS_DIGITS;
  const value = isEvm ? onePath(receipt) : { version: VERSION_OF_SOLANA, ...receipt };
  const text = JSON.stringify(value, bigintAsText);
  return Buffer.from(text, 'utf8');
}

/** What version 1 has no name for follows from the rest. */
function onePath(receipt: QuoteReceipt): object {
  const { exact, simulatedIn, threshold, feeBps, legs, lastHeight, executed, ...rest } = receipt;
  const hops = legs.flatMap((leg) => leg.hops.map(({ pool }) => pool));
  if (executed === null) return { version: VERSION_OF_EVM, ...rest, floor: threshold, hops, executed };
  const { inAmount, ...execution } = executed;
  return { version: VERSION_OF_EVM, ...rest, floor: threshold, hops, executed: execution };
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
  const { version } = from;
  if (version !== VERSION_OF_EVM && version !== VERSION_OF_SOLANA) {
    throw undecodable(`version ${String(version).slice(0, 20)}`);
  }
  const receipt = version === VERSION_OF_EVM ? evmReceipt(from) : solanaReceipt(from);
  const { state } = receipt;
  if ((receipt.decidedAt === null) !== (state === 'built')) throw undecodable('decidedAt does not go with the state');
  if ((receipt.executed === null) !== (state !== 'executed')) throw undecodable('executed does not go with the state');
  return receipt;
}

function evmReceipt(from: Fields): QuoteReceipt {
  const shared = sharedIn(from, 20);
  const { inAmount } = shared;
  const dex = textIn(from, 'dex');
  const hops = listIn(from, 'hops').map((pool) => ({ pool: hexIn({ hops: pool }, 'hops', 20), dex }));
  return {
    ...shared,
    ...{ exact: 'in', simulatedIn: inAmount, feeBps: 0, lastHeight: 0 },
    threshold: amountIn(from, 'floor'),
    legs: [{ shareBps: WHOLE_BPS, amount: inAmount, leastIn: inAmount, hops }],
    quoteBlock: hashedBlockIn(from, 'quoteBlock'),
    buildBlock: hashedBlockIn(from, 'buildBlock'),
    executed: executionIn(from, 32, () => inAmount),
  };
}

function solanaReceipt(from: Fields): QuoteReceipt {
  return {
    ...sharedIn(from, 32),
    exact: oneOfIn(from, 'exact', ['in', 'out']),
    simulatedIn: amountIn(from, 'simulatedIn'),
    threshold: amountIn(from, 'threshold'),
    feeBps: wholeIn(from, 'feeBps'),
    legs: listIn(from, 'legs').map(legIn),
    lastHeight: wholeIn(from, 'lastHeight'),
    quoteBlock: slotIn(from, 'quoteBlock'),
    buildBlock: slotIn(from, 'buildBlock'),
    executed: executionIn(from, 64, (executed) => amountIn(executed, 'inAmount')),
  };
}

function sharedIn(from: Fields, addressBytes: number) {
  if (typeof from.final !== 'boolean') throw undecodable('final');
  return {
    id: textIn(from, 'id'),
    quoteId: textIn(from, 'quoteId'),
    account: accountIn(from),
    chain: textIn(from, 'chain'),
    wallet: hexIn(from, 'wallet', addressBytes),
    recipient: hexIn(from, 'recipient', addressBytes),
    inputMint: hexIn(from, 'inputMint', addressBytes),
    outputMint: hexIn(from, 'outputMint', addressBytes),
    inAmount: amountIn(from, 'inAmount'),
    quotedOut: amountIn(from, 'quotedOut'),
    simulatedOut: amountIn(from, 'simulatedOut'),
    slippageBps: wholeIn(from, 'slippageBps'),
    venueId: textIn(from, 'venueId'),
    dex: textIn(from, 'dex'),
    builtAt: wholeIn(from, 'builtAt'),
    deadline: wholeIn(from, 'deadline'),
    builtAfter: positionIn(from, 'builtAfter'),
    asOf: positionIn(from, 'asOf'),
    state: oneOfIn(from, 'state', ['built', 'executed', 'expired']),
    decidedAt: decidedIn(from),
    final: from.final,
  };
}

/** Values that were written before accounts were: the demo account was the only one. */
function accountIn(from: Fields): string | null {
  if (from.account === null) return null;
  return from.account === undefined ? ONLY_ACCOUNT : textIn(from, 'account');
}

function legIn(value: unknown): ReceiptLeg {
  const leg = fieldsOf(value, 'legs');
  return {
    shareBps: wholeIn(leg, 'shareBps', 1),
    amount: amountIn(leg, 'amount'),
    leastIn: amountIn(leg, 'leastIn'),
    hops: listIn(leg, 'hops').map((each) => {
      const hop = fieldsOf(each, 'hops');
      return { pool: hexIn(hop, 'pool', 32), dex: textIn(hop, 'dex') };
    }),
  };
}

function hashedBlockIn(from: Fields, name: string): ReceiptBlock {
  const block = fieldsOf(from[name], name);
  return { number: wholeIn(block, 'number'), hash: hexIn(block, 'hash', 32) };
}

function slotIn(from: Fields, name: string): ReceiptBlock {
  const block = fieldsOf(from[name], name);
  if (block.hash !== null) throw undecodable(name);
  return { number: wholeIn(block, 'number'), hash: null };
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

function executionIn(from: Fields, txBytes: number, inAmount: (executed: Fields) => bigint): Execution | null {
  if (from.executed === null) return null;
  const executed = fieldsOf(from.executed, 'executed');
  return {
    tx: hexIn(executed, 'tx', txBytes),
    block: wholeIn(executed, 'block'),
    blockHash: hexIn(executed, 'blockHash', 32),
    time: wholeIn(executed, 'time'),
    inAmount: inAmount(executed),
    outAmount: amountIn(executed, 'outAmount'),
  };
}
