import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import type { SolanaRouteHop } from '#libs/routing/search/solana/solana-route.js';
import { ACCOUNT_UNITS, HOP_UNITS, MAX_UNITS, ROUTE_UNITS, WRAPPED_MINT } from '#programs/client.js';
import { MAX_BYTES, MAX_KEYS } from '../transaction/v1-transaction.js';
import type { AccountsOfHop, HopAccounts } from '../venues/hop-accounts.js';

/** Entries of one instruction's list of accounts that the swap program takes. */
export const MOST_ENTRIES = 128;
/** The route's own: config, user, source, destination, fee account, token and system program, wrapped mint. */
const HEAD_ENTRIES = 8;
/** Of a hop over a listed venue: its program and the account that is paid; of a short one its state and vaults as well. */
const [HOP_ENTRIES, SHORT_ENTRIES] = [2, 5];
/** Keys of every swap: the head's without a fee account, the swap program, and the program that makes token accounts. */
const COMMON_KEYS = 9;
/** Of the transaction without keys and instructions: head, blockhash, config with a priority fee, one signature. */
const FRAME_BYTES = 42 + 16 + 64;
/** Index of the program, number of accounts, length of the data. */
const INSTRUCTION_BYTES = 4;
/** An instruction that makes a token account of the wallet: six accounts, one byte. */
const ACCOUNT_BYTES = INSTRUCTION_BYTES + 7;
/** Data of a route before its legs, of a leg, and of a hop over a listed venue. */
const [ROUTE_BYTES, LEG_BYTES, HOP_BYTES] = [21, 3, 9];
const NOBODY = '00'.repeat(32);
const [SOURCE, OUTPUT] = ['01'.repeat(32), '02'.repeat(32)] as [Hex, Hex];
/** The account that unwraps coins, one for the whole route. */
const COINS: Hex = '03'.repeat(32);

/** How much of a transaction some legs use. */
export interface TransactionUse {
  readonly keys: number;
  /** Of the route's list of accounts. */
  readonly entries: number;
  readonly bytes: number;
  readonly units: number;
}

/**
 * Computes how much of its transaction a swap over these legs uses; null where an account of a venue is unknown.
 * Invariant: the built transaction uses no more, whatever the wallet has, because all its token accounts count as
 * missing.
 */
export function transactionUse(
  accountsOf: AccountsOfHop,
  legs: readonly (readonly SolanaRouteHop[])[],
  extraKeys: number,
): TransactionUse | null {
  const keys = new Set<Hex>([WRAPPED_MINT]);
  const between = new Set<Hex>();
  let [listed, short, units] = [0, 0, ROUTE_UNITS];
  let isShort = true;
  for (const hops of legs) {
    for (const [n, { pool, zeroForOne, steps = 0 }] of hops.entries()) {
      const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
      const accounts = accountsOf(pool.id, tokenIn);
      const list = accounts === null ? null : listOf(accounts);
      if (accounts === null || list === null) return null;
      if (accounts.short === null) isShort = false;
      listed += HOP_ENTRIES + list.length + (accounts.movesCoins ? 1 : 0);
      if (accounts.movesCoins) keys.add(COINS);
      short += SHORT_ENTRIES;
      for (const id of list.others) keys.add(id);
      keys.add(accounts.venue).add(tokenOut);
      for (const program of accounts.tokenPrograms.values()) keys.add(program);
      if (n + 1 < hops.length) between.add(tokenOut);
      const of = unitsOf(pool.venue);
      units += of.swap + of.step * steps;
    }
  }
  const entries = HEAD_ENTRIES + (isShort ? short : listed);
  const made = between.size + 1;
  const used = keys.size + between.size + COMMON_KEYS + extraKeys;
  const hopCount = legs.reduce((sum, hops) => sum + hops.length, 0);
  const data = ROUTE_BYTES + LEG_BYTES * legs.length + (isShort ? 0 : HOP_BYTES * hopCount);
  return {
    ...{ keys: used, entries, units: units + made * ACCOUNT_UNITS },
    bytes: FRAME_BYTES + 32 * used + made * ACCOUNT_BYTES + INSTRUCTION_BYTES + entries + data,
  };
}

/** A hop's list of accounts: its entries, and the keys that are not the wallet's. */
interface HopList {
  readonly length: number;
  readonly others: readonly Hex[];
}

const lists = new WeakMap<HopAccounts, HopList | null>();

function listOf(accounts: HopAccounts): HopList | null {
  const known = lists.get(accounts);
  if (known !== undefined) return known;
  const uses = accounts.list({ user: NOBODY, input: SOURCE, output: OUTPUT });
  const others = uses?.map(({ id }) => id).filter((id) => id !== NOBODY && id !== SOURCE && id !== OUTPUT) ?? [];
  const list = uses === null ? null : { length: uses.length, others };
  lists.set(accounts, list);
  return list;
}

/** Whether legs fit one transaction: its keys, bytes and compute units, and the swap program's list of accounts. */
export function fitsTransaction(...given: Parameters<typeof transactionUse>): boolean {
  const use = transactionUse(...given);
  return (
    use !== null &&
    use.keys <= MAX_KEYS &&
    use.entries <= MOST_ENTRIES &&
    use.bytes <= MAX_BYTES &&
    use.units <= MAX_UNITS
  );
}

const unitsByVenue = new Map<string, (typeof HOP_UNITS)[keyof typeof HOP_UNITS]>();

/** Of a venue that the swap program calls. */
function unitsOf(venue: string) {
  let units = unitsByVenue.get(venue);
  if (units === undefined) {
    units = HOP_UNITS[solanaModule(venue)!.swapKind as keyof typeof HOP_UNITS];
    unitsByVenue.set(venue, units);
  }
  return units;
}
