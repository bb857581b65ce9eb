import { type ChainMoment, type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import type { SolanaPoolIdentity, SolanaPoolState, SolanaPoolVenue } from './pool-quotes.js';
import type { SolanaCall, SolanaSwapInstructions, SolanaSwapOrder } from './swap-instructions.js';

/** A pool's address, the accounts that are known, and the mints that the pool's trades were in. */
interface PoolPlace {
  readonly address: string;
  readonly known: KnownAccounts;
  readonly mints: readonly string[];
}

/** What a venue says of its pools where each is one account of its program. */
interface AccountPools<Pool> {
  readonly venue: string;
  readonly program: string;
  /** Reads the account; null for another one. */
  account(data: Uint8Array): Pool | null;
  /** Fee and spacing are 0 where they are left out. */
  identity(pool: Pool): Omit<SolanaPoolIdentity, 'feePpm' | 'spacing'> & Partial<SolanaPoolIdentity>;
  /** Absent: the pool's own account says everything. */
  needs?(pool: Pool, place: PoolPlace): readonly string[];
  read(pool: Pool, place: PoolPlace, at: ChainMoment): SolanaPoolState | null;
}

/** Finds a pool among the known accounts of its program. */
export interface PoolAccounts<Pool> {
  readonly program: string;
  poolAt(address: string, known: KnownAccounts): Pool | null;
}

export function accountPools<Pool>(pools: AccountPools<Pool>): SolanaPoolVenue & PoolAccounts<Pool> {
  const { venue, program } = pools;
  const poolAt = (address: string, known: KnownAccounts): Pool | null =>
    readOwned(known, address, program, pools.account);
  return {
    ...{ venue, program, poolAt },
    identity(data) {
      const pool = pools.account(data);
      return pool === null ? null : { feePpm: 0, spacing: 0, ...pools.identity(pool) };
    },
    needs(address, known, mints = []) {
      const pool = poolAt(address, known);
      return pool === null ? [] : (pools.needs?.(pool, { address, known, mints }) ?? []);
    },
    read(address, known, at, mints = []) {
      const pool = poolAt(address, known);
      return pool === null ? null : pools.read(pool, { address, known, mints }, at);
    },
  };
}

/** How swaps of such pools are written; `movesCoins` and `deposits` as in `SolanaSwapInstructions`. */
interface PoolSwaps<Pool> extends Pick<SolanaSwapInstructions, 'movesCoins' | 'deposits'> {
  needs(pool: Pool, place: PoolPlace): readonly string[];
  write(pool: Pool, order: SolanaSwapOrder, place: PoolPlace): Omit<SolanaCall, 'program'> | null;
}

/** Swaps of the pools that `poolAt` finds: of any other account there is no instruction. */
export function poolSwaps<Pool>(
  { program, poolAt }: PoolAccounts<Pool>,
  { needs, write, ...rest }: PoolSwaps<Pool>,
): SolanaSwapInstructions {
  return {
    ...rest,
    needs(address, known, mints = []) {
      const pool = poolAt(address, known);
      return pool === null ? [] : needs(pool, { address, known, mints });
    },
    write(order, known, mints = []) {
      const pool = poolAt(order.pool, known);
      const call = pool === null ? null : write(pool, order, { address: order.pool, known, mints });
      return call && { program, ...call };
    },
  };
}
