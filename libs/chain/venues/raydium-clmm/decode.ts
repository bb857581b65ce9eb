import { bytesOfHex, startsWith } from '#libs/chain/chains/solana/bytes.js';
import type { SolanaInstruction } from '#libs/chain/chains/solana/instruction.js';
import { loggedData } from '#libs/chain/chains/solana/logged-data.js';
import { readTransfer, type TokenTransfer, vaultFlow } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { EventLayout } from '#libs/chain/market-ports/solana/event-layout.js';
import { positionChanges } from '#libs/chain/market-ports/solana/positions.js';
import { sqrtSpot } from '#libs/chain/market-ports/solana/stated.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue, type StatedPool } from '#libs/chain/market-ports/solana/venue.js';
import { clmmPositions } from './positions.js';

/** swap and swap_v2 share the positions that are read here. */
const SWAPS = ['f8c69e91e17587c8', '2b04ed0b1ac91e62'].map(bytesOfHex);
const ROUTER = bytesOfHex('457d73daf5baf2c4');
const PAYER = 0;
const POOL = 2;
const INPUT_VAULT = 5;
const OUTPUT_VAULT = 6;
/** Accounts of swap_router_base_in before the groups of its hops. */
const ROUTER_HEAD = 6;

/** Logged after each swap; the last two fields by programs of the later versions. */
const SWAP_EVENT = new EventLayout(
  '40c6cde8260871e2',
  `pool_state:key sender:key token_account_0:key token_account_1:key amount_0:u64 transfer_fee_0:u64 amount_1:u64
   transfer_fee_1:u64 zero_for_one:bool sqrt_price_x64:u128 liquidity:u128 tick:i32 trade_fee_0:u64 trade_fee_1:u64`,
);

/** Raydium CLMM. Its event is only logged and logs may be cut short: the transfers decide. */
export const raydiumClmm: SolanaVenue = {
  venue: 'raydium-clmm',
  dex: 'Raydium CLMM',
  kind: 'concentrated',
  program: 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK',
  legs,
  positions: (tx, index) => positionChanges(clmmPositions, tx, index),
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const instruction = tx.instructions[index]!;
  const { data } = instruction;
  if (startsWith(data, 0, ROUTER)) return routerLegs(tx, index, instruction);
  if (!SWAPS.some((swap) => startsWith(data, 0, swap))) return NO_LEGS;
  const flow = vaultFlow(tx, index, tx.account(instruction, INPUT_VAULT), tx.account(instruction, OUTPUT_VAULT));
  if (flow === null) return NO_LEGS;
  const pool = tx.accountKey(instruction, POOL);
  const vaults = [tx.accountKey(instruction, INPUT_VAULT), tx.accountKey(instruction, OUTPUT_VAULT)] as const;
  const stated = { vaults, ...new StatedSpots(tx, index).next(pool) };
  return [{ pool, authority: tx.accountKey(instruction, PAYER), ...flow, stated }];
}

/** Spots that an instruction's own events state, in the order of its hops. */
class StatedSpots {
  private readonly events: ReturnType<typeof SWAP_EVENT.read>[];

  constructor(tx: SolanaTransaction, index: number) {
    this.events = loggedData(tx, index).map((data) => SWAP_EVENT.read(data));
  }

  /** Of the next hop, if it is one of that pool. */
  next(pool: string): Pick<StatedPool, 'spot'> {
    const at = this.events.findIndex((event) => event?.pool_state === pool);
    const event = at < 0 ? null : this.events.splice(0, at + 1)[at]!;
    return event === null ? {} : sqrtSpot(event.sqrt_price_x64, event.zero_for_one === true);
  }
}

/**
 * Every hop of the program's own router has the accounts config, pool, output account, input vault, output vault, mint and
 * observations, then tick arrays whose number varies. The hops are found by their transfers: one into a vault, the next
 * out of the account that follows that vault.
 */
function routerLegs(tx: SolanaTransaction, index: number, instruction: SolanaInstruction): readonly SolanaLeg[] {
  const found: SolanaLeg[] = [];
  const spots = new StatedSpots(tx, index);
  const end = tx.callsEnd(index);
  let paidIn: TokenTransfer | null = null;
  let from = ROUTER_HEAD;
  for (let i = index + 1; i < end; i++) {
    const transfer = readTransfer(tx, tx.instructions[i]!);
    if (transfer === null) continue;
    const vault = paidIn === null ? -1 : instruction.accounts.indexOf(paidIn.destination, from);
    if (paidIn !== null && vault >= 2 && tx.account(instruction, vault + 1) === transfer.source) {
      const pool = tx.accountKey(instruction, vault - 2);
      const vaults = [tx.accountKey(instruction, vault), tx.accountKey(instruction, vault + 1)] as const;
      found.push({
        pool,
        authority: tx.accountKey(instruction, PAYER),
        inputMint: paidIn.mint || tx.mintOf(paidIn.destination),
        inputAmount: paidIn.amount,
        outputMint: transfer.mint || tx.mintOf(transfer.source),
        outputAmount: transfer.amount,
        stated: { vaults, ...spots.next(pool) },
      });
      from = vault + 1;
      paidIn = null;
    } else paidIn = transfer;
  }
  return found;
}
