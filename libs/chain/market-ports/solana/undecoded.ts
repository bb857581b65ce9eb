import { isWallet } from '#libs/chain/chains/solana/curve-point.js';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import { readTransfer, type TokenTransfer } from '#libs/chain/chains/solana/token-transfer.js';
import { isHelper, type SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { SolanaTrade } from './trades.js';

/**
 * Swaps of programs that no venue reads, recognised by what they move, at whatever depth below them: by transfers of one depth
 * (a loan pays out deeper than its collateral comes in) some owner has less of one token and more of another, and of no third, as
 * after liquidity; or one token moved, and the program's lamports the other way.
 * Where such an instruction calls a decoded leg or another such instruction, it is a router, not a venue, and does not count; nor
 * do programs that only serve others.
 */
export function undecodedSwaps(tx: SolanaTransaction, trades: readonly SolanaTrade[]): string[] {
  if (tx.failed) return [];
  const programs: string[] = [];
  const isLeg = new Array<boolean>(tx.instructions.length).fill(false);
  for (const { index } of trades) isLeg[index] = true;
  for (let index = tx.instructions.length - 1; index >= 0; index--) {
    const { program } = tx.instructions[index]!;
    const end = tx.callsEnd(index);
    if (isHelper(program) || isLeg.slice(index, end).includes(true)) continue;
    const transfers = transfersBelow(tx, index, end);
    const swaps = [...new Set(transfers.map(({ level }) => level))].some((at) =>
      swapsTokens(
        movedBy(
          tx,
          transfers.filter(({ level }) => level === at),
        ),
      ),
    );
    if (!swaps && !swapsLamports(tx, index, end, movedBy(tx, transfers))) continue;
    isLeg[index] = true;
    programs.push(program);
  }
  return programs.reverse();
}

interface Transfer extends TokenTransfer {
  /** By how many calls below the instruction it was made, whether the node records depths or not. */
  readonly level: number;
}

function transfersBelow(tx: SolanaTransaction, index: number, end: number): Transfer[] {
  const transfers: Transfer[] = [];
  const callers: number[] = [];
  for (let i = index + 1; i < end; i++) {
    while (callers.length > 0 && i >= callers.at(-1)!) callers.pop();
    const transfer = readTransfer(tx, tx.instructions[i]!);
    if (transfer !== null) transfers.push({ ...transfer, level: callers.length });
    callers.push(tx.callsEnd(i));
  }
  return transfers;
}

/** What each owner has more of each token through transfers; what ends as it began is left out. */
type Moved = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

function movedBy(tx: SolanaTransaction, transfers: readonly Transfer[]): Moved {
  const moved = new Map<string, Map<string, bigint>>();
  const add = (account: number, mint: string, amount: bigint): void => {
    const owner = holder(tx, account);
    const changes = moved.get(owner) ?? new Map<string, bigint>();
    moved.set(owner, changes);
    const change = (changes.get(mint) ?? 0n) + amount;
    if (change === 0n) changes.delete(mint);
    else changes.set(mint, change);
  };
  for (const { source, destination, amount, mint: named } of transfers) {
    const mint = named || tx.mintOf(destination) || tx.mintOf(source);
    add(source, mint, -amount);
    add(destination, mint, amount);
  }
  return moved;
}

function swapsTokens(moved: Moved): boolean {
  for (const changes of moved.values()) {
    const [one, other, ...more] = changes.values();
    if (other !== undefined && more.length === 0 && one! > 0n !== other > 0n) return true;
  }
  return false;
}

/**
 * Whether one token went to others for lamports, or came for lamports. What an account that did not sign has less of, a program
 * took from it; what it has more of was paid to it where it gave the token or is no wallet, as those that take fees are.
 */
function swapsLamports(tx: SolanaTransaction, index: number, end: number, moved: Moved): boolean {
  const mints = new Set([...moved.values()].flatMap((changes) => [...changes.keys()]));
  const [mint] = mints;
  if (mint === undefined || mints.size > 1 || mint === WRAPPED_SOL || isSingle(tx, mint)) return false;
  const others = [...moved].filter(([owner]) => !isSigner(tx, owner));
  const took = others.some(([, changes]) => (changes.get(mint) ?? 0n) > 0n);
  const gave = others.flatMap(([owner, changes]) => ((changes.get(mint) ?? 0n) < 0n ? [owner] : []));
  const holdsTokens = new Set([...tx.tokensBefore, ...tx.tokensAfter].map(({ account }) => account));
  const accounts = new Set(tx.instructions[index]!.accounts);
  if (took && gave.length === 0) {
    for (const account of accounts) {
      const after = tx.lamportsAfter[account] ?? 0;
      const fell = after > 0 && after < (tx.lamportsBefore[account] ?? 0);
      if (fell && account >= tx.signerCount && !holdsTokens.has(account)) return true;
    }
  }
  if (took || gave.length === 0) return false;
  for (let i = index + 1; i < end; i++) {
    const paid = lamportsTo(tx, i);
    if (paid < 0 || !accounts.has(paid) || (tx.lamportsBefore[paid] ?? 0) === 0) continue;
    if (gave.includes(tx.keys[paid]!) || (!holdsTokens.has(paid) && !isWallet(tx.keys[paid]!))) return true;
  }
  return false;
}

const LAMPORTS_TRANSFER = 2;

/** The account that a transfer of lamports pays; -1 where the instruction is none. */
function lamportsTo(tx: SolanaTransaction, index: number): number {
  const instruction = tx.instructions[index]!;
  const { program, data } = instruction;
  if (program !== SYSTEM_PROGRAM || data.length !== 12 || data[0] !== LAMPORTS_TRANSFER) return -1;
  return tx.account(instruction, 1);
}

/** A token of which there is no half, as of a picture. */
function isSingle(tx: SolanaTransaction, mint: string): boolean {
  return [...tx.tokensBefore, ...tx.tokensAfter].some((balance) => balance.mint === mint && balance.decimals === 0);
}

const isSigner = (tx: SolanaTransaction, key: string): boolean => tx.keys.slice(0, tx.signerCount).includes(key);

/**
 * Owner of a token account. One that lives only within the transaction is of who sends from it, else of who pays for the
 * transaction; one whose owner is not recorded is its own.
 */
function holder(tx: SolanaTransaction, account: number): string {
  let recorded = false;
  for (const list of [tx.tokensAfter, tx.tokensBefore]) {
    for (const balance of list) {
      if (balance.account !== account) continue;
      recorded = true;
      if (balance.owner !== '') return balance.owner;
    }
  }
  if (recorded) return tx.keys[account] ?? '';
  for (const instruction of tx.instructions) {
    const transfer = readTransfer(tx, instruction);
    if (transfer?.source === account && transfer.authority >= 0) return tx.keys[transfer.authority]!;
  }
  return tx.keys[0] ?? '';
}
