import { readTransfer, type TokenTransfer } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue } from '#libs/chain/market-ports/solana/venue.js';

/** swapBaseIn and swapBaseOut, with the order book's accounts and (second version) without. */
const SWAPS: ReadonlySet<number> = new Set([9, 11, 16, 17]);
const SWAP_BYTES = 17;
const POOL = 1;
const AUTHORITY = 2;

/**
 * Raydium AMM v4. It emits no event; its instructions come with 17, 18 or 8 accounts. The pool's authority signs the
 * transfer out of the pool, the trader the one into it.
 */
export const raydiumV4: SolanaVenue = {
  venue: 'raydium-v4',
  dex: 'Raydium AMM v4',
  kind: 'constant-product',
  program: '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8',
  legs,
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const instruction = tx.instructions[index]!;
  const { data } = instruction;
  if (!SWAPS.has(data[0] ?? 0) || data.length < SWAP_BYTES) return NO_LEGS;
  const authority = tx.account(instruction, AUTHORITY);
  if (authority < 0) return NO_LEGS;
  let paidIn: TokenTransfer | null = null;
  let paidOut: TokenTransfer | null = null;
  for (let i = index + 1; i < tx.callsEnd(index); i++) {
    const transfer = readTransfer(tx, tx.instructions[i]!);
    if (transfer === null) continue;
    if (transfer.authority === authority) paidOut ??= transfer;
    else paidIn ??= transfer;
  }
  if (paidIn === null || paidOut === null) return NO_LEGS;
  return [
    {
      pool: tx.accountKey(instruction, POOL),
      authority: tx.keys[paidIn.authority] ?? '',
      inputMint: paidIn.mint || tx.mintOf(paidIn.destination),
      inputAmount: paidIn.amount,
      outputMint: paidOut.mint || tx.mintOf(paidOut.source),
      outputAmount: paidOut.amount,
      stated: { vaults: [tx.keys[paidIn.destination] ?? '', tx.keys[paidOut.source] ?? ''] },
    },
  ];
}
