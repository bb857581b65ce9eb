import type { SolanaInstruction } from './instruction.js';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.js';

/** Programs that venues call and that are none themselves. */
const HELPERS: ReadonlySet<string> = new Set([
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  SYSTEM_PROGRAM,
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ',
]);

export const isHelper = (program: string): boolean => HELPERS.has(program);

/** Balance of one token account before or after the transaction. */
export interface TokenBalance {
  readonly account: number;
  readonly mint: string;
  /** Empty in transactions from before nodes recorded it. */
  readonly owner: string;
  readonly amount: bigint;
  /** Of the mint, as the node recorded them with the amount. */
  readonly decimals?: number;
}

/**
 * A transaction in one neutral form, whatever encoding it came in. Account keys keep their base58 text, since most of
 * them are only ever compared; ids are made of those that end up in a trade. Instructions are in execution order:
 * each top-level one, then the calls below it.
 */
export class SolanaTransaction {
  constructor(
    /** Base58; empty when the document does not hold it. */
    readonly signature: string,
    readonly slot: number | null,
    readonly failed: boolean,
    /** Static keys, then loaded writable and loaded read-only ones. */
    readonly keys: readonly string[],
    /** The first keys are the signers; the very first pays the fee. */
    readonly signerCount: number,
    readonly instructions: readonly SolanaInstruction[],
    readonly fee: bigint,
    readonly lamportsBefore: readonly number[],
    readonly lamportsAfter: readonly number[],
    readonly tokensBefore: readonly TokenBalance[],
    readonly tokensAfter: readonly TokenBalance[],
    readonly logs: readonly string[],
  ) {}

  /** Key position of an instruction's nth account; -1 where there is none. */
  account(instruction: SolanaInstruction, nth: number): number {
    const index = instruction.accounts[nth];
    return typeof index === 'number' && this.keys[index] !== undefined ? index : -1;
  }

  /** Base58 key of an instruction's nth account; empty where there is none. */
  accountKey(instruction: SolanaInstruction, nth: number): string {
    const index = this.account(instruction, nth);
    return index < 0 ? '' : this.keys[index]!;
  }

  /** Mint of a token account that lives before or after the transaction; empty when neither is recorded. */
  mintOf(account: number): string {
    for (const balance of this.tokensAfter) if (balance.account === account) return balance.mint;
    for (const balance of this.tokensBefore) if (balance.account === account) return balance.mint;
    return '';
  }

  /** First position after an instruction's own calls. */
  callsEnd(index: number): number {
    const { instructions } = this;
    const caller = instructions[index]!;
    let end = index + 1;
    while (end < instructions.length && this.isCalledBy(instructions[end]!, caller)) end++;
    return end;
  }

  /**
   * Whether an instruction right after another's calls is one of them. Where depths are not recorded, the helper and
   * event calls that follow a program are taken for its own, and so is every other call to a program that it names; as the
   * runtime lets a program pass on only accounts that it was given, none is that names others.
   */
  private isCalledBy(called: SolanaInstruction, caller: SolanaInstruction): boolean {
    if (called.outer !== caller.outer) return false;
    if (caller.inner < 0) return true;
    if (caller.depth > 0 && called.depth > 0) return called.depth > caller.depth;
    if (called.program === caller.program && called.accounts.length <= 2) return true;
    if (!called.accounts.every((account) => account < 0 || caller.accounts.includes(account))) return false;
    return HELPERS.has(called.program) || caller.accounts.some((account) => this.keys[account] === called.program);
  }
}
