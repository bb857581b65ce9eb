import { encodeRlp, rlpBytes, rlpQuantity } from '#libs/chain/chains/evm/proof/rlp.js';
import { bigintAsText } from '#libs/core/json-bigint.js';
import { Revert } from './abi-words.js';
import {
  type BareLog,
  EMPTY_UNCLES,
  encodeReceipt,
  headerHash,
  logsBloom,
  mergeBlooms,
  trieRoot,
} from './block-hash.js';
import { execute, type Intent, targetOf } from './intents.js';
import { keccakHex, keccakText } from './keccak-hex.js';
import type { MarketState } from './market-state.js';
import { quantityText, type RpcHeader, type RpcLog, type RpcReceipt, type RpcTransaction } from './rpc-shapes.js';
import { createAddress } from './traffic.js';

/** An intent with its place on the wire: the raw bytes and hash stay the same on every branch that mines it. */
export interface SignedIntent {
  intent: Intent;
  hash: string;
  raw: string;
  fields: Pick<RpcTransaction, 'type' | 'chainId' | 'nonce' | 'gas' | 'to' | 'from' | 'input' | 'r' | 's'>;
}

export interface BuiltBlock {
  number: number;
  hash: string;
  parentHash: string;
  timestamp: number;
  header: RpcHeader;
  transactions: RpcTransaction[];
  receipts: RpcReceipt[];
  logs: RpcLog[];
  /** State at the end of the block. */
  state: MarketState;
  intents: SignedIntent[];
}

const GAS_LIMIT = 500_000;

/** The signature is made up: sender recovery does not work on it, everything else does. */
export function signIntent(intent: Intent, chainId: number): SignedIntent {
  const text = JSON.stringify(intent, bigintAsText);
  const digest = keccakText(text);
  const input = `0x${keccakText(intent.call.do).slice(0, 8)}${digest}`;
  const r = keccakHex(digest);
  const s = keccakHex(r);
  const to = targetOf(intent.call);
  const quantity = (value: number): Uint8Array => rlpQuantity(quantityText(value));
  const signed = encodeRlp([
    ...[chainId, intent.nonce, 1, 1_000_000_000, GAS_LIMIT].map(quantity),
    ...[rlpBytes(to ?? '0x'), quantity(0), rlpBytes(input), []],
    ...[quantity(0), rlpQuantity(`0x${r}`), rlpQuantity(`0x${s}`)],
  ]);
  const raw = `02${Buffer.from(signed).toString('hex')}`;
  return {
    intent,
    hash: `0x${keccakHex(raw)}`,
    raw,
    fields: {
      type: '0x2',
      chainId: quantityText(chainId),
      nonce: quantityText(intent.nonce),
      gas: quantityText(GAS_LIMIT),
      to,
      from: intent.from,
      input,
      r: quantityText(BigInt(`0x${r}`)),
      s: quantityText(BigInt(`0x${s}`)),
    },
  };
}

/** What tells one type of receipts from another. */
export type ReceiptTyping = Pick<RpcReceipt, 'type' | 'depositNonce' | 'depositReceiptVersion'>;

const PLAIN: ReceiptTyping = { type: '0x2' };

export interface BlockPlan {
  parent: { number: number; hash: string; state: MarketState } | null;
  timestamp: number;
  intents: readonly SignedIntent[];
  /** Type of each block's first receipt; the others are of type 2. */
  firstReceipt?: ReceiptTyping;
  /** Makes siblings without transactions differ. */
  salt: string;
  initialState: MarketState;
}

interface Outcome {
  ok: boolean;
  logs: BareLog[];
  bloom: string;
  gas: number;
  cumulativeGas: number;
}

export function makeBlock(plan: BlockPlan): BuiltBlock {
  let state = plan.parent ? plan.parent.state : plan.initialState;
  let cumulativeGas = 0;
  const outcomes: Outcome[] = plan.intents.map(({ intent }) => {
    const run = { state: state.fork(), logs: [] as BareLog[], timestamp: plan.timestamp };
    let ok = true;
    try {
      execute(run, intent);
      state = run.state;
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      ok = false;
      run.logs.length = 0;
    }
    const gas = 21_000 + 4_000 * run.logs.length;
    cumulativeGas += gas;
    return { ok, logs: run.logs, bloom: logsBloom(run.logs), gas, cumulativeGas };
  });
  const number = plan.parent ? plan.parent.number + 1 : 0;
  const parentHash = plan.parent?.hash ?? `0x${'0'.repeat(64)}`;
  const header = headerOf(plan, number, parentHash, outcomes, cumulativeGas);
  const hash = `0x${headerHash(header)}`;
  return {
    number,
    hash,
    parentHash,
    timestamp: plan.timestamp,
    header: { hash, ...header },
    ...records(plan, hash, number, outcomes),
    state,
    intents: [...plan.intents],
  };
}

