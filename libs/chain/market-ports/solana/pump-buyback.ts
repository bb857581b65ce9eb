import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { associatedAddress } from '#libs/chain/chains/solana/derived-addresses.js';
import { tokenProgramOf } from '#libs/chain/chains/solana/token-account.js';
import { decodeBase58 } from '#libs/core/base58.js';

/** Least lamports that an account without data holds: one that has fewer may not be paid a few. */
const LEAST_LAMPORTS = 890_880n;

/**
 * The account that a part of the protocol's fee goes to, on pump.fun's curves and PumpSwap's pools: of the first recipient that
 * can be paid, counted from a place that differs between pools, so that their swaps seldom wait for one another. It is the
 * recipient's token account, or its wallet where the fee is paid `inLamports`. `needed`: what has to be known to choose it.
 */
export function buybackAccount(
  pool: string,
  known: KnownAccounts,
  quoteMint: string,
  recipients: readonly string[],
  inLamports = false,
): { readonly needed: readonly string[]; readonly chosen: string | null } {
  const tokens = tokenProgramOf(known, quoteMint);
  const needed: string[] = [];
  if (tokens === null) return { needed, chosen: null };
  const start = decodeBase58(pool)![0]!;
  for (let nth = 0; nth < recipients.length; nth++) {
    const recipient = recipients[(start + nth) % recipients.length]!;
    const account = inLamports ? recipient : associatedAddress(recipient, quoteMint, tokens);
    needed.push(account);
    const found = known.get(account);
    if (found === undefined) break;
    if (found !== null && (inLamports ? found.lamports >= LEAST_LAMPORTS : found.owner === tokens))
      return { needed, chosen: account };
  }
  return { needed, chosen: null };
}
