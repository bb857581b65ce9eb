import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { MethodDefinition } from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import type { Json } from '../../malformed.js';
import type { SolanaTransaction } from '../../transaction.js';

/**
 * Geyser messages made by a protocol buffer library of others, from blocks and transactions in the form that getBlock gives
 * (encoding `json`) or that a client library recorded.
 */
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const service = loadSync(here('./geyser.proto'), { longs: String, enums: String, defaults: true, oneofs: true })[
  'geyser.Geyser'
] as ServiceDefinition;
export const subscribe = service.Subscribe as MethodDefinition<object, object>;

export const encodeUpdate = (update: object): Buffer => subscribe.responseSerialize(update);
export const decodeRequest = (bytes: Buffer): Json => subscribe.requestDeserialize(bytes) as Json;

const bytes = (base58: unknown): Buffer => Buffer.from(decodeBase58(base58 as string) as Uint8Array);

/** A getBlock answer as the endpoint would tell it. */
export function geyserBlock(slot: number, answer: Json): Json {
  const transactions = (answer.transactions as Json[]).map((entry, index) => geyserTransaction(entry, index));
  return {
    slot,
    blockhash: answer.blockhash,
    ...(answer.blockTime === null ? {} : { blockTime: { timestamp: answer.blockTime } }),
    parentSlot: answer.parentSlot,
    parentBlockhash: answer.previousBlockhash,
    executedTransactionCount: transactions.length,
    transactions,
  };
}

/** An entry of getBlock's transactions. */
export function geyserTransaction({ transaction, meta, version }: Json, index: number, isVote = false): Json {
  const { signatures, message } = transaction as { signatures: string[]; message: Json };
  const { header, accountKeys, recentBlockhash, instructions } = message;
  const about = meta as Json;
  const loaded = (about.loadedAddresses ?? { writable: [], readonly: [] }) as Record<string, string[]>;
  const compiled = (list: unknown): Json[] =>
    (list as Json[]).map(({ programIdIndex, accounts, data, stackHeight }) => ({
      ...{ programIdIndex, accounts: Buffer.from(accounts as number[]), data: bytes(data) },
      ...(typeof stackHeight === 'number' ? { stackHeight } : {}),
    }));
  const inner = (about.innerInstructions as Json[] | null) ?? [];
  return {
    ...{ signature: bytes(signatures[0]), isVote, index },
    transaction: {
      signatures: signatures.map(bytes),
      message: {
        header,
        accountKeys: (accountKeys as string[]).map(bytes),
        recentBlockhash: bytes(recentBlockhash),
        instructions: compiled(instructions),
        versioned: version === 0,
      },
    },
    meta: {
      ...(about.err === null ? {} : { err: { err: Buffer.from([8, 0, 0, 0]) } }),
      ...{ fee: about.fee, preBalances: about.preBalances, postBalances: about.postBalances },
      innerInstructions: inner.map((group) => ({ index: group.index, instructions: compiled(group.instructions) })),
      logMessages: about.logMessages,
      ...{ preTokenBalances: about.preTokenBalances, postTokenBalances: about.postTokenBalances },
      loadedWritableAddresses: loaded.writable?.map(bytes),
      loadedReadonlyAddresses: loaded.readonly?.map(bytes),
    },
  };
}

/** Recorded messages: bytes are `{$hex, $base58}`, base58, or `{}` where they are empty. */
export const recorded = JSON.parse(
  gunzipSync(readFileSync(here('../fixtures/yellowstone.json.gz'))).toString('utf8'),
) as { block: Json; transactions: Json[] };

/** Base58 of a recorded byte field. */
const recordedText = (value: unknown): string =>
  typeof value === 'string' ? value : (((value as Json | undefined)?.$base58 as string) ?? '');

/** A recorded transaction as an entry of getBlock. */
export function recordedEntry(info: Json): Json {
  const { transaction, meta } = info as { transaction: Json; meta: Json };
  const message = transaction.message as Json;
  const texts = (list: unknown): string[] => (list as unknown[]).map(recordedText);
  const compiled = (list: unknown): Json[] =>
    (list as Json[]).map((instruction) => ({
      ...instruction,
      accounts: [...bytes(recordedText(instruction.accounts))],
      data: recordedText(instruction.data),
    }));
  const numbers = (list: unknown): number[] => (list as string[]).map(Number);
  return {
    transaction: {
      signatures: texts(transaction.signatures),
      message: {
        header: message.header,
        accountKeys: texts(message.accountKeys),
        recentBlockhash: recordedText(message.recentBlockhash),
        instructions: compiled(message.instructions),
      },
    },
    version: 0,
    meta: {
      err: meta.err ?? null,
      fee: Number(meta.fee),
      preBalances: numbers(meta.preBalances),
      postBalances: numbers(meta.postBalances),
      innerInstructions: (meta.innerInstructions as Json[]).map(({ index, instructions }) => ({
        index,
        instructions: compiled(instructions),
      })),
      logMessages: meta.logMessages,
      preTokenBalances: meta.preTokenBalances,
      postTokenBalances: meta.postTokenBalances,
      loadedAddresses: {
        writable: texts(meta.loadedWritableAddresses),
        readonly: texts(meta.loadedReadonlyAddresses),
      },
    },
  };
}

/** All that a transaction holds, for comparisons. */
export const told = (tx: SolanaTransaction): object => ({
  ...tx,
  instructions: tx.instructions.map(({ program, accounts, data, path, depth }) => ({
    ...{ program, path, depth, accounts: [...accounts] },
    data: encodeBase58(data),
  })),
});
