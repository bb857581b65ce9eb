import type { BalanceSample, BlockGroup, RawLog } from '../blocks.js';
import { unencodable } from './byte-writer.js';
import { readDeltas, readIds, writeDeltas } from './columns.js';
import type { GroupReader, GroupWriter } from './group-frame.js';

/** Topics of a log, at most. */
const MOST_TOPICS = 4;

/** What most blocks do not have, behind all else. The byte that a block begins with says whether it has any. */
export type BlockExtras = Pick<BlockGroup, 'samples' | 'logs'>;

export const hasExtras = ({ samples = [], logs = [] }: BlockExtras): boolean => samples.length + logs.length > 0;

export function writeExtras(out: GroupWriter, { samples = [], logs = [] }: BlockExtras, transactions: number): void {
  out.varuint(samples.length);
  for (const { token } of samples) out.id(token);
  for (const { wallet } of samples) out.id(wallet);
  for (const { amount } of samples) out.unsigned(amount);
  out.varuint(logs.length);
  for (const { tx } of logs) {
    if (tx >= transactions) unencodable(`a log of transaction ${tx} of ${transactions}`);
    out.varuint(tx);
  }
  writeDeltas(out, logs, ({ ordinal }) => ordinal);
  for (const { address } of logs) out.id(address);
  for (const { topics, data } of logs) {
    if (topics.length > MOST_TOPICS) unencodable(`a log with ${topics.length} topics`);
    out.u8(topics.length);
    for (const topic of topics) out.id(topic);
    const bytes = data.length / 2;
    if (!Number.isInteger(bytes)) unencodable('half a byte of data');
    out.varuint(bytes);
    out.hex(data);
  }
}

export function readExtras(input: GroupReader, transactions: number): BlockExtras {
  const samples = readSamples(input);
  const logs = readLogs(input, transactions);
  if (samples.length + logs.length === 0) input.fail('extras of a block without any');
  return { ...(samples.length > 0 && { samples }), ...(logs.length > 0 && { logs }) };
}

function readSamples(input: GroupReader): BalanceSample[] {
  const count = input.count(3);
  const tokens = readIds(input, count);
  const wallets = readIds(input, count);
  return tokens.map((token, index) => ({ token, wallet: wallets[index]!, amount: input.unsigned() }));
}

function readLogs(input: GroupReader, transactions: number): RawLog[] {
  const count = input.count(4);
  const places = Array.from({ length: count }, () => {
    const tx = input.varuint();
    return tx < transactions ? tx : input.fail('a log of an unknown transaction');
  });
  const ordinals = readDeltas(input, count);
  const addresses = readIds(input, count);
  return places.map((tx, index) => {
    const topics = input.u8();
    if (topics > MOST_TOPICS) input.fail('a log with too many topics');
    const of = { tx, ordinal: ordinals[index]!, address: addresses[index]!, topics: readIds(input, topics) };
    return { ...of, data: input.hex(input.count(1)) };
  });
}
