import { bytesOf, startsWith } from '#libs/chains/solana/event-layout.js';
import type { SolanaInstruction } from '#libs/chains/solana/instruction.js';
import { readTransfer, type TokenTransfer, vaultFlow } from '#libs/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chains/solana/transaction.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue } from '#libs/chains/solana/venue.js';

/** swap and swap_v2 share the positions that are read here. */
const SWAPS = ['f8c69e91e17587c8', '2b04ed0b1ac91e62'].map(bytesOf);
const ROUTER = bytesOf('457d73daf5baf2c4');
const PAYER = 0;
const POOL = 2;
const INPUT_VAULT = 5;
const OUTPUT_VAULT = 6;
/** Accounts of swap_router_base_in before the groups of its hops. */
const ROUTER_HEAD = 6;

/** Raydium CLMM. Its event is only logged and logs may be cut short: the transfers decide. */
export const raydiumClmm: SolanaVenue = {
  venue: 'raydium-clmm',
  dex: 'Raydium CLMM',
  kind: 'concentrated',
  program: 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK',
  legs,
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const instruction = tx.instructions[index]!;
  const { data } = instruction;
  if (startsWith(data, 0, ROUTER)) return routerLegs(tx, index, instruction);
  if (!SWAPS.some((swap) => startsWith(data, 0, swap))) return NO_LEGS;
  const flow = vaultFlow(tx, index, tx.account(instruction, INPUT_VAULT), tx.account(instruction, OUTPUT_VAULT));
  if (flow === null) return NO_LEGS;
  return [{ pool: tx.accountKey(instruction, POOL), authority: tx.accountKey(instruction, PAYER), ...flow }];
}

/**
 * Every hop of the program's own router has the accounts config, pool, output account, input vault, output vault, mint and
 * observations, then tick arrays whose number varies. The hops are found by their transfers: one into a vault, the next
 * out of the account that follows that vault.
 */
function routerLegs(tx: SolanaTransaction, index: number, instruction: SolanaInstruction): readonly SolanaLeg[] {
  const found: SolanaLeg[] = [];
  const end = tx.callsEnd(index);
  let paidIn: TokenTransfer | null = null;
  let from = ROUTER_HEAD;
  for (let i = index + 1; i < end; i++) {
    const transfer = readTransfer(tx, tx.instructions[i]!);
    if (transfer === null) continue;
    const vault = paidIn === null ? -1 : instruction.accounts.indexOf(paidIn.destination, from);
    if (paidIn !== null && vault >= 2 && tx.account(instruction, vault + 1) === transfer.source) {
      found.push({
        pool: tx.accountKey(instruction, vault - 2),
        authority: tx.accountKey(instruction, PAYER),
        inputMint: paidIn.mint || tx.mintOf(paidIn.destination),
        inputAmount: paidIn.amount,
        outputMint: transfer.mint || tx.mintOf(transfer.source),
        outputAmount: transfer.amount,
      });
      from = vault + 1;
      paidIn = null;
    } else paidIn = transfer;
  }
  return found;
}
