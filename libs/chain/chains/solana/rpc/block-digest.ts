import { createHash, type Hash } from 'node:crypto';
import type { SolanaTransaction } from '../transaction.js';
import type { NodeBlock } from './node-block.js';

/**
 * A short text that stands for what a node told of a block, so that two nodes can be compared without keeping blocks. In it
 * is all that makes records of the log: header, signatures in their places, accounts, instructions, balances, logs. Left out
 * is what honest nodes tell differently: times, owners and decimals of balances, the depth of calls. Logs count where both
 * nodes hold them of the same transactions: nodes cut them at lengths of their own.
 */
export type BlockDigest = string;

/** A log that the node cut ends with this line. */
const CUT = 'Log truncated';

/** Empty for a block that is incomplete: nothing can be said of it. */
export function digestOf({ hash, parentHash, parentSlot, count, transactions, incomplete }: NodeBlock): BlockDigest {
  if (incomplete) return '';
  const core = createHash('sha256').update(parentHash);
  const logs = createHash('sha256');
  const unlogged: number[] = [];
  for (const { index, tx } of transactions) {
    core.update(said(index, tx));
    const whole = tx.logs.length > 0 && tx.logs.at(-1) !== CUT;
    if (whole) logs.update(tx.logs.join('\n'));
    else unlogged.push(index);
  }
  const cut = createHash('sha256').update(unlogged.join());
  return [hash, parentSlot, count, short(core), short(logs), short(cut)].join(':');
}

/** Whether two nodes told the same. What cannot be compared is not held against anyone. */
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

function said(index: number, tx: SolanaTransaction): string {
  const { signature, failed, keys, signerCount, fee, lamportsBefore, lamportsAfter } = tx;
  let text = `\n${index} ${signature} ${failed ? 1 : 0} ${signerCount} ${fee}\n${keys.join()}`;
  text += `\n${lamportsBefore.join()}\n${lamportsAfter.join()}\n`;
  for (const balances of [tx.tokensBefore, tx.tokensAfter]) {
    for (const { account, mint, amount } of balances) text += `${account} ${mint} ${amount};`;
    text += '\n';
  }
  // A failed transaction left no trace, and nodes may or may not tell what it called.
  if (failed) return text;
  for (const { outer, inner, program, accounts, text: data } of tx.instructions) {
    text += `${outer}.${inner} ${program} ${accounts.join()} ${data};`;
  }
  return text;
}
