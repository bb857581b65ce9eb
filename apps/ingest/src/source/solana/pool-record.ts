import { binPrice } from '#libs/chain/amm/bin-price.js';
import type { Ratio } from '#libs/chain/amm/ratio.js';
import { sqrtPriceX96 } from '#libs/chain/amm/ratio.js';
import { orNull } from '#libs/chain/amm/refusal.js';
import { tickOfPrice } from '#libs/chain/amm/tick-of-price.js';
import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { SolanaPoolIdentity } from '#libs/chain/market-ports/solana/pool-quotes.js';
import type { SolanaTrade } from '#libs/chain/market-ports/solana/trades.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord, SwapEvent } from '#libs/protocol/blocks.js';
import type { SolanaTables } from './tables.js';

export interface FoundPool {
  readonly record: PoolRecord;
  readonly vaults: readonly [Hex, Hex] | null;
}

/**
 * A pool as its first trade shows it, with what its account says where that can be read. Null for a trade of a token
 * against itself.
 */
export function poolRecordOf(
  tx: SolanaTransaction,
  trade: SolanaTrade,
  { pools }: SolanaTables,
  answers: KnownAccounts,
): FoundPool | null {
  const { pool, venue, kind, inputMint, outputMint } = trade;
  if (inputMint === outputMint) return null;
  const [token0, token1] = inputMint < outputMint ? [inputMint, outputMint] : [outputMint, inputMint];
  const reader = pools.get(venue);
  const account = answers.get(solanaIds.formatAddress(pool));
  const identity = reader && account?.owner === reader.program ? reader.identity(account.data) : null;
  const told = identity && inOrder(identity, token0, token1);
  return {
    record: {
      pool,
      venue,
      kind,
      token0,
      token1,
      feePpm: told ? identity.feePpm : 0,
      tickSpacing: told ? identity.spacing : 0,
      created: false,
    },
    vaults: told ? told.vaults : statedVaults(tx, trade, token0, token1),
  };
}

/** Null when the account is of other mints than the trade: then it tells nothing of this pool. */
function inOrder(
  { mintA, mintB, vaultA, vaultB }: SolanaPoolIdentity,
  token0: Hex,
  token1: Hex,
): { vaults: readonly [Hex, Hex] | null } | null {
  const [a, b] = [solanaIds.parseAddress(mintA), solanaIds.parseAddress(mintB)];
  if (!((a === token0 && b === token1) || (a === token1 && b === token0))) return null;
  const [forA, forB] = [solanaIds.parseAddress(vaultA), solanaIds.parseAddress(vaultB)];
  if (forA === null || forB === null) return { vaults: null };
  return { vaults: a === token0 ? [forA, forB] : [forB, forA] };
}

/** Distinguished by the mints of their balances in the transaction. */
function statedVaults(tx: SolanaTransaction, { stated }: SolanaTrade, token0: Hex, token1: Hex): [Hex, Hex] | null {
  const found = (stated?.vaults ?? []).map((vault) => ({
    vault: solanaIds.parseAddress(vault),
    mint: solanaIds.parseAddress(tx.mintOf(tx.keys.indexOf(vault))),
  }));
  const vault0 = found.find(({ mint }) => mint === token0)?.vault ?? null;
  const vault1 = found.find(({ mint }) => mint === token1)?.vault ?? null;
  return vault0 === null || vault1 === null ? null : [vault0, vault1];
}

/**
 * The pool's state after a trade as the log keeps it: nothing for constant product; else the price with its tick where the pool has
 * ticks or bins, as the venue stated it, or what the trade itself paid where it stated none. Null when neither is a price.
 */
export function stateAfter(trade: SolanaTrade, { token0, tickSpacing }: PoolRecord): SwapEvent['after'] {
  const { kind, inputAmount, outputAmount, inputMint } = trade;
  if (kind === 'constant-product') return null;
  const paid = { numerator: outputAmount, denominator: inputAmount };
  for (const spot of [statedSpot(trade, tickSpacing), paid]) {
    const price = spot && sqrtPriceX96(inputMint === token0 ? spot : inverse(spot));
    if (price) return { sqrtPriceX96: price, liquidity: 0n, tick: tickSpacing === 0 ? 0 : tickOfPrice(price) };
  }
  return null;
}

/** Units of output for one of input, as the venue said or as its bin means; null where it said nothing that is a price. */
function statedSpot({ stated }: SolanaTrade, binStep: number): Ratio | null {
  if (stated?.spot !== undefined) return stated.spot;
  const { bin, binOfInput } = stated ?? {};
  if (bin === undefined || binOfInput === undefined || binStep === 0) return null;
  const price = orNull(() => binPrice(binStep, bin));
  return price && (binOfInput ? price : inverse(price));
}

const inverse = ({ numerator, denominator }: Ratio): Ratio => ({ numerator: denominator, denominator: numerator });
