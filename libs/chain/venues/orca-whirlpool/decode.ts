import { bytesOfHex, startsWith } from '#libs/chain/chains/solana/bytes.js';
import { loggedData } from '#libs/chain/chains/solana/logged-data.js';
import { vaultFlow } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { EventLayout } from '#libs/chain/market-ports/solana/event-layout.js';
import { positionChanges } from '#libs/chain/market-ports/solana/positions.js';
import { sqrtSpot } from '#libs/chain/market-ports/solana/stated.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue, type StatedPool } from '#libs/chain/market-ports/solana/venue.js';
import { whirlpoolPositions } from './positions.js';

interface Hop {
  pool: number;
  vaults: readonly [number, number];
}

interface SwapInstruction {
  discriminator: Uint8Array;
  authority: number;
  hops: readonly Hop[];
}

const SWAPS: readonly SwapInstruction[] = [
  // swap, swap_v2
  { discriminator: bytesOfHex('f8c69e91e17587c8'), authority: 1, hops: [{ pool: 2, vaults: [4, 6] }] },
  { discriminator: bytesOfHex('2b04ed0b1ac91e62'), authority: 3, hops: [{ pool: 4, vaults: [8, 10] }] },
  // two_hop_swap
  {
    discriminator: bytesOfHex('c360ed6c44a2dbe6'),
    authority: 1,
    hops: [
      { pool: 2, vaults: [5, 7] },
      { pool: 3, vaults: [9, 11] },
    ],
  },
  // two_hop_swap_v2: one transfer goes straight from the first pool's vault to the second's
  {
    discriminator: bytesOfHex('ba8fd11dfe02c275'),
    authority: 14,
    hops: [
      { pool: 0, vaults: [9, 10] },
      { pool: 1, vaults: [11, 12] },
    ],
  },
];

/** Logged after each swap, by programs of the later versions. */
const TRADED = new EventLayout(
  'e1ca49af932ba096',
  `whirlpool:key a_to_b:bool pre_sqrt_price:u128 post_sqrt_price:u128 input_amount:u64 output_amount:u64
   input_transfer_fee:u64 output_transfer_fee:u64 lp_fee:u64 protocol_fee:u64`,
);

/** Orca Whirlpool. Its event is only logged and was not there from the start: the transfers decide. */
export const orcaWhirlpool: SolanaVenue = {
  venue: 'orca-whirlpool',
  dex: 'Orca Whirlpool',
  kind: 'concentrated',
  program: 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
  legs,
  positions: (tx, index) => positionChanges(whirlpoolPositions, tx, index),
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const instruction = tx.instructions[index]!;
  const { data } = instruction;
  const swap = SWAPS.find(({ discriminator }) => startsWith(data, 0, discriminator));
  if (swap === undefined) return NO_LEGS;
  const authority = tx.accountKey(instruction, swap.authority);
  const found: SolanaLeg[] = [];
  for (const { pool, vaults } of swap.hops) {
    const flow = vaultFlow(tx, index, tx.account(instruction, vaults[0]), tx.account(instruction, vaults[1]));
    if (flow === null) continue;
    const address = tx.accountKey(instruction, pool);
    const accounts = vaults.map((vault) => tx.accountKey(instruction, vault)) as [string, string];
    found.push({ pool: address, authority, ...flow, stated: { vaults: accounts, ...statedSpot(tx, index, address) } });
  }
  return found;
}

/** The two hops of one instruction are never in the same pool. */
function statedSpot(tx: SolanaTransaction, index: number, pool: string): Pick<StatedPool, 'spot'> {
  for (const data of loggedData(tx, index)) {
    const event = TRADED.read(data);
    if (event === null || event.whirlpool !== pool || typeof event.post_sqrt_price !== 'bigint') continue;
    return sqrtSpot(event.post_sqrt_price, event.a_to_b === true);
  }
  return {};
}
