import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { tokenProgramOf } from '#libs/chain/chains/solana/token-account.js';
import type { Hex } from '#libs/core/ids.js';
import type { AccountBook } from '#libs/routing/pools/solana/account-book.js';
import type { SolanaBookPool } from '#libs/routing/pools/solana/book-pool.js';
import { type AccountUse, idOf, reads, type SwapAccounts, signs, TOKEN_PROGRAM_ID, writes } from '#programs/client.js';

/** The wallet that swaps, and the token accounts that pay and are paid. */
interface HopUser {
  readonly user: Hex;
  readonly input: Hex;
  readonly output: Hex;
}

/** The accounts that a hop over a pool needs, in addition to the wallet's own. */
export interface HopAccounts {
  /** The program that is called. */
  readonly venue: Hex;
  /** The accounts of a venue with the instructions of our own programs; null for the others. */
  readonly short: SwapAccounts | null;
  /** Token programs of the pool's mints. */
  readonly tokenPrograms: ReadonlyMap<Hex, Hex>;
  /** In the order of the venue's instruction; null where an account of it is not known. */
  list(user: HopUser): readonly AccountUse[] | null;
  /** Whether the venue moves coins of the wallet itself where the hop names the wrapped coin. */
  readonly movesCoins: boolean;
  /** Accounts of the venue whose rent the user may have to pay. */
  deposits(user: Hex): readonly HopDeposit[];
}

export interface HopDeposit {
  readonly account: Hex;
  /** No rent is due where the account has this length already. */
  readonly bytes: number;
  /** Whether rent is due for each added byte, whatever the account holds. */
  readonly grows?: true;
}

/** Null for a pool that is not quoted now. */
export type AccountsOfHop = (pool: Hex, tokenIn: Hex) => HopAccounts | null;

/**
 * Finds the accounts of hops over quoted pools. The answer for a pool is computed once, and again when one of the pool's
 * accounts changes.
 */
export function hopAccounts(book: AccountBook): AccountsOfHop {
  const kept = new WeakMap<KnownAccounts, Map<Hex, HopAccounts | null>>();
  return (id, tokenIn) => {
    const pool = book.pool(id);
    if (pool?.quotable !== true) return null;
    const byToken = kept.get(pool.known) ?? new Map<Hex, HopAccounts | null>();
    kept.set(pool.known, byToken);
    const found = byToken.get(tokenIn);
    if (found !== undefined) return found;
    const accounts = accountsOf(pool, tokenIn);
    byToken.set(tokenIn, accounts);
    return accounts;
  };
}

function accountsOf(pool: SolanaBookPool, tokenIn: Hex): HopAccounts | null {
  const module = solanaModule(pool.venue);
  return module?.swapKind === 'pool' || module?.swapKind === 'curve'
    ? ownAccounts(pool, tokenIn, module.swapKind)
    : venueAccounts(pool, tokenIn);
}

function ownAccounts(pool: SolanaBookPool, tokenIn: Hex, kind: 'pool' | 'curve'): HopAccounts | null {
  const { pools, decoder } = solanaModule(pool.venue)!;
  const data = pool.account(pool.address)?.data;
  const identity = data === undefined ? null : (pools?.identity(data) ?? null);
  if (identity === null) return null;
  const [mintA, vaultA, vaultB, venue] = [identity.mintA, identity.vaultA, identity.vaultB, decoder.program].map(
    idOf,
  ) as [Hex, Hex, Hex, Hex];
  const [vaultIn, vaultOut] = mintA === tokenIn ? [vaultA, vaultB] : [vaultB, vaultA];
  const short: SwapAccounts = { state: pool.id, stateChanges: kind === 'curve', vaultIn, vaultOut };
  const list = ({ user, input, output }: HopUser): AccountUse[] => [
    ...[short.stateChanges ? writes(short.state) : reads(short.state), signs(user), writes(input), writes(output)],
    ...[writes(vaultIn), writes(vaultOut), reads(TOKEN_PROGRAM_ID)],
  ];
  return { venue, short, tokenPrograms: new Map(), list, movesCoins: false, deposits: () => [] };
}

function venueAccounts(pool: SolanaBookPool, tokenIn: Hex): HopAccounts | null {
  const { instructions, decoder } = solanaModule(pool.venue)!;
  if (instructions === null) return null;
  const { known, address: at, record } = pool;
  const programs = [record.token0, record.token1].flatMap((mint): [Hex, Hex][] => {
    const program = tokenProgramOf(known, solanaIds.formatAddress(mint));
    return program === null ? [] : [[mint, idOf(program)]];
  });
  const aToB = (record.token0 === tokenIn) === pool.aIsToken0;
  return {
    venue: idOf(decoder.program),
    short: null,
    movesCoins: instructions.movesCoins?.(at, known) ?? false,
    tokenPrograms: new Map(programs),
    deposits: (user) =>
      (instructions.deposits?.(at, solanaIds.formatAddress(user), known) ?? []).map(({ address, ...deposit }) => ({
        ...{ account: idOf(address), ...deposit },
      })),
    list({ user, input, output }) {
      const [trader, inputAccount, outputAccount] = [user, input, output].map(solanaIds.formatAddress) as [
        string,
        string,
        string,
      ];
      // The swap program writes the amounts: only the accounts are of interest.
      const order = {
        pool: at,
        aToB,
        exact: 'in' as const,
        amount: 0n,
        limit: 0n,
        trader,
        inputAccount,
        outputAccount,
      };
      const call = instructions.write(order, known, pool.mints);
      if (call === null) return null;
      return call.accounts.map(({ address, signs, writable }) => ({ id: idOf(address), signer: signs, writable }));
    },
  };
}
