import { readTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { addressBytes } from './address-bytes.js';
import type { Block, ChainAccount, Edit, Landed, TransactionMeta } from './chain-types.js';

/** Blocks as lines of JSON. Lamports are texts there, so that none loses a digit. */
export type LogLine = { block: BlockRecord } | { fork: number; branch: number };

type Texts<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] extends bigint[] ? string[] : T[K] };

interface AccountRecord extends Omit<ChainAccount, 'lamports' | 'rentEpoch' | 'data'> {
  lamports: string;
  rentEpoch: string;
  data: string;
}

type EditRecord =
  | { kind: 'account'; address: string; account: AccountRecord }
  | { kind: 'program'; address: string; code: string };

export interface BlockRecord extends Omit<Block, 'edits' | 'transactions' | 'before' | 'hashBytes'> {
  edits: EditRecord[];
  transactions: { wire: string; meta: Texts<TransactionMeta> }[];
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

export function toRecord(block: Block): BlockRecord {
  const { slot, parentSlot, hash, parentHash, height, time } = block;
  const transactions = block.transactions.map(({ transaction, meta }) => ({
    wire: base64(transaction.wire),
    meta: {
      ...meta,
      fee: meta.fee.toString(),
      preBalances: meta.preBalances.map(String),
      postBalances: meta.postBalances.map(String),
    },
  }));
  return { slot, parentSlot, hash, parentHash, height, time, edits: block.edits.map(editRecord), transactions };
}

export function fromRecord(record: BlockRecord): Block {
  const transactions = record.transactions.map(
    ({ wire, meta }): Landed => ({
      transaction: readTransaction(bytesOf(wire)),
      slot: record.slot,
      blockTime: record.time,
      meta: {
        ...meta,
        fee: BigInt(meta.fee),
        preBalances: meta.preBalances.map(BigInt),
        postBalances: meta.postBalances.map(BigInt),
      },
    }),
  );
  const edits = record.edits.map(editOf);
  return { ...record, hashBytes: addressBytes(record.hash), edits, transactions, before: new Map() };
}

function editRecord(edit: Edit): EditRecord {
  if (edit.kind === 'program') return { ...edit, code: base64(edit.code) };
  const { lamports, rentEpoch, data } = edit.account;
  const texts = { lamports: lamports.toString(), rentEpoch: rentEpoch.toString(), data: base64(data) };
  return { ...edit, account: { ...edit.account, ...texts } };
}

function editOf(record: EditRecord): Edit {
  if (record.kind === 'program') return { ...record, code: bytesOf(record.code) };
  const { lamports, rentEpoch, data } = record.account;
  const values = { lamports: BigInt(lamports), rentEpoch: BigInt(rentEpoch), data: bytesOf(data) };
  return { ...record, account: { ...record.account, ...values } };
}
