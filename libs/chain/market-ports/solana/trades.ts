import { addressId } from '#libs/chain/chains/solana/address-ids.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolKind } from '#libs/protocol/blocks.js';
import type { SolanaLeg, SolanaVenue, StatedPool } from './venue.js';
import { TradingWallets } from './wallet.js';

/** One pool's part of a transaction. Several legs of one route are several trades of one wallet. */
export interface SolanaTrade {
  readonly dex: string;
  readonly venue: string;
  readonly kind: PoolKind;
  readonly pool: Hex;
  readonly wallet: Hex;
  readonly inputMint: Hex;
  readonly inputAmount: bigint;
  readonly outputMint: Hex;
  readonly outputAmount: bigint;
  /** What the venue said about the pool after the leg; null where it said nothing. */
  readonly stated: StatedPool | null;
  /** Position in the transaction's flat list of instructions. */
  readonly index: number;
  /** Index path of the leg's instruction: "3" or "3.2". */
  readonly instruction: string;
}

export type SolanaVenues = ReadonlyMap<string, SolanaVenue>;

/** Venues by program; two that claim one program stop the boot. */
export function venuesByProgram(...lists: readonly (readonly SolanaVenue[])[]): SolanaVenues {
  const table = new Map<string, SolanaVenue>();
  for (const venue of lists.flat()) {
    const known = table.get(venue.program);
    if (known) throw new TidepoolError('duplicate_venue', `${venue.venue} and ${known.venue} read the same program`);
    table.set(venue.program, venue);
  }
  return table;
}

/** Trades of a transaction in execution order; a failed transaction has none. Never throws. */
export function tradesOf(tx: SolanaTransaction, venues: SolanaVenues): SolanaTrade[] {
  const trades: SolanaTrade[] = [];
  if (tx.failed) return trades;
  const { instructions } = tx;
  const legs: { index: number; venue: SolanaVenue; leg: SolanaLeg }[] = [];
  for (let index = 0; index < instructions.length; index++) {
    const venue = venues.get(instructions[index]!.program);
    if (venue === undefined) continue;
    for (const leg of venue.legs(tx, index)) legs.push({ index, venue, leg });
  }
  if (legs.length === 0) return trades;
  const wallets = new TradingWallets(
    tx,
    legs.map(({ leg }) => leg),
  );
  for (const { index, venue, leg } of legs) {
    const trade = toTrade(tx, index, venue, leg, wallets.behind(leg));
    if (trade !== null) trades.push(trade);
  }
  return trades;
}

function toTrade(
  tx: SolanaTransaction,
  index: number,
  venue: SolanaVenue,
  leg: SolanaLeg,
  owner: string,
): SolanaTrade | null {
  const pool = addressId(leg.pool);
  const inputMint = addressId(leg.inputMint);
  const outputMint = addressId(leg.outputMint);
  const wallet = addressId(owner);
  if (pool === null || inputMint === null || outputMint === null || wallet === null) return null;
  return {
    dex: venue.dex,
    venue: venue.venue,
    kind: venue.kind,
    pool,
    wallet,
    inputMint,
    inputAmount: leg.inputAmount,
    outputMint,
    outputAmount: leg.outputAmount,
    stated: leg.stated ?? null,
    index,
    instruction: tx.instructions[index]!.path,
  };
}
