import { createHash, type Hash } from 'node:crypto';
import type { SolanaTransaction } from '../transaction.js';
import type { NodeBlock } from './node-block.js';

/**
 * A short text in the place of what a node answered for a block, so that two nodes can be compared without keeping blocks. In it
 * is all that makes records of the log: header, signatures in their places, accounts, instructions, balances, data in logs. Left out
 * is what honest nodes tell differently: times, owners and decimals of balances, the depth of calls. Data in logs counts where
 * both nodes hold the logs of the same transactions: nodes cut them at lengths of their own.
 */
export type BlockDigest = string;

/** A node that cut a log put this line into it. */
const CUT = 'Log truncated';
const DATA = 'Program data: ';

/** Empty for a block that is incomplete: nothing can be said of it. */
export function digestOf({ hash, parentHash, parentSlot, count, transactions, incomplete }: NodeBlock): BlockDigest {
  if (incomplete) return '';
  const core = createHash('sha256').update(parentHash);
  const logs = createHash('sha256');
  const unlogged: number[] = [];
  const lamports: number[] = [];
  for (const { index, tx } of transactions) {
    core.update(said(index, tx), 'latin1');
    addLamports(index, tx, lamports);
    if (tx.logs.length === 0 || tx.logs.includes(CUT)) unlogged.push(index);
    else {
      const data = dataOf(tx.logs);
      if (data !== '') logs.update(`${index}${data}`);
    }
  }
  core.update(Float64Array.from(lamports));
  const cut = createHash('sha256').update(unlogged.join());
  return [hash, parentSlot, count, short(core), short(logs), short(cut)].join(':');
}

/** Whether two nodes answered the same. What cannot be compared is not held against anyone. */
export function sameAnswer(a: BlockDigest, b: BlockDigest): boolean {
  if (a === b || a === '' || b === '') return true;
  const [one, other] = [a.split(':'), b.split(':')];
  const alike = (at: number): boolean => one[at] === other[at];
  return alike(0) && alike(1) && alike(2) && alike(3) && (alike(4) || !alike(5));
}

/** What a digest shows by itself; null for an incomplete block. */
export function readDigest(digest: BlockDigest): { hash: string; parentSlot: number; count: number } | null {
  if (digest === '') return null;
  const [hash, parentSlot, count] = digest.split(':');
  return { hash: hash!, parentSlot: Number(parentSlot), count: Number(count) };
}

const short = (hash: Hash): string => hash.digest('base64url').slice(0, 22);

/** Lines of data are all that is read of a log. */
function dataOf(logs: readonly string[]): string {
  let data = '';
  for (const line of logs) if (line.startsWith(DATA)) data += `\n${line}`;
  return data;
}

/** What a transaction left as it was is said by the transactions that changed it. Numbers are slow to write as digits. */
function addLamports(index: number, { lamportsBefore, lamportsAfter }: SolanaTransaction, to: number[]): void {
  for (let at = 0; at < lamportsAfter.length; at++) {
    if (lamportsBefore[at] !== lamportsAfter[at]) to.push(index, at, lamportsBefore[at] ?? -1, lamportsAfter[at]!);
  }
}

function said(index: number, tx: SolanaTransaction): string {
  const { signature, failed, keys, signerCount, fee } = tx;
  let text = `\n${index} ${signature} ${failed ? 1 : 0} ${signerCount} ${fee}\n`;
  for (const key of keys) text += key;
  text += '\n';
  for (const { account, mint, amount } of tx.tokensBefore) text += `${account} ${mint} ${amount};`;
  text += '\n';
  for (const { account, mint, amount } of tx.tokensAfter) text += `${account} ${mint} ${amount};`;
  // A failed transaction left no trace, and nodes may or may not tell what it called.
  if (failed) return text;
  for (const { outer, inner, program, accounts, text: data } of tx.instructions) {
    text += `\n${outer}.${inner} ${program} ${String.fromCharCode(...accounts)} ${data}`;
  }
  return text;
}
