import { readTransfer, type TokenTransfer } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { SolanaTrade } from './trades.js';

/**
 * Swaps of programs that no venue reads, recognised by what they move: an instruction whose own calls bring one token to an
 * owner and take another one from it. Where such an instruction calls a decoded leg or another such instruction, it is a
 * router, not a venue, and does not count.
 */
export function undecodedSwaps(tx: SolanaTransaction, trades: readonly SolanaTrade[]): string[] {
  if (tx.failed) return [];
  const programs: string[] = [];
  const isLeg = new Array<boolean>(tx.instructions.length).fill(false);
  for (const { index } of trades) isLeg[index] = true;
  for (let index = tx.instructions.length - 1; index >= 0; index--) {
    const end = tx.callsEnd(index);
    if (isLeg[index] || isLeg.slice(index + 1, end).includes(true) || !swapsTokens(tx, index, end)) continue;
    isLeg[index] = true;
    programs.push(tx.instructions[index]!.program);
  }
  return programs.reverse();
}

function swapsTokens(tx: SolanaTransaction, index: number, end: number): boolean {
  const { depth } = tx.instructions[index]!;
  const transfers: TokenTransfer[] = [];
  for (let i = index + 1; i < end; i++) {
    const call = tx.instructions[i]!;
    if (call.depth > depth + 1) continue;
    const transfer = readTransfer(tx, call);
    if (transfer !== null && transfer.amount > 0n) transfers.push(transfer);
  }
  return transfers.some((paidIn) =>
    transfers.some(
      (paidOut) =>
        mintOf(tx, paidIn) !== mintOf(tx, paidOut) &&
        holder(tx, paidIn.destination) === holder(tx, paidOut.source) &&
        holder(tx, paidIn.source) !== holder(tx, paidIn.destination),
    ),
  );
}

const mintOf = (tx: SolanaTransaction, { mint, source, destination }: TokenTransfer): string =>
  mint || tx.mintOf(destination) || tx.mintOf(source);

/** Owner of a token account; the account itself where its owner is not recorded. */
function holder(tx: SolanaTransaction, account: number): string {
  for (const list of [tx.tokensAfter, tx.tokensBefore]) {
    for (const balance of list) if (balance.account === account && balance.owner !== '') return balance.owner;
  }
  return tx.keys[account] ?? '';
}
