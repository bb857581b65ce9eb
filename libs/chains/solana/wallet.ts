import type { SolanaTransaction } from './transaction.js';

/**
 * The wallet behind a leg: its authority where that signed, otherwise (a router holds the tokens meanwhile) the first
 * signer whose token balances changed, then the first whose lamports changed by more than the fee, then the fee payer.
 */
export function walletBehind(tx: SolanaTransaction, authority: string): string {
  const { keys, signerCount } = tx;
  for (let i = 0; i < signerCount; i++) if (keys[i] === authority) return authority;
  for (let i = 0; i < signerCount; i++) if (movedTokens(tx, keys[i]!)) return keys[i]!;
  for (let i = 0; i < signerCount; i++) if (movedLamports(tx, i)) return keys[i]!;
  return keys[0] ?? '';
}

function movedTokens(tx: SolanaTransaction, owner: string): boolean {
  for (const { account, owner: holder, amount } of tx.tokensAfter) {
    if (holder === owner && amount !== (tx.tokensBefore.find((before) => before.account === account)?.amount ?? 0n))
      return true;
  }
  for (const { account, owner: holder, amount } of tx.tokensBefore) {
    if (holder === owner && amount > 0n && !tx.tokensAfter.some((after) => after.account === account)) return true;
  }
  return false;
}

function movedLamports(tx: SolanaTransaction, signer: number): boolean {
  const change = (tx.lamportsAfter[signer] ?? 0) - (tx.lamportsBefore[signer] ?? 0);
  return change !== (signer === 0 ? -Number(tx.fee) : 0);
}
