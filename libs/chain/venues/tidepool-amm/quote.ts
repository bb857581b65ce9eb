import { afterFee, beforeFeeBps, isAmount, productIn, productOut, takes } from '#libs/chain/amm/basis-point-product.js';
import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { wordAt } from '#libs/chain/chains/solana/bytes.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState, SolanaPoolVenue } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { readTidepoolPool } from './account.js';

const TOKEN_BYTES = 165;
const TOKEN_STATE = 108;
const INITIALIZED = 1;

/** Pools of the program at that address: a constant product of what the two vaults hold, the fee taken from the input. */
export const tidepoolAmmPools = (program: string): SolanaPoolVenue =>
  accountPools({
    venue: 'tidepool-amm',
    program,
    account: readTidepoolPool,
    identity: ({ feeBps, ...ids }) => ({ ...ids, feePpm: Number(feeBps) * 100 }),
    needs: ({ vaultA, vaultB }) => [vaultA, vaultB],
    read({ vaultA, vaultB, mintA, mintB, feeBps }, { address, known }) {
      const reserveA = heldBy(address, vaultA, mintA, known);
      const reserveB = heldBy(address, vaultB, mintB, known);
      return reserveA && reserveB ? stateOf(reserveA, reserveB, feeBps) : null;
    },
  });

/** Balance of a pool's vault; null when no account of the pool is there, or it is frozen. */
function heldBy(pool: string, vault: string, mint: string, known: KnownAccounts): bigint | null {
  const account = known.get(vault);
  if (!account || account.owner !== TOKEN_PROGRAM || account.data.length !== TOKEN_BYTES) return null;
  const { data } = account;
  const isOurs = encodeBase58(data.subarray(0, 32)) === mint && encodeBase58(data.subarray(32, 64)) === pool;
  return isOurs && data[TOKEN_STATE] === INITIALIZED ? wordAt(data, 64) : null;
}

function stateOf(reserveA: bigint, reserveB: bigint, feeBps: bigint): SolanaPoolState {
  const sides = (aToB: boolean): readonly [bigint, bigint] => (aToB ? [reserveA, reserveB] : [reserveB, reserveA]);
  const swap = (amountIn: bigint, amountOut: bigint): CurveSwap => ({
    amountIn,
    amountOut,
    fee: amountIn - afterFee(amountIn, feeBps),
    feeSide: 'input',
  });
  return {
    reserveA,
    reserveB,
    spot: { numerator: reserveB, denominator: reserveA },
    exactIn(aToB, amountIn) {
      const [reserveIn, reserveOut] = sides(aToB);
      if (!isAmount(amountIn) || !takes(reserveIn, amountIn)) return null;
      const out = productOut(reserveIn, reserveOut, afterFee(amountIn, feeBps));
      return out === null || out === 0n ? null : swap(amountIn, out);
    },
    exactOut(aToB, amountOut) {
      const [reserveIn, reserveOut] = sides(aToB);
      const net = isAmount(amountOut) ? productIn(reserveIn, reserveOut, amountOut) : null;
      const amountIn = net === null ? null : beforeFeeBps(net, feeBps);
      return amountIn === null || !takes(reserveIn, amountIn) ? null : swap(amountIn, amountOut);
    },
  };
}
