import type { SolanaTransaction } from './transaction.js';

/**
 * What the transactions of one block say of balances, against each other. Every transaction names what its accounts held
 * before and after it, and nothing else changes a token account: so what an account held before a transaction is what the one
 * before it left. A transaction that was left out, altered or moved shows where one of its accounts is named again.
 *
 * Lamports have more movers: transactions that only vote are not read, and each takes a fee of its payer; so a difference
 * that may be such fees counts for nothing, and lamports are followed inside a block alone.
 */
interface BalanceBreak {
  readonly kind: 'tokens' | 'lamports';
  /** Base58. */
  readonly account: string;
  /** Place in the block of the transaction that names another balance. */
  readonly index: number;
  readonly left: bigint;
  readonly found: bigint;
}

export interface BlockBalances {
  /** Of each token account, what it held before the first transaction that names it; by base58 address. */
  readonly first: ReadonlyMap<string, FirstBalance>;
  /** What it held after the last one; null where it was closed. */
  readonly last: ReadonlyMap<string, bigint | null>;
  /** The first contradiction; null where the block agrees with itself. */
  readonly broken: BalanceBreak | null;
}

interface FirstBalance {
  readonly amount: bigint;
  readonly index: number;
}

interface Placed {
  readonly index: number;
  readonly tx: SolanaTransaction;
}

/** Lamports that a vote costs its payer: the fee of each of its signatures. */
const SIGNATURE_FEE = 5_000;
/** Votes that one payer can have in one block, at most. */
const MOST_VOTE_FEES = 64;

/** Transactions in the order of the block, votes left out. */
export function blockBalances(transactions: readonly Placed[]): BlockBalances {
  const first = new Map<string, FirstBalance>();
  const last = new Map<string, bigint | null>();
  const lamports = new Map<string, number>();
  let broken: BalanceBreak | null = null;
  for (const { index, tx } of transactions) {
    const { keys, tokensBefore, tokensAfter } = tx;
    for (const { account, amount } of tokensBefore) {
      const key = keys[account];
      if (key === undefined) continue;
      const left = last.get(key);
      if (left === undefined) first.set(key, { amount, index });
      else if (left !== null && left !== amount) {
        broken ??= { kind: 'tokens', account: key, index, left, found: amount };
      }
    }
    // An account without a balance after it was closed. Lists that a node did not record hold none at all.
    for (const { account } of tokensBefore) {
      const key = keys[account];
      if (key !== undefined) last.set(key, null);
    }
    for (const { account, amount } of tokensAfter) {
      const key = keys[account];
      if (key !== undefined) last.set(key, amount);
    }
    broken ??= brokenLamports(tx, index, lamports);
  }
  return { first, last, broken };
}

function brokenLamports(
  { keys, lamportsBefore, lamportsAfter }: SolanaTransaction,
  index: number,
  held: Map<string, number>,
): BalanceBreak | null {
  let broken: BalanceBreak | null = null;
  if (lamportsBefore.length !== lamportsAfter.length) return null;
  for (let at = 0; at < lamportsAfter.length; at++) {
    const key = keys[at];
    if (key === undefined) continue;
    const before = lamportsBefore[at]!;
    const left = held.get(key);
    if (left !== undefined && left !== before && !mayBeVoteFees(left - before)) {
      broken ??= { kind: 'lamports', account: key, index, left: BigInt(left), found: BigInt(before) };
    }
    // Most accounts are only read: what they hold is remembered once it is known to move.
    if (before !== lamportsAfter[at] || left !== undefined) held.set(key, lamportsAfter[at]!);
  }
  return broken;
}

const mayBeVoteFees = (gone: number): boolean =>
  gone > 0 && gone % SIGNATURE_FEE === 0 && gone <= SIGNATURE_FEE * MOST_VOTE_FEES;

/** What contradicts the blocks before. */
export interface LedgerBreak extends BalanceBreak {
  /** Slot of the block that left the other balance: it, the present block or one between them is not as it was. */
  readonly since: number;
}

interface Held {
  readonly amount: bigint;
  readonly slot: number;
}

/**
 * What token accounts held after the newest published blocks, so that the next block can be held against them. Invariant: an
 * account that is known has not been named since by any published block. Knows those that moved lately: between once and
 * twice `most` of them.
 */
export class BalanceLedger {
  private young = new Map<string, Held>();
  private old = new Map<string, Held>();

  constructor(private readonly most = 65_536) {}

  /** The first account that a block names with another balance than the blocks before left it. */
  check({ first }: BlockBalances): LedgerBreak | null {
    for (const [account, { amount, index }] of first) {
      const held = this.young.get(account) ?? this.old.get(account);
      if (held !== undefined && held.amount !== amount) {
        return { kind: 'tokens', account, index, left: held.amount, found: amount, since: held.slot };
      }
    }
    return null;
  }

  /** The block is published. */
  take(slot: number, { last }: BlockBalances): void {
    for (const [account, amount] of last) {
      if (amount === null) this.forget(account);
      else this.young.set(account, { amount, slot });
    }
    if (this.young.size < this.most) return;
    this.old = this.young;
    this.young = new Map();
  }

  forget(account: string): void {
    this.young.delete(account);
    this.old.delete(account);
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
  }
}
