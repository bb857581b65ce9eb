import type { Hex } from '#libs/core/ids.js';
import type { SolanaRouteHop } from '#libs/routing/solana/solana-route.js';
import { WRAPPED_MINT } from '#programs/client.js';
import type { AccountsOfHop } from '../swap/hop-accounts.js';
import { MAX_KEYS } from '../transaction/v1-transaction.js';

/** Entries of one instruction's list of accounts that the swap program takes. */
const MOST_ENTRIES = 128;
/** The route's own: config, user, source, destination, fee account, token and system program, wrapped mint. */
const HEAD_ENTRIES = 8;
/** Of a hop: its program and the account that is paid. */
const HOP_ENTRIES = 2;
/** Keys of every swap: the head's without a fee account, the swap program, and the program that makes token accounts. */
const COMMON_KEYS = 9;
const NOBODY = '00'.repeat(32);
const [SOURCE, OUTPUT] = ['01'.repeat(32), '02'.repeat(32)];

/**
 * Whether legs fit one transaction and one instruction. Invariant: counted with all token accounts of the wallet still to be made,
 * so that what fits here fits when it is built.
 */
export function fitsTransaction(
  accountsOf: AccountsOfHop,
  legs: readonly (readonly SolanaRouteHop[])[],
  extraKeys: number,
): boolean {
  const keys = new Set<Hex>([WRAPPED_MINT]);
  let between = 0;
  let entries = HEAD_ENTRIES;
  let isShort = true;
  for (const hops of legs) {
    for (const [n, { pool, zeroForOne }] of hops.entries()) {
      const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
      const accounts = accountsOf(pool.id, tokenIn);
      const list = accounts?.list({ user: NOBODY, input: SOURCE!, output: OUTPUT! }) ?? null;
      if (accounts === null || list === null) return false;
      if (accounts.short === null) isShort = false;
      entries += HOP_ENTRIES + list.length;
      for (const { id } of list) if (id !== NOBODY && id !== SOURCE && id !== OUTPUT) keys.add(id);
      keys.add(accounts.venue).add(tokenOut);
      for (const program of accounts.tokenPrograms.values()) keys.add(program);
      if (n + 1 < hops.length) between++;
    }
  }
  if (!isShort && entries > MOST_ENTRIES) return false;
  return keys.size + between + COMMON_KEYS + extraKeys <= MAX_KEYS;
}
