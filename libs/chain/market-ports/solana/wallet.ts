import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';

/**
 * The wallet behind a leg: its authority where that signed. Otherwise a router held the tokens meanwhile, and it is the
 * first signer that gave tokens of any mint away, then the first that received some, then the first whose lamports
 * changed by more than the fee, then the fee payer. A relayer that pays the fee and is paid in tokens comes after the
 * trader it works for.
 */
export function walletBehind(tx: SolanaTransaction, authority: string): string {
  const { keys, signerCount } = tx;
  if (signerCount <= 1) return keys[0] ?? '';
  for (let i = 0; i < signerCount; i++) if (keys[i] === authority) return authority;
  let received = '';
  for (let i = 0; i < signerCount; i++) {
    const change = tokenChange(tx, keys[i]!);
    if (change < 0) return keys[i]!;
    if (change > 0 && received === '') received = keys[i]!;
  }
  if (received !== '') return received;
  for (let i = 0; i < signerCount; i++) if (movedLamports(tx, i)) return keys[i]!;
  return keys[0]!;
}

/** -1 when an owner has less of some token than before, else 1 when it has more of one, else 0. */
function tokenChange(tx: SolanaTransaction, owner: string): -1 | 0 | 1 {
  const changes = new Map<string, bigint>();
  for (const { owner: holder, mint, amount } of tx.tokensAfter) {
    if (holder === owner) changes.set(mint, (changes.get(mint) ?? 0n) + amount);
  }
  for (const { owner: holder, mint, amount } of tx.tokensBefore) {
    if (holder === owner) changes.set(mint, (changes.get(mint) ?? 0n) - amount);
  }
  let gained: 0 | 1 = 0;
  for (const change of changes.values()) {
    if (change < 0n) return -1;
    if (change > 0n) gained = 1;
  }
  return gained;
}

function movedLamports(tx: SolanaTransaction, signer: number): boolean {
  const change = (tx.lamportsAfter[signer] ?? 0) - (tx.lamportsBefore[signer] ?? 0);
  return change !== (signer === 0 ? -Number(tx.fee) : 0);
}