const typingOf = ({ firstReceipt }: BlockPlan, index: number): ReceiptTyping =>
  index === 0 && firstReceipt !== undefined ? firstReceipt : PLAIN;

function headerOf(
  plan: BlockPlan,
  number: number,
  parentHash: string,
  outcomes: Outcome[],
  gasUsed: number,
): Omit<RpcHeader, 'hash'> {
  const receipts = outcomes.map((outcome, index) =>
    encodeReceipt({
      ...typingOf(plan, index),
      status: outcome.ok ? '0x1' : '0x0',
      cumulativeGasUsed: quantityText(outcome.cumulativeGas),
      logsBloom: `0x${outcome.bloom}`,
      logs: outcome.logs,
    }),
  );
  return {
    parentHash,
    sha3Uncles: `0x${EMPTY_UNCLES}`,
    miner: `0x${'0'.repeat(40)}`,
    // The builder keeps no state trie; this value only distinguishes branches.
    stateRoot: `0x${keccakText(`${parentHash} ${plan.salt}`)}`,
    transactionsRoot: trieRoot(plan.intents.map(({ raw }) => Buffer.from(raw, 'hex'))),
    receiptsRoot: trieRoot(receipts),
    logsBloom: `0x${mergeBlooms(outcomes.map(({ bloom }) => bloom))}`,
    difficulty: '0x0',
    number: quantityText(number),
    gasLimit: quantityText(60_000_000),
    gasUsed: quantityText(gasUsed),
    timestamp: quantityText(plan.timestamp),
    extraData: '0x',
    mixHash: `0x${'0'.repeat(64)}`,
    nonce: `0x${'0'.repeat(16)}`,
    baseFeePerGas: '0x7',
    withdrawalsRoot: trieRoot([]),
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: `0x${'0'.repeat(64)}`,
    requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  };
}

function records(
  plan: BlockPlan,
  hash: string,
  number: number,
  outcomes: Outcome[],
): { transactions: RpcTransaction[]; receipts: RpcReceipt[]; logs: RpcLog[] } {
  const blockNumber = quantityText(number);
  const blockTimestamp = quantityText(plan.timestamp);
  const transactions: RpcTransaction[] = [];
  const receipts: RpcReceipt[] = [];
  const logs: RpcLog[] = [];
  plan.intents.forEach((signed, index) => {
    const outcome = outcomes[index] as Outcome;
    const transactionIndex = quantityText(index);
    const place = { blockHash: hash, blockNumber, transactionIndex };
    const own = outcome.logs.map((log, i) => ({
      address: log.address,
      topics: [...log.topics],
      data: log.data,
      blockHash: hash,
      blockNumber,
      blockTimestamp,
      transactionHash: signed.hash,
      transactionIndex,
      logIndex: quantityText(logs.length + i),
      removed: false,
    }));
    logs.push(...own);
    transactions.push({
      ...signed.fields,
      ...place,
      hash: signed.hash,
      maxFeePerGas: quantityText(1_000_000_000),
      maxPriorityFeePerGas: '0x1',
      gasPrice: '0x8',
      value: '0x0',
      accessList: [],
      yParity: '0x0',
      v: '0x0',
    });
    const { from, to } = signed.fields;
    receipts.push({
      ...place,
      ...typingOf(plan, index),
      status: outcome.ok ? '0x1' : '0x0',
      cumulativeGasUsed: quantityText(outcome.cumulativeGas),
      logs: own,
      logsBloom: `0x${outcome.bloom}`,
      transactionHash: signed.hash,
      gasUsed: quantityText(outcome.gas),
      effectiveGasPrice: '0x8',
      from,
      to,
      contractAddress: to === null ? createAddress(from, signed.intent.nonce) : null,
    });
  });
  return { transactions, receipts, logs };
}
